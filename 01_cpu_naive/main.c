/* Step 01: the table of rungs. Everything else is rungs_main's, in common/. */
#include "library/openblas.h"
#include "ladder.h"

static const struct rung rungs[] = {
    {
        .name = "dynamic",
        .idea = "one loop over values whose type is found out at every operation",
        .run.reduce = run_dynamic,
        .depth.reduce = depth_serial,
        .how.reduce = how_chain,
    },
    {
        .name = "naive",
        .idea = "one loop, one accumulator, types known to the compiler",
        .run.reduce = run_naive,
        .depth.reduce = depth_serial,
        .how.reduce = how_chain,
    },
    {
        .name = "map_reduce_pointers",
        .idea = "the loop written once, operator and type given as functions",
        .run.reduce = run_map_reduce_pointers,
        .depth.reduce = depth_serial,
        .how.reduce = how_chain,
    },
    {
        .name = "map_reduce_inline",
        .idea = "the same where the compiler sees loop and functions together",
        .run.reduce = run_map_reduce_inline,
        .depth.reduce = depth_serial,
        .how.reduce = how_chain,
    },
    {
        .name = "wider_accumulator",
        .idea = "an accumulator of the next wider type",
        .run.reduce = run_wider_accumulator,
        .depth.reduce = depth_wider_accumulator,
        .how.reduce = how_wider_accumulator,
    },
    {
        .name = "pairwise",
        .idea = "two halves, each in the same way, down to a block",
        .run.reduce = run_pairwise,
        .depth.reduce = depth_pairwise,
        .how.reduce = how_pairwise,
    },
    {
        .name = "compensated",
        .idea = "what rounding took, given back at the next addition (Kahan)",
        .run.reduce = run_compensated,
        .depth.reduce = depth_compensated,
        .how.reduce = how_compensated,
    },
    {
        .name = "unrolled",
        .idea = "eight accumulators: additions that do not wait for each other",
        .run.reduce = run_unrolled,
        .depth.reduce = depth_unrolled,
        .how.reduce = how_unrolled,
    },
    {
        .name = "openblas",
        .idea = "the library, on one thread",
        .run.reduce = run_openblas,
        .depth.reduce = openblas_depth,
        .how.reduce = how_openblas,
        .unavailable = openblas_unavailable,
        .flags = RUNG_LIBRARY,
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
