/* Step 03: the table of rungs. Everything else is rungs_main's, in common/. */
#include "run/step.h"

void launch_single_thread(const struct reduction *call);
void launch_accumulators(const struct reduction *call);
void launch_loads_in_flight(const struct reduction *call);
void prepare_with_copies(const struct reduction *call);
void launch_with_copies(const struct reduction *call);
double depth_accumulators(const struct reduction *call);

static const struct rung rungs[] = {
    {
        .name = "single_thread",
        .idea = "the CPU's loop on one GPU thread",
        .run.reduce = launch_single_thread,
        .depth.reduce = depth_serial,
    },
    {
        .name = "accumulators",
        .idea = "16 accumulators: no addition waits for the one before",
        .run.reduce = launch_accumulators,
        .depth.reduce = depth_accumulators,
    },
    {
        .name = "loads_in_flight",
        .idea = "16 loads before the first addition: one wait for all of them",
        .run.reduce = launch_loads_in_flight,
        .depth.reduce = depth_accumulators,
    },
    {
        .name = "with_copies",
        .idea = "the same, with the copies that data on the host needs",
        .run.reduce = launch_with_copies,
        .depth.reduce = depth_accumulators,
        .prepare.reduce = prepare_with_copies,
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
