/* Step 08: Winograd's convolution. */
#include "ladders.h"
#include "rungs.h"
#include "winograd/parts/bound.h"

static const struct conv_rung rungs[] = {
    {
        .rung = {.name = "winograd",
                 .idea = "3x3: F(2x2, 3x3), 16 multiplications instead of 36, in one kernel",
                 .flags = RUNG_OTHER_ARITHMETIC},
        .run = launch_winograd,
        .depth = winograd_depth,
        .prepare = prepare_winograd,
        .declines = declines_winograd,
        .magnitude = winograd_magnitude,
    },
    {
        .rung = {.name = "winograd_2x2",
                 .idea = "3x3: winograd in three kernels, its products as matrix products",
                 .flags = RUNG_OTHER_ARITHMETIC},
        .run = launch_winograd_2x2,
        .depth = winograd_depth,
        .prepare = prepare_winograd_2x2,
        .declines = declines_winograd_2x2,
        .magnitude = winograd_magnitude,
    },
    {
        .rung = {.name = "winograd_4x4",
                 .idea = "3x3 and 5x5: F(4x4, 3x3) and F(4x4, 5x5), in three kernels",
                 .flags = RUNG_OTHER_ARITHMETIC},
        .run = launch_winograd_4x4,
        .depth = winograd4_depth,
        .prepare = prepare_winograd_4x4,
        .declines = declines_winograd_4x4,
        .magnitude = winograd4_magnitude,
        .rounds_whole_numbers = true,
    },
    {
        .rung = {.name = "winograd_fused",
                 .idea = "3x3: winograd_4x4 in one kernel, through shared memory",
                 .flags = RUNG_OTHER_ARITHMETIC},
        .run = launch_winograd_fused,
        .depth = winograd4_depth,
        .prepare = prepare_winograd_fused,
        .declines = declines_winograd_fused,
        .magnitude = winograd4_magnitude,
        .rounds_whole_numbers = true,
    },
};

const struct climb winograd_ladder = {
    .name = "winograd",
    .idea = "fewer multiplications, in one kernel and in three",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
