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
                 .idea = "Hopper's tensor cores read tiles that the TMA loads, both swizzled",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_wgmma,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "ring",
                 .idea =
                     "a pipeline of stages: two steps' tiles are in flight while one is multiplied",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_wgmma_ring,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "producers",
                 .idea = "warp specialization: one warp loads tiles, two warpgroups multiply",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_producers,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "wide_tile",
                 .idea =
                     "128 x 256 elements of C per block; setmaxnreg moves registers to consumers",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_wide_tile_bf16,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "persistent",
                 .idea = "persistent blocks: tile after tile, in an order that shares L2",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_persistent,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "multicast",
                 .idea = "clusters of two blocks load a tile of B together (TMA multicast)",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_cluster_multicast,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "tma_stores",
                 .idea = "the TMA stores C from shared memory, during the next tile's MMAs",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tma_stores,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "stored_later",
                 .idea =
                     "overlapped epilogue: sums go to shared memory during the next tile's MMAs",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_stored_later,
        .declines = declines_stored_later,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "even_waves",
                 .idea =
                     "against wave quantization: lower tiles for a part of C, all SMs end together",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_even_waves,
        .declines = declines_even_waves,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "even_pairs",
                 .idea = "clusters of two blocks beside each other load A's tile together",
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
