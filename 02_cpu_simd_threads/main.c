/* Step 02: the table of rungs. Everything else is rungs_main's, in common/. */
#include "step.h"

void run_simd(const struct reduction *call);
void run_threads(const struct reduction *call);
double depth_simd(const struct reduction *call);
double depth_threads(const struct reduction *call);

static const struct rung rungs[] = {
    {
        .name = "simd",
        .idea = "independent accumulators, which the compiler maps to SIMD lanes",
        .run.reduce = run_simd,
        .depth.reduce = depth_simd,
    },
    {
        .name = "threads",
        .idea = "the same on several threads, a share of the input each",
        .run.reduce = run_threads,
        .depth.reduce = depth_threads,
    },
};

const struct step step = {
    .name = "02_cpu_simd_threads",
    .idea = "Reduction with SIMD lanes and threads on the CPU",
    .family = &reduction_family,
    .back_end = &cpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
