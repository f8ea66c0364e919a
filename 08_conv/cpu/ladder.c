/* Step 08: the ladder on the CPU. */
#include "cpu/cpu.h"
#include "ladders.h"
#include "library/openblas.h"

static const struct conv_rung rungs[] = {
    {
        .rung = {.name = "cpu_loops",
                 .idea = "one CPU thread: the definition, with x as the innermost loop",
                 .flags = RUNG_HOST},
        .run = run_cpu_loops,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .declines = cpu_loops_decline,
    },
    {
        .rung = {.name = "cpu_im2col",
                 .idea = "the im2col matrix in memory, multiplied by OpenBLAS",
                 .flags = RUNG_HOST,
                 .unavailable = openblas_unavailable},
        .run = run_cpu_im2col,
        .depth = conv_depth_serial,
        .how = cpu_im2col_how,
    },
};

const struct climb cpu_ladder = {
    .name = "cpu",
    .idea = "loops, and im2col with a matrix product",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
