/* Step 06: the table of rungs. Everything else is rungs_main's, in common/. */
#include "step.h"

void launch_shuffle(const struct reduction *call);

static const struct rung rungs[] = {
    {
        .name = "shuffle",
        .idea = "trees by warp shuffle, shared memory only between warps",
        .run.reduce = launch_shuffle,
        .depth.reduce = depth_two_stages,
    },
};

const struct step step = {
    .name = "06_gpu_warp_shuffle",
    .idea = "Reduction in registers: warp shuffles",
    .family = &reduction_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
