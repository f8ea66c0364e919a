/* Step 08: any_shape, which runs the fastest rung for a problem, and the library. */
#include "any_shape/any_shape.h"
#include "ladders.h"
#include "library/cudnn.h"

static const struct conv_rung rungs[] = {
    {
        .rung = {.name = "any_shape",
                 .idea = "the fastest rung without tensor cores, by estimates",
                 .flags = RUNG_OTHER_ARITHMETIC | RUNG_DISPATCHES},
        .run = launch_any_shape,
        .depth = depth_any_shape,
        .takes_groups = true,
        .prepare = prepare_any_shape,
        .declines = declines_any_shape,
        .magnitude = magnitude_any_shape,
        .rounds_whole_numbers = true,
        .how = how_any_shape,
    },
    {
        .rung = {.name = "any_shape_3xtf32",
                 .idea = "the fastest of all rungs, by estimates",
                 .flags = RUNG_OTHER_ARITHMETIC | RUNG_DISPATCHES,
                 .needs_compute_capability = 90},
        .run = launch_any_shape_3xtf32,
        .depth = depth_any_shape_3xtf32,
        .takes_groups = true,
        .prepare = prepare_any_shape_3xtf32,
        .declines = declines_any_shape_3xtf32,
        .magnitude = magnitude_any_shape_3xtf32,
        .rounds_whole_numbers = true,
        .how = how_any_shape_3xtf32,
    },
    CUDNN_RUNG,
};

const struct climb any_shape_ladder = {
    .name = "any_shape",
    .idea = "the fastest rung for each problem, by estimates",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
