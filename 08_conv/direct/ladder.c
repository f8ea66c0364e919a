/* Step 08: the ladder of direct convolution. */
#include "ladders.h"
#include "rungs.h"

static const struct conv_rung rungs[] = {
    {
        .rung = {.name = "naive",
                 .idea = "one thread per output, x along threadIdx.x: two loads per product"},
        .run = launch_conv_naive,
        .depth = conv_depth_serial,
        .takes_groups = true,
    },
    {
        .rung = {.name = "constant_filter",
                 .idea = "weights from constant memory, one load for a whole warp"},
        .run = launch_constant_filter,
        .depth = conv_depth_serial,
        .declines = declines_constant_filter,
    },
    {
        .rung = {.name = "shared_tile",
                 .idea = "the inputs of 32 x 8 outputs in shared memory, with their halo"},
        .run = launch_conv_shared_tile,
        .depth = conv_depth_serial,
        .declines = declines_conv_shared_tile,
    },
    {
        .rung = {.name = "shared_filters",
                 .idea = "8 filters per thread, their weights also in shared memory"},
        .run = launch_shared_filters,
        .depth = conv_depth_serial,
        .declines = declines_shared_filters,
    },
    {
        .rung = {.name = "register_tile",
                 .idea = "3x3: 4 x 2 outputs per thread, their inputs in registers for nine taps"},
        .run = launch_conv_register_tile,
        .depth = conv_depth_serial,
        .declines = declines_register_tile,
    },
    {
        .rung = {.name = "async_tile",
                 .idea = "3x3: the next channels are copied while these are multiplied"},
        .run = launch_async_tile,
        .depth = conv_depth_serial,
        .prepare = prepare_planned_copies,
        .declines = declines_register_tile,
    },
    {
        .rung = {.name = "planned_copies",
                 .idea = "3x3: addresses of copies computed once; up to 16 bytes per copy"},
        .run = launch_planned_copies,
        .depth = conv_depth_serial,
        .prepare = prepare_planned_copies,
        .declines = declines_planned_copies,
    },
    {
        .rung = {.name = "direct",
                 .idea = "3x3: tiles as wide as the image allows, each for 8, 16 or 24 filters",
                 .same_kernels_as = "planned_copies",
                 .same_kernels_because = "the kernel is given the width of its tiles"},
        .run = launch_direct,
        .depth = conv_depth_serial,
        .prepare = prepare_direct,
        .declines = declines_direct,
    },
};

const struct climb direct_ladder = {
    .name = "direct",
    .idea = "tiles in shared memory and in registers, planned copies",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
