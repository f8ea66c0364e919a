/* Step 07: the ladder in bfloat16, on tensor cores. */
#include "library/cublas.h"
#include "problem/gemm/gemm.h"
#include "run/step.h"
#include "workspace.h"

void launch_wmma(const struct gemm *call);
void launch_mma_sync(const struct gemm *call);
void launch_swizzled(const struct gemm *call);
void launch_wgmma(const struct gemm *call);
void launch_wgmma_ring(const struct gemm *call);
void launch_producers(const struct gemm *call);
void launch_wide_tile_bf16(const struct gemm *call);
void launch_persistent(const struct gemm *call);
void launch_cluster_multicast(const struct gemm *call);
void launch_tma_stores(const struct gemm *call);
void launch_stream_k_bf16(const struct gemm *call);
void launch_fitted_bf16(const struct gemm *call);
void launch_thin_bf16(const struct gemm *call);
void launch_few_rows_bf16(const struct gemm *call);
void launch_few_columns_bf16(const struct gemm *call);
void launch_three_consumers(const struct gemm *call);
void launch_shared_wave(const struct gemm *call);
void launch_stored_later(const struct gemm *call);
void launch_even_waves(const struct gemm *call);
void launch_even_pairs(const struct gemm *call);
void launch_any_shape_bf16(const struct gemm *call);
void prepare_any_shape_bf16(const struct gemm *call);
const char *hopper_unavailable(void);

extern const struct ladder bf16;

static const struct gemm_rung rungs[] = {
    {
        .rung = {.name = "wmma",
                 .idea = "fragments of 16 x 16 by nvcuda::wmma, from tiles in shared memory",
                 .needs_compute_capability = 80},
        .run = launch_wmma,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "mma_sync",
                 .idea = "mma.sync, ldmatrix and cp.async: lanes' elements, three steps ahead",
                 .needs_compute_capability = 80},
        .run = launch_mma_sync,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "swizzled",
                 .idea = "chunks change places within a row: ldmatrix without bank conflicts",
                 .needs_compute_capability = 80},
        .run = launch_swizzled,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "wgmma",
                 .idea = "Hopper's tensor cores read tiles that the TMA brings, both swizzled by "
                         "themselves",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_wgmma,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "ring",
                 .idea = "two steps' tiles are on their way while one is multiplied",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_wgmma_ring,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "producers",
                 .idea =
                     "one warp brings tiles, two warpgroups multiply, a barrier for each handover",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_producers,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "wide_tile",
                 .idea = "128 x 256 elements of C a block; producers hand over registers",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_wide_tile_bf16,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "persistent",
                 .idea = "a block computes tile after tile, in an order that shares L2",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_persistent,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "multicast",
                 .idea = "pairs of blocks bring a tile of B together, each half of it for both",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_cluster_multicast,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "tma_stores",
                 .idea = "C leaves through shared memory, by TMA, under the next tile's products",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tma_stores,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "stream_k",
                 .idea = "blocks share what is left for the last wave of tiles",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_stream_k_bf16,
        .depth = gemm_depth_tensor,
        .prepare = prepare_workspace,
    },
    {
        .rung = {.name = "fitted",
                 .idea = "tiles as high as C needs: wgmma's free dimension along the rows",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_fitted_bf16,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "thin",
                 .idea = "few rows or columns: the blocks of a cluster share the steps along k",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_thin_bf16,
        .depth = gemm_depth_tensor,
    },
    {
        .rung =
            {.name = "few_rows",
             .idea =
                 "up to 32 rows: what a lane loads is its operand of mma.sync, no shared memory",
             .needs_compute_capability = 90,
             .unavailable = hopper_unavailable},
        .run = launch_few_rows_bf16,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "few_columns",
                 .idea = "up to 16 columns: a lane loads its operand from A's rows",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_few_columns_bf16,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "three_consumers",
                 .idea = "192 x 256, no producer: the last warp to leave a stage fills it again",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_three_consumers,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "shared_wave",
                 .idea = "high tiles, those of the last wave shared by all blocks",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_shared_wave,
        .depth = gemm_depth_tensor,
        .prepare = prepare_workspace,
    },
    {
        .rung = {.name = "stored_later",
                 .idea = "sums are put into shared memory while the next tile's products run",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_stored_later,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "even_waves",
                 .idea = "lower tiles for a part of C, so that all multiprocessors end together",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_even_waves,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "even_pairs",
                 .idea = "pairs of blocks beside each other bring A's tile together",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_even_pairs,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "any_shape",
                 .idea = "the tile or rung for the shape, split-K, rows that are not aligned",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_any_shape_bf16,
        .depth = gemm_depth_tensor,
        .prepare = prepare_any_shape_bf16,
    },
    CUBLAS_TENSOR_GEMM_RUNG,
};

const struct ladder bf16 = {
    .name = "bf16",
    .idea = "Matrix product in bfloat16: tensor cores, from fragments to clusters",
    .kind = &gemm_bf16_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};
