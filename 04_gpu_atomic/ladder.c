/* Step 04: its ladder. Everything else (options, inputs, verification, timing, report) is in
 * common/. */
#include "library/cub.h"
#include "library/cublas.h"
#include "problem/reduction/reduction.h"
#include "run/step.h"

void launch_race(const struct reduction *call);
void launch_atomic_element(const struct reduction *call);
void launch_one_block(const struct reduction *call);
void launch_atomic_thread(const struct reduction *call);
void launch_atomic_block(const struct reduction *call);
double depth_one_block(const struct reduction *call);
double depth_atomic_thread(const struct reduction *call);
double depth_atomic_block(const struct reduction *call);

static const struct reduction_rung rungs[] = {
    {
        .rung = {.name = "race",
                 .idea = "one block, all threads add to the result: updates are lost",
                 .flags = RUNG_LESSON},
        .run = launch_race,
        .depth = depth_serial,
    },
    {
        .rung = {.name = "atomic_element",
                 .idea = "an atomic for every element",
                 .flags = RUNG_NONDETERMINISTIC},
        .run = launch_atomic_element,
        .depth = depth_serial,
    },
    {
        .rung = {.name = "one_block",
                 .idea = "each thread sums its own elements, then one atomic",
                 .flags = RUNG_NONDETERMINISTIC},
        .run = launch_one_block,
        .depth = depth_one_block,
    },
    {
        .rung = {.name = "atomic_thread",
                 .idea = "the same by as many blocks as fill the GPU",
                 .flags = RUNG_NONDETERMINISTIC},
        .run = launch_atomic_thread,
        .depth = depth_atomic_thread,
    },
    {
        .rung = {.name = "atomic_block",
                 .idea = "atomics in shared memory, then one for each block",
                 .flags = RUNG_NONDETERMINISTIC},
        .run = launch_atomic_block,
        .depth = depth_atomic_block,
    },
    CUBLAS_DOT_RUNG,
    CUB_RUNG,
};

static const struct ladder ladder = {
    .idea = "Many threads, one result: a race, then atomics, then fewer atomics",
    .kind = &reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&ladder};

const struct step step = {
    .name = "04_gpu_atomic",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
