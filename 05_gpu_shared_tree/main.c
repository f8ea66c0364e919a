/* Step 05: the table of rungs. Everything else (options, inputs, verification, timing, report) is
 * rungs_main's, in common/. */
#include "library/gpu_libraries.h"
#include "run/step.h"

void launch_serial(const struct reduction *call);
void launch_interleaved(const struct reduction *call);
void launch_strided(const struct reduction *call);
void launch_sequential(const struct reduction *call);
void launch_first_add(const struct reduction *call);
void launch_last_warp(const struct reduction *call);
void launch_unrolled_tree(const struct reduction *call);
void launch_vectorized(const struct reduction *call);

/* depth_two_stages with 255 additions in a row in place of each of the two trees. */
static double depth_serial_finish(const struct reduction *call)
{
    return depth_two_stages(call) + 2 * REDUCTION_BLOCK;
}

static const struct rung rungs[] = {
    {
        .name = "serial",
        .idea = "thread 0 adds up the partial results",
        .run.reduce = launch_serial,
        .depth.reduce = depth_serial_finish,
    },
    {
        .name = "interleaved",
        .idea = "tree over neighbours, tid % (2 * stride): divergence",
        .run.reduce = launch_interleaved,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "strided",
        .idea = "the same tree by the first threads, 2 * stride * tid: bank conflicts",
        .run.reduce = launch_strided,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "sequential",
        .idea = "tree over halves: neighbouring threads, neighbouring words",
        .run.reduce = launch_sequential,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "first_add",
        .idea = "two elements an iteration: fewer idle threads",
        .run.reduce = launch_first_add,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "last_warp",
        .idea = "the last six rounds by one warp, with __syncwarp",
        .run.reduce = launch_last_warp,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "unrolled_tree",
        .idea = "the block size known when compiled: the rounds without a loop",
        .run.reduce = launch_unrolled_tree,
        .depth.reduce = depth_two_stages,
    },
    {
        .name = "vectorized",
        .idea = "16-byte loads, any alignment",
        .run.reduce = launch_vectorized,
        .depth.reduce = depth_two_stages,
    },
    CUBLAS_RUNG,
    CUB_RUNG,
};

const struct step step = {
    .name = "05_gpu_shared_tree",
    .idea = "Reduction in shared memory: divergence, bank conflicts, idle threads, unrolling",
    .family = &reduction_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
