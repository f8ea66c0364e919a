/* Step 08: convolution in float32 on tensor cores. */
#include "ladders.h"
#include "rungs.h"
#include "winograd/parts/bound.h"

static const struct conv_rung rungs[] = {
    {
        .rung = {.name = "tensor_3xtf32",
                 .idea = "3x3: tensor cores, each number as the sum of two TF32 numbers",
                 .flags = RUNG_OTHER_ARITHMETIC,
                 .needs_compute_capability = 80},
        .run = launch_tensor,
        .depth = depth_tensor,
        .prepare = prepare_tensor,
        .declines = declines_tensor,
    },
    {
        .rung = {.name = "implicit_3xtf32",
                 .idea = "any filter: the same, as a matrix product of warpgroups",
                 .flags = RUNG_OTHER_ARITHMETIC,
                 .needs_compute_capability = 90},
        .run = launch_implicit_3xtf32,
        .depth = depth_implicit_3xtf32,
        .takes_groups = true,
        .prepare = prepare_implicit_3xtf32,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "winograd_3xtf32",
                 .idea = "3x3 and 5x5: winograd_4x4 with the products of implicit_3xtf32",
                 .flags = RUNG_OTHER_ARITHMETIC,
                 .needs_compute_capability = 90},
        .run = launch_winograd_3xtf32,
        .depth = winograd_3xtf32_depth,
        .prepare = prepare_winograd_3xtf32,
        .declines = declines_winograd_4x4,
        .magnitude = winograd4_magnitude,
        .rounds_whole_numbers = true,
    },
};

const struct climb tensor_cores_ladder = {
    .name = "tensor_cores",
    .idea = "each number as the sum of two TF32 numbers",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
