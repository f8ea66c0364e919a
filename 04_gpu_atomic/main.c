/* Step 04: the table of rungs. Everything else is rungs_main's, in common/. */
#include "library/gpu_libraries.h"
#include "run/step.h"

void launch_race(const struct reduction *call);
void launch_atomic_element(const struct reduction *call);
void launch_one_block(const struct reduction *call);
void launch_atomic_thread(const struct reduction *call);
void launch_atomic_block(const struct reduction *call);
double depth_one_block(const struct reduction *call);
double depth_atomic_thread(const struct reduction *call);
double depth_atomic_block(const struct reduction *call);

static const struct rung rungs[] = {
    {
        .name = "race",
        .idea = "one block, all threads add to the result: updates are lost",
        .run.reduce = launch_race,
        .depth.reduce = depth_serial,
        .flags = RUNG_LESSON,
    },
    {
        .name = "atomic_element",
        .idea = "an atomic for every element",
        .run.reduce = launch_atomic_element,
        .depth.reduce = depth_serial,
        .flags = RUNG_NONDETERMINISTIC,
    },
    {
        .name = "one_block",
        .idea = "each thread adds up its own elements, then one atomic",
        .run.reduce = launch_one_block,
        .depth.reduce = depth_one_block,
        .flags = RUNG_NONDETERMINISTIC,
    },
    {
        .name = "atomic_thread",
        .idea = "the same by as many blocks as fill the GPU",
        .run.reduce = launch_atomic_thread,
        .depth.reduce = depth_atomic_thread,
        .flags = RUNG_NONDETERMINISTIC,
    },
    {
        .name = "atomic_block",
        .idea = "atomics in shared memory, then one for each block",
        .run.reduce = launch_atomic_block,
        .depth.reduce = depth_atomic_block,
        .flags = RUNG_NONDETERMINISTIC,
    },
    CUBLAS_RUNG,
    CUB_RUNG,
};

const struct step step = {
    .name = "04_gpu_atomic",
    .idea = "Many threads, one result: a race, then atomics, then fewer atomics",
    .family = &reduction_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
