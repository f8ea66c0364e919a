/* Step 01: the table of its rungs. Everything else (options, inputs, verification, timing, report)
 * is in common/. */
#include "ladder.h"
#include "library/openblas.h"
#include "run/step.h"

static const struct reduction_rung rungs[] = {
    {
        .rung = {.name = "dynamic",
                 .idea = "one loop over values whose type is found out at every operation"},
        .run = run_dynamic,
        .depth = depth_serial,
        .how = how_chain,
    },
    {
        .rung = {.name = "naive", .idea = "one loop, one accumulator, types known to the compiler"},
        .run = run_naive,
        .depth = depth_serial,
        .how = how_chain,
    },
    {
        .rung = {.name = "map_reduce_pointers",
                 .idea = "the loop written once, operator and type given as functions"},
        .run = run_map_reduce_pointers,
        .depth = depth_serial,
        .how = how_chain,
    },
    {
        .rung = {.name = "map_reduce_inline",
                 .idea = "the same where the compiler sees loop and functions together"},
        .run = run_map_reduce_inline,
        .depth = depth_serial,
        .how = how_chain,
    },
    {
        .rung = {.name = "wider_accumulator", .idea = "an accumulator of the next wider type"},
        .run = run_wider_accumulator,
        .depth = depth_wider_accumulator,
        .how = how_wider_accumulator,
    },
    {
        .rung = {.name = "pairwise", .idea = "two halves, each in the same way, down to a block"},
        .run = run_pairwise,
        .depth = depth_pairwise,
        .how = how_pairwise,
    },
    {
        .rung = {.name = "compensated",
                 .idea = "what rounding took, given back at the next addition (Kahan)"},
        .run = run_compensated,
        .depth = depth_compensated,
        .how = how_compensated,
    },
    {
        .rung = {.name = "unrolled",
                 .idea = "eight accumulators: additions that do not wait for each other"},
        .run = run_unrolled,
        .depth = depth_unrolled,
        .how = how_unrolled,
    },
    {
        .rung = {.name = "narrow_indices",
                 .idea = "the same with unsigned indices of 32 bits: they may wrap around"},
        .run = run_narrow_indices,
        .depth = depth_unrolled,
        .how = how_unrolled,
        .declines = declines_narrow_indices,
    },
    {
        .rung = {.name = "checked", .idea = "unrolled with every index checked against the length"},
        .run = run_checked,
        .depth = depth_unrolled,
        .how = how_unrolled,
    },
    {
        .rung = {.name = "openblas",
                 .idea = "the library, on one thread",
                 .flags = RUNG_LIBRARY,
                 .unavailable = openblas_unavailable},
        .run = run_openblas,
        .depth = openblas_depth,
        .how = how_openblas,
        .declines = openblas_declines,
    },
};

static const struct ladder ladder = {
    .idea = "Reduction on one CPU thread, as one first writes it, and what that costs",
    .kind = &reduction_kind,
    .back_end = &cpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&ladder};

const struct step step = {
    .name = "01_cpu_naive",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
/* SPDX-License-Identifier: MIT */
