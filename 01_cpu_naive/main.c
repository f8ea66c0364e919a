/* Step 01: the table of rungs. Everything else is rungs_main's, in common/. */
#include "step.h"

void run_naive(const struct reduction *call);

static const struct rung rungs[] = {
    {
        .name = "naive",
        .idea = "one loop, one accumulator",
        .run.reduce = run_naive,
        .depth.reduce = depth_serial,
    },
};

const struct step step = {
    .name = "01_cpu_naive",
    .idea = "Reduction on one CPU thread, as one first writes it, and what that costs",
    .family = &reduction_family,
    .back_end = &cpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
