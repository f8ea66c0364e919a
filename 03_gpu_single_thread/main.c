/* Step 03: the table of rungs. Everything else is rungs_main's, in common/. */
#include "step.h"

void launch_single_thread(const struct reduction *call);

static const struct rung rungs[] = {
    {
        .name = "single_thread",
        .idea = "the CPU's loop on one GPU thread",
        .run.reduce = launch_single_thread,
        .depth.reduce = depth_serial,
    },
};

const struct step step = {
    .name = "03_gpu_single_thread",
    .idea = "Reduction on a single GPU thread: what a GPU is not",
    .family = &reduction_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
