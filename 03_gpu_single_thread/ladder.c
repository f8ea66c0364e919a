/* Step 03: the table of its rungs. Everything else (options, inputs, verification, timing, report)
 * is in common/. */
#include "problem/reduction/reduction.h"
#include "run/step.h"
#include "single_thread.h"

void launch_single_thread(const struct reduction *call);
void launch_accumulators(const struct reduction *call);
void launch_loads_in_flight(const struct reduction *call);
void prepare_with_copies(const struct reduction *call);
void launch_with_copies(const struct reduction *call);

/* The longest chain is that of the first accumulator: its own elements, then the elements left
 * over, then the other accumulators. */
static double depth_accumulators(const struct reduction *call)
{
    return (double)(call->n / ACCUMULATORS) + (double)(call->n % ACCUMULATORS) + (ACCUMULATORS - 1);
}

static const struct reduction_rung rungs[] = {
    {
        .rung = {.name = "single_thread", .idea = "the CPU's loop on one GPU thread"},
        .run = launch_single_thread,
        .depth = depth_serial,
    },
    {
        .rung = {.name = "accumulators",
                 .idea = "16 accumulators: no addition waits for the one before"},
        .run = launch_accumulators,
        .depth = depth_accumulators,
    },
    {
        .rung = {.name = "loads_in_flight",
                 .idea = "16 loads before the first addition: one wait for all of them"},
        .run = launch_loads_in_flight,
        .depth = depth_accumulators,
    },
    {
        .rung = {.name = "with_copies",
                 .idea = "the same, with the copies that data on the host needs",
                 .same_kernels_as = "loads_in_flight",
                 .same_kernels_because = "the idea is the copies before and after the kernel"},
        .run = launch_with_copies,
        .depth = depth_accumulators,
        .prepare = prepare_with_copies,
    },
};

static const struct ladder ladder = {
    .idea = "Reduction on a single GPU thread: what a GPU is not",
    .lesson = "lanes loads needed",
    .kind = &reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&ladder};

const struct step step = {
    .name = "03_gpu_single_thread",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
/* SPDX-License-Identifier: MIT */
