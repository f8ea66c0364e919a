/* Step 07: the ladder in bfloat16 for GPUs that have mma.sync (sm_80 and later) but no wgmma. */
#include "ladders.h"
#include "parts/workspace.h"
#include "rungs.h"

static const struct gemm_rung rungs[] = {
    {
        .rung = {.name = "swizzled",
                 .idea = "where the ladder bfloat16 leaves mma.sync: tiles of 64 x 32 per warp",
                 .needs_compute_capability = 80,
                 .same_kernels_as = "swizzled",
                 .same_kernels_because = "it is the third rung of bfloat16"},
        .run = launch_swizzled,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "whole_tiles",
                 .idea = "a whole tile without conditions: addresses advance, 16-byte stores",
                 .needs_compute_capability = 80},
        .run = launch_whole_tiles,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "large_warp_tile",
                 .idea = "64 x 64 elements of C per warp: two thirds of the loads for an MMA",
                 .needs_compute_capability = 80},
        .run = launch_large_warp_tile,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "long_stages",
                 .idea = "stages of 64 elements of k: half as many barriers",
                 .needs_compute_capability = 80},
        .run = launch_long_stages,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "fragments_ahead",
                 .idea = "the next k-step's fragments are loaded during the MMAs of this one",
                 .needs_compute_capability = 80},
        .run = launch_fragments_ahead,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "persistent_tiles",
                 .idea = "persistent blocks: copies run on into the next tile, tiles share L2",
                 .needs_compute_capability = 80},
        .run = launch_persistent_tiles,
        .depth = gemm_depth_tensor,
    },
    {
        .rung = {.name = "split_k",
                 .idea = "if C has few tiles: blocks share the k of a tile, and the last adds up",
                 .needs_compute_capability = 80},
        .run = launch_split_k_bf16,
        .depth = gemm_depth_tensor,
        .prepare = prepare_workspace,
    },
    {
        .rung = {.name = "tma_copies",
                 .idea = "the TMA copies: mbarriers per stage replace __syncthreads",
                 .needs_compute_capability = 90},
        .run = launch_tma_copies,
        .declines = declines_tma_loads,
        .depth = gemm_depth_tensor,
    },
};

const struct climb bfloat16_mma_ladder = {
    .name = "bfloat16_mma",
    .idea = "mma.sync up to its limit, for GPUs without wgmma",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
