/* Step 05: the table of rungs. Everything else (options, inputs, verification, timing, report) is
 * rungs_main's, in common/. */
#include "step.h"

void launch_interleaved(const struct reduction *call);
void launch_strided(const struct reduction *call);
void launch_sequential(const struct reduction *call);

static const struct rung rungs[] = {
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
