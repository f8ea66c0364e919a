/* Step 07: the ladder any_shape, with a plan for every shape, and the library to compare with. */
#include "ladders.h"
#include "library/cublas.h"
#include "rungs.h"

static const struct gemm_rung float32_shapes_rungs[] = {
    {
        .rung = {.name = "any_shape",
                 .idea = "a plan for every shape: tile, split-K, aligned copies, skinny matrices",
                 .flags = RUNG_DISPATCHES,
                 .needs_compute_capability = 80},
        .run = launch_any_shape,
        .depth = gemm_depth_serial,
        .how = how_any_shape,
        .prepare = prepare_any_shape,
    },
    CUBLAS_GEMM_RUNG,
};

const struct climb float32_shapes = {
    .name = "any_shape",
    .idea = "kernels for particular shapes in float32, and a plan for every shape",
    LADDER_RUNGS(float32_shapes_rungs),
};

static const struct gemm_rung bfloat16_shapes_rungs[] = {
    {
        .rung = {.name = "any_shape",
                 .idea = "a plan for every shape: tile, split-K, aligned copies, skinny matrices",
                 .flags = RUNG_DISPATCHES,
                 .needs_compute_capability = 80},
        .run = launch_any_shape_bf16,
        .depth = gemm_depth_tensor,
        .how = how_any_shape_bf16,
        .prepare = prepare_any_shape_bf16,
    },
    CUBLAS_TENSOR_GEMM_RUNG,
};

const struct climb bfloat16_shapes = {
    .name = "any_shape",
    .idea = "kernels for particular shapes in bfloat16, and a plan for every shape",
    LADDER_RUNGS(bfloat16_shapes_rungs),
};
/* SPDX-License-Identifier: MIT */
