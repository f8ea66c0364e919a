/* Step 07: the functions of the rungs of one GPU, in ladder order. declines_ says why a rung does
 * not compute a product, or NULL; its launch_ is called only for products that it does not decline.
 * A product without elements is declined by none: there is nothing to launch. */
#ifndef RUNGS_07_RUNGS_H
#define RUNGS_07_RUNGS_H

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of rungs for Hopper only (sm_90a). */
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

/* Of this rung and those up to stream_k: the TMA copies B. */
const char *declines_tensor_copies(const struct gemm *call);
void launch_tensor_copies(const struct gemm *call);
void launch_specialized(const struct gemm *call);
void launch_to_and_fro(const struct gemm *call);
void launch_overlapped(const struct gemm *call);
void launch_stream_k(const struct gemm *call);

/* Every product, by the kernels that its plan asks for; how_ says which. */
void launch_any_shape(const struct gemm *call);
void how_any_shape(const struct gemm *call, char text[RUNG_HOW_SIZE]);
void prepare_any_shape(const struct gemm *call);

/* Of the rungs that bring floats to tensor cores, in float32 and TF32. */
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
void launch_two_stages_bf16(const struct gemm *call); /* as where shared memory has no third */

/* Of all rungs whose A and B come by the TMA and that have no condition of their own. */
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

/* Every product, by the kernels of a plan or of a rung above; how_ says which. */
void launch_any_shape_bf16(const struct gemm *call);
void how_any_shape_bf16(const struct gemm *call, char text[RUNG_HOW_SIZE]);
void prepare_any_shape_bf16(const struct gemm *call);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
