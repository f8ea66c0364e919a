/* Step 07: the ladder in TF32, on tensor cores. */
#include "ladders.h"
#include "library/cublas.h"
#include "rungs.h"

static const struct gemm_rung rungs[] = {
    {
        .rung = {.name = "wgmma",
                 .idea = "B transposed first, then persistent blocks with a ring of tiles",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tf32_wgmma,
        .declines = declines_tma_floats,
        .depth = gemm_depth_tensor,
        .prepare = prepare_tf32_wgmma,
    },
    {
        .rung = {.name = "b_in_registers",
                 .idea = "C's transpose: a thread loads its part of B, which stays as it is",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_b_in_registers,
        .declines = declines_tma_floats,
        .depth = gemm_depth_tensor,
        .prepare = prepare_tf32_registers,
    },
    {
        .rung = {.name = "tma_stores",
                 .idea = "the TMA stores a tile while the next one is multiplied",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tf32_tma_stores,
        .declines = declines_tma_floats,
        .depth = gemm_depth_tensor,
        .prepare = prepare_tf32_registers,
    },
    CUBLAS_TENSOR_GEMM_RUNG,
};

const struct climb tf32_ladder = {
    .name = "tf32",
    .idea = "wgmma, B through registers, stores by the TMA",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
