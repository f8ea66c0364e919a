/* Step 06: the table of rungs that reduce a vector. Those for the rows and columns of a matrix are in
 * rows_ladder.c and columns_ladder.c. Everything else is rungs_main's, in common/. */
#include "library/gpu_libraries.h"
#include "run/step.h"

extern const struct step step_of_rows, step_of_columns;

void launch_shuffle(const struct reduction *call);
void launch_two_level(const struct reduction *call);
void launch_vectorized(const struct reduction *call);
void launch_in_flight(const struct reduction *call);
void launch_one_launch(const struct reduction *call);
void launch_shape_by_size(const struct reduction *call);
void launch_overlapped(const struct reduction *call) CUDA_ONLY;
void launch_bulk_copies(const struct reduction *call) CUDA_ONLY;

/* More than depth_two_stages: the accumulators of a thread are combined at the end, and the last
 * block's warp takes several numbers a lane. */
static double depth_one_launch(const struct reduction *call)
{
    return depth_two_stages(call) + 32;
}

static const struct rung rungs[] = {
    {
        .name = "shuffle",
        .idea = "trees by warp shuffle, thread 0 adds up the warps",
        .run.reduce = launch_shuffle,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "two_level",
        .idea = "the warps' results by shuffle, too",
        .run.reduce = launch_two_level,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "vectorized",
        .idea = "16-byte loads, any alignment",
        .run.reduce = launch_vectorized,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "in_flight",
        .idea = "four independent loads in flight",
        .run.reduce = launch_in_flight,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "one_launch",
        .idea = "the last block finishes: one launch, same bits every time",
        .run.reduce = launch_one_launch,
        .depth.reduce = depth_one_launch,
    },
    {
        .name = "shape_by_size",
        .idea = "block size, grid and loads in flight chosen by n",
        .run.reduce = launch_shape_by_size,
        .depth.reduce = depth_one_launch,
    },
    {
        .name = "overlapped",
        .idea = "the next launch begins while this one ends",
        .run.reduce = launch_overlapped,
        .depth.reduce = depth_one_launch,
        .needs_compute_capability = 90,
    },
    {
        .name = "bulk_copies",
        .idea = "the TMA fills a ring of tiles in shared memory",
        .run.reduce = launch_bulk_copies,
        .depth.reduce = depth_one_launch,
        .needs_compute_capability = 90,
    },
    CUBLAS_RUNG,
    CUB_RUNG,
};

const struct step step = {
    .name = "06_gpu_warp_shuffle",
    .idea = "Reduction in registers: warp shuffles",
    .family = &reduction_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
    .rows = &step_of_rows, /* with --axis */
    .columns = &step_of_columns,
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
