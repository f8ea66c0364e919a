/* Step 07: the functions of the rungs of one GPU, in ladder order. declines_X returns why rung X
 * does not compute a product, or NULL. launch_X is called only for products that X does not
 * decline. No rung declines a product without elements, because there is nothing to launch. */
#ifndef RUNGS_07_RUNGS_H
#define RUNGS_07_RUNGS_H

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why rungs for Hopper only (sm_90a) cannot run here, or NULL. */
const char *hopper_unavailable(void);

/* ---- float32 --------------------------------------------------------------------------------- */

void launch_naive_rows(const struct gemm *call);
void launch_naive(const struct gemm *call);
void launch_shared_tile(const struct gemm *call);
void launch_register_column(const struct gemm *call);
void launch_register_tile(const struct gemm *call);
void launch_transposed(const struct gemm *call);
void launch_vectorized(const struct gemm *call);
void launch_warp_tile(const struct gemm *call);
void launch_double_buffered(const struct gemm *call);
void launch_async_copies(const struct gemm *call);
void launch_wide_tile(const struct gemm *call);

const char *declines_producer_warps(const struct gemm *call);
void launch_producer_warps(const struct gemm *call);

/* For this rung and those up to stream_k, in which the TMA copies B. */
const char *declines_tensor_copies(const struct gemm *call);
void launch_tensor_copies(const struct gemm *call);
void launch_specialized(const struct gemm *call);
void launch_to_and_fro(const struct gemm *call);
void launch_overlapped(const struct gemm *call);
void launch_stream_k(const struct gemm *call);

/* Computes every product, by the kernels that its plan chooses; how_ names them. */
void launch_any_shape(const struct gemm *call);
void how_any_shape(const struct gemm *call, char text[RUNG_HOW_SIZE]);
void prepare_any_shape(const struct gemm *call);

/* For the rungs that multiply floats on tensor cores, in float32 and TF32. */
const char *declines_tma_floats(const struct gemm *call);
void launch_tensor_3xtf32(const struct gemm *call);
void prepare_tensor_3xtf32(const struct gemm *call);
double depth_tensor_3xtf32(const struct gemm *call);
void launch_tensor_bf16x6(const struct gemm *call);
void prepare_tensor_bf16x6(const struct gemm *call);
double depth_tensor_bf16x6(const struct gemm *call);

/* ---- TF32 ------------------------------------------------------------------------------------ */

void launch_tf32_wgmma(const struct gemm *call);
void prepare_tf32_wgmma(const struct gemm *call);
void launch_b_in_registers(const struct gemm *call);
void launch_tf32_tma_stores(const struct gemm *call);
void prepare_tf32_registers(const struct gemm *call);

/* ---- bfloat16 -------------------------------------------------------------------------------- */

void launch_wmma(const struct gemm *call);
void launch_mma_sync(const struct gemm *call);
void launch_swizzled(const struct gemm *call);

/* Without wgmma. */
void launch_whole_tiles(const struct gemm *call);
void launch_large_warp_tile(const struct gemm *call);
void launch_long_stages(const struct gemm *call);
void launch_fragments_ahead(const struct gemm *call);
void launch_persistent_tiles(const struct gemm *call);
void launch_split_k_bf16(const struct gemm *call);
void launch_two_stages_bf16(const struct gemm *call); /* as on GPUs without memory for a third */
void launch_tma_copies(const struct gemm *call);
void launch_short_stages_bf16(const struct gemm *call); /* with less shared memory */
bool prefers_tma_copies(const struct gemm *call);       /* whether it can run, and uses all SMs */

/* For all rungs in which the TMA loads A and B and that have no condition of their own. */
const char *declines_tma_loads(const struct gemm *call);
void launch_wgmma(const struct gemm *call);
void launch_wgmma_ring(const struct gemm *call);
void launch_producers(const struct gemm *call);
void launch_wide_tile_bf16(const struct gemm *call);
void launch_persistent(const struct gemm *call);
void launch_cluster_multicast(const struct gemm *call);
void launch_tma_stores(const struct gemm *call);
const char *declines_stored_later(const struct gemm *call);
void launch_stored_later(const struct gemm *call);
const char *declines_even_waves(const struct gemm *call);
void launch_even_waves(const struct gemm *call);
const char *declines_even_pairs(const struct gemm *call);
void launch_even_pairs(const struct gemm *call);

/* Computes every product, by the kernels of a plan or of a rung above; how_ names them. */
void launch_any_shape_bf16(const struct gemm *call);
void how_any_shape_bf16(const struct gemm *call, char text[RUNG_HOW_SIZE]);
void prepare_any_shape_bf16(const struct gemm *call);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
