/* Step 08: grouped and depthwise convolution. */
#include "ladders.h"
#include "rungs.h"

static const struct conv_rung rungs[] = {
    {
        .rung = {.name = "grouped",
                 .idea = "groups, or one channel: 4 outputs per thread, one below the other"},
        .run = launch_grouped,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .declines = declines_grouped,
    },
    {
        .rung = {.name = "grouped_tile",
                 .idea = "groups, or one channel: 4 x 4 outputs per thread, 16 bytes at a time"},
        .run = launch_grouped_tile,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .declines = declines_grouped,
    },
};

const struct climb grouped_ladder = {
    .name = "grouped",
    .idea = "groups, or one channel: nothing to multiply as matrices",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
