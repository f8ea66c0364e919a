/* Step 04: the table of its rungs. Everything else (options, inputs, verification, timing, report)
 * is in common/. */
#include "library/cub.h"
#include "library/cublas.h"
#include "problem/reduction/reduction.h"
#include "run/step.h"

void launch_race(const struct reduction *call);
void launch_atomic_element(const struct reduction *call);
void launch_one_block(const struct reduction *call);
void launch_slices(const struct reduction *call);
void launch_atomic_thread(const struct reduction *call);
void launch_atomic_block(const struct reduction *call);

/* A thread's own additions, then the atomics. Their order is unknown. At worst an element of the
 * first thread goes through all of them. */
static double depth_of(size_t n, size_t threads, size_t atomics)
{
    return (double)(n / threads + 1) + (double)atomics;
}

static double depth_one_block(const struct reduction *call)
{
    const struct launch_range range = reduction_range(call);
    return depth_of(call->n, range.least_threads, range.most_threads);
}

static double depth_atomic_thread(const struct reduction *call)
{
    const struct launch_range range = reduction_range(call);
    return depth_of(call->n, range.least_blocks * range.least_threads,
                    range.most_blocks * range.most_threads);
}

/* A slice is rounded up, which can add one element to a thread's part. */
static double depth_slices(const struct reduction *call)
{
    return depth_atomic_thread(call) + 1;
}

/* At worst an element goes through all atomics of its block, then through those of all blocks. */
static double depth_atomic_block(const struct reduction *call)
{
    const struct launch_range range = reduction_range(call);
    return depth_of(call->n, range.least_blocks * range.least_threads,
                    range.most_threads + range.most_blocks);
}

static const struct reduction_rung rungs[] = {
    {
        .rung = {.name = "race",
                 .idea = "one block, all threads add to the result: updates are lost",
                 .flags = RUNG_LESSON},
        .run = launch_race,
        .depth = depth_serial,
        .shape = TAKES_BLOCK,
    },
    {
        .rung = {.name = "atomic_element",
                 .idea = "an atomic per element",
                 .flags = RUNG_NONDETERMINISTIC | RUNG_FLUSHES_SUBNORMALS},
        .run = launch_atomic_element,
        .depth = depth_serial,
        .shape = TAKES_BLOCK,
    },
    {
        .rung = {.name = "one_block",
                 .idea = "each thread sums its own elements, then one atomic",
                 .flags = RUNG_NONDETERMINISTIC | RUNG_FLUSHES_SUBNORMALS},
        .run = launch_one_block,
        .depth = depth_one_block,
        .shape = TAKES_BLOCK,
    },
    {
        .rung = {.name = "slices",
                 .idea = "the same by as many blocks as fill the GPU, a contiguous slice per block",
                 .flags = RUNG_NONDETERMINISTIC | RUNG_FLUSHES_SUBNORMALS},
        .run = launch_slices,
        .depth = depth_slices,
        .shape = TAKES_ANY,
    },
    {
        .rung = {.name = "atomic_thread",
                 .idea = "a grid-stride loop instead of slices",
                 .flags = RUNG_NONDETERMINISTIC | RUNG_FLUSHES_SUBNORMALS},
        .run = launch_atomic_thread,
        .depth = depth_atomic_thread,
        .shape = TAKES_ANY,
    },
    {
        .rung = {.name = "atomic_block",
                 .idea = "atomics in shared memory, then one per block",
                 .flags = RUNG_NONDETERMINISTIC | RUNG_FLUSHES_SUBNORMALS},
        .run = launch_atomic_block,
        .depth = depth_atomic_block,
        .shape = TAKES_ANY,
    },
    CUBLAS_DOT_RUNG,
    CUB_RUNG,
};

static const struct ladder ladder = {
    .idea = "Many threads, one result: a race, then atomics, then fewer atomics",
    .lesson = "atomics crowd blocks",
    .kind = &block_reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&ladder};

const struct step step = {
    .name = "04_gpu_atomic",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
/* SPDX-License-Identifier: MIT */
