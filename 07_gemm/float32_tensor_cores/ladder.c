/* Step 07: the ladder that computes float32 products on tensor cores. */
#include "ladders.h"
#include "rungs.h"

static const struct gemm_rung rungs[] = {
    {
        .rung = {.name = "tensor_3xtf32",
                 .idea = "tensor cores: each float as the sum of two numbers of TF32",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tensor_3xtf32,
        .declines = declines_tma_floats,
        .depth = depth_tensor_3xtf32,
        .prepare = prepare_tensor_3xtf32,
    },
    {
        .rung = {.name = "tensor_bf16x6",
                 .idea = "each float as the sum of three numbers of bfloat16: B is not transposed",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tensor_bf16x6,
        .declines = declines_tma_floats,
        .depth = depth_tensor_bf16x6,
        .prepare = prepare_tensor_bf16x6,
    },
};

const struct climb float32_tensor_cores_ladder = {
    .name = "float32_tensor_cores",
    .idea = "each float as the sum of two or three numbers of another type",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
