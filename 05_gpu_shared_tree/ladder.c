/* Step 05: the table of its rungs. Everything else (options, inputs, verification, timing, report)
 * is in common/. */
#include "library/cub.h"
#include "library/cublas.h"
#include "problem/reduction/reduction.h"
#include "run/step.h"

void launch_serial(const struct reduction *call);
void launch_wide_indices(const struct reduction *call);
void launch_interleaved(const struct reduction *call);
void launch_strided(const struct reduction *call);
void launch_sequential(const struct reduction *call);
void launch_any_size(const struct reduction *call);
void launch_first_add(const struct reduction *call);
void launch_last_warp(const struct reduction *call);
void launch_unrolled_tree(const struct reduction *call);
void launch_vectorized(const struct reduction *call);
void launch_tree_atomic(const struct reduction *call);

/* As depth_two_stages, with 255 additions in a row instead of each of the two trees. */
static double depth_serial_finish(const struct reduction *call)
{
    return depth_two_stages(call) + 2 * (double)reduction_range(call).most_threads;
}

/* One launch and, at worst, the atomics of all blocks. */
static double depth_tree_atomic(const struct reduction *call)
{
    return depth_two_stages(call) + (double)reduction_range(call).most_blocks;
}

static const struct reduction_rung rungs[] = {
    {
        .rung = {.name = "serial", .idea = "thread 0 adds the partial results"},
        .run = launch_serial,
        .depth = depth_serial_finish,
        .shape = TAKES_ANY,
    },
    {
        .rung = {.name = "wide_indices",
                 .idea = "tree over neighbours, tid % (2 * stride), with 64-bit indices"},
        .run = launch_wide_indices,
        .depth = depth_two_stages,
        .shape = TAKES_TREE,
    },
    {
        .rung = {.name = "interleaved", .idea = "the same with 32-bit indices: mostly idle lanes"},
        .run = launch_interleaved,
        .depth = depth_two_stages,
        .shape = TAKES_TREE,
    },
    {
        .rung = {.name = "strided",
                 .idea = "the same tree by the first threads, 2 * stride * tid: bank conflicts"},
        .run = launch_strided,
        .depth = depth_two_stages,
        .shape = TAKES_TREE,
    },
    {
        .rung = {.name = "sequential",
                 .idea = "tree over halves: neighbouring threads, neighbouring words"},
        .run = launch_sequential,
        .depth = depth_two_stages,
        .shape = TAKES_TREE,
    },
    {
        .rung = {.name = "any_size", .idea = "the same for any number of threads in a block"},
        .run = launch_any_size,
        .depth = depth_two_stages,
        .shape = TAKES_ANY,
    },
    {
        .rung = {.name = "first_add", .idea = "two elements per iteration: two loads in flight"},
        .run = launch_first_add,
        .depth = depth_two_stages,
        .shape = TAKES_TREE,
    },
    {
        .rung = {.name = "last_warp", .idea = "the last six rounds by one warp, with __syncwarp"},
        .run = launch_last_warp,
        .depth = depth_two_stages,
        .shape = TAKES_TREE | TWO_WARPS,
    },
    {
        .rung = {.name = "unrolled_tree",
                 .idea = "block size known at compile time: rounds without a loop"},
        .run = launch_unrolled_tree,
        .depth = depth_two_stages,
        .shape = TAKES_GRID,
    },
    {
        .rung = {.name = "vectorized", .idea = "16-byte loads, any alignment"},
        .run = launch_vectorized,
        .depth = depth_two_stages,
        .shape = TAKES_GRID,
    },
    {
        .rung = {.name = "tree_atomic",
                 .idea = "one atomic per block instead of the second launch",
                 .flags = RUNG_NONDETERMINISTIC | RUNG_FLUSHES_SUBNORMALS},
        .run = launch_tree_atomic,
        .depth = depth_tree_atomic,
        .shape = TAKES_GRID,
    },
    CUBLAS_DOT_RUNG,
    CUB_RUNG,
};

static const struct ladder ladder = {
    .idea = "Reduction in shared memory: divergence, bank conflicts, idle threads, unrolling",
    .lesson = "conflicts lanes barriers",
    .kind = &block_reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&ladder};

const struct step step = {
    .name = "05_gpu_shared_tree",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
/* SPDX-License-Identifier: MIT */
