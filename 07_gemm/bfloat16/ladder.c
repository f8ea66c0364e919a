/* Step 07: the ladder in bfloat16, on tensor cores. */
#include "ladders.h"
#include "parts/workspace.h"
#include "rungs.h"

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
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "ring",
                 .idea = "two steps' tiles are on their way while one is multiplied",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_wgmma_ring,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "producers",
                 .idea =
                     "one warp brings tiles, two warpgroups multiply, a barrier for each handover",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_producers,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "wide_tile",
                 .idea = "128 x 256 elements of C a block; producers hand over registers",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_wide_tile_bf16,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "persistent",
                 .idea = "a block computes tile after tile, in an order that shares L2",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_persistent,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "multicast",
                 .idea = "pairs of blocks bring a tile of B together, each half of it for both",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_cluster_multicast,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "tma_stores",
                 .idea = "C leaves through shared memory, by TMA, under the next tile's products",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tma_stores,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "stored_later",
                 .idea = "sums are put into shared memory while the next tile's products run",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_stored_later,
        .declines = declines_stored_later,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "even_waves",
                 .idea = "lower tiles for a part of C, so that all multiprocessors end together",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_even_waves,
        .declines = declines_even_waves,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "even_pairs",
                 .idea = "pairs of blocks beside each other bring A's tile together",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_even_pairs,
        .declines = declines_even_pairs,
        .depth = gemm_depth_tensor,
    },
};

const struct climb bfloat16_ladder = {
    .name = "bfloat16",
    .idea = "from wmma to persistent blocks with an overlapped epilogue",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
