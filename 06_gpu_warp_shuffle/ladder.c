/* Step 06: its ladder. Everything else (options, inputs, verification, timing, report) is in common/. */
#include "library/cub.h"
#include "library/cublas.h"
#include "matrix_rungs.h"
#include "problem/reduction/reduction.h"
#include "run/step.h"

void launch_shuffle(const struct reduction *call);
void launch_two_level(const struct reduction *call);
void launch_wide(const struct reduction *call);
void launch_in_flight(const struct reduction *call);
void launch_one_launch(const struct reduction *call);
void launch_overlapped(const struct reduction *call);
void launch_bulk_copies(const struct reduction *call);

/* Several accumulators a thread, joined at the end; the last block's warp takes several numbers a
 * lane. */
static double depth_one_launch(const struct reduction *call)
{
    return depth_two_stages(call) + 32;
}

static const struct reduction_rung rungs[] = {
    {
        .rung = {"shuffle", "trees by warp shuffle, thread 0 adds up the warps"},
        .run = launch_shuffle,
        .depth = depth_two_stages,
    },
    {
        .rung = {"two_level", "the warps' results by shuffle, too"},
        .run = launch_two_level,
        .depth = depth_two_stages,
    },
    {
        .rung = {"wide", "16-byte loads, any alignment"},
        .run = launch_wide,
        .depth = depth_two_stages,
    },
    {
        .rung = {"in_flight", "four independent loads under way"},
        .run = launch_in_flight,
        .depth = depth_two_stages,
    },
    {
        .rung = {"one_launch", "the last block finishes: one launch, same bits every time"},
        .run = launch_one_launch,
        .depth = depth_one_launch,
    },
    {
        .rung = {"overlapped", "the next launch begins while this one ends",
                 .needs_compute_capability = 90},
        .run = ON_CUDA(launch_overlapped),
        .depth = depth_one_launch,
    },
    {
        .rung = {"bulk_copies", "the copy engine fills a ring of tiles in shared memory",
                 .needs_compute_capability = 90},
        .run = ON_CUDA(launch_bulk_copies),
        .depth = depth_one_launch,
    },
    CUBLAS_DOT_RUNG,
    CUB_RUNG,
};

static const struct ladder vectors = {
    .name = "vectors",
    .idea = "Reduction in registers: warp shuffles",
    .kind = &reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&vectors, &rows, &columns};

const struct step step = {
    .name = "06_gpu_warp_shuffle",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
