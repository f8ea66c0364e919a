/* Step 06: the table of the rungs that reduce a vector. rows_ladder.c and columns_ladder.c have
 * those for a matrix, several_ladder.c those for several GPUs. Everything else is in common/. */
#include "library/cub.h"
#include "library/cublas.h"
#include "problem/reduction/reduction.h"
#include "run/step.h"

extern const struct ladder rows, columns, vectors_on_gpus;

void launch_shuffle(const struct reduction *call);
void launch_two_level(const struct reduction *call);
void launch_vectorized(const struct reduction *call);
void launch_in_flight(const struct reduction *call);
void launch_block_atomic(const struct reduction *call);
void launch_one_launch(const struct reduction *call);
void launch_shape_by_size(const struct reduction *call);
void launch_overlapped(const struct reduction *call);
void launch_bulk_copies(const struct reduction *call);
const char *declines_bulk_copies(const struct reduction *call);

/* One launch and, at worst, the atomics of all blocks. */
static double depth_block_atomic(const struct reduction *call)
{
    return depth_two_stages(call) + (double)reduction_range(call).most_blocks;
}

/* More than depth_two_stages, because a thread's accumulators are combined at the end, and a lane
 * of the last block combines several blocks' numbers. */
static double depth_one_launch(const struct reduction *call)
{
    return depth_two_stages(call) + 32;
}

static const struct reduction_rung rungs[] = {
    {
        .rung = {.name = "shuffle", .idea = "trees by warp shuffle, thread 0 adds up the warps"},
        .run = launch_shuffle,
        .depth = depth_two_stages,
        .shape = TAKES_GRID,
    },
    {
        .rung = {.name = "two_level", .idea = "also the warps' results by shuffle"},
        .run = launch_two_level,
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
        .rung = {.name = "in_flight", .idea = "four independent loads in flight"},
        .run = launch_in_flight,
        .depth = depth_two_stages,
        .shape = TAKES_GRID,
    },
    {
        .rung = {.name = "block_atomic",
                 .idea = "one atomic per block instead of the second launch",
                 .flags = RUNG_NONDETERMINISTIC | RUNG_FLUSHES_SUBNORMALS},
        .run = launch_block_atomic,
        .depth = depth_block_atomic,
        .shape = TAKES_GRID,
    },
    {
        .rung = {.name = "one_launch",
                 .idea = "the last block finishes: one launch, same bits every time"},
        .run = launch_one_launch,
        .depth = depth_one_launch,
        .shape = TAKES_GRID,
    },
    {
        .rung = {.name = "shape_by_size",
                 .idea = "block size, grid and loads in flight chosen by n"},
        .run = launch_shape_by_size,
        .depth = depth_one_launch,
        .shape = CHOOSES_SHAPE,
    },
    {
        .rung = {.name = "overlapped",
                 .idea = "the next launch begins while this one ends",
                 .needs_compute_capability = 90},
        .run = launch_overlapped,
        .depth = depth_one_launch,
        .shape = CHOOSES_SHAPE,
    },
    {
        .rung = {.name = "bulk_copies",
                 .idea = "the TMA fills a ring of tiles in shared memory",
                 .needs_compute_capability = 90},
        .run = launch_bulk_copies,
        .declines = declines_bulk_copies,
        .depth = depth_one_launch,
        .shape = CHOOSES_SHAPE,
    },
    CUBLAS_DOT_RUNG,
    CUB_RUNG,
};

static const struct ladder vectors = {
    .name = "vectors",
    .idea = "Reduction in registers: warp shuffles",
    .lesson = "shared launches loads",
    .kind = &grid_reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&vectors, &rows, &columns, &vectors_on_gpus};

const struct step step = {
    .name = "06_gpu_warp_shuffle",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
/* SPDX-License-Identifier: MIT */
