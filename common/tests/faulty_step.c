/* A step with wrong kernels, for test_cli.c, which tests what its program says about them and about
 * the other rungs. */
#include "problem/reduction/reduction.h"
#include "run/step.h"

void launch_right(const struct reduction *call);
void launch_races(const struct reduction *call);
void launch_crashes_later(const struct reduction *call);
void launch_crashes(const struct reduction *call);
void launch_deadlocks(const struct reduction *call);

static const char *declines(const struct reduction *call)
{
    return call->op != OP_DOT || call->type != TYPE_F32 ? "is for dot products of floats" : NULL;
}

#define RUNG(title)                                                                                \
    {                                                                                              \
        .rung = {.name = #title,                                                                   \
                 .idea = "",                                                                       \
                 .same_kernels_as = "right",                                                       \
                 .same_kernels_because = ""},                                                      \
        .run = launch_##title, .depth = depth_serial, .declines = declines                         \
    }
static const struct reduction_rung rungs[] = {
    RUNG(right), RUNG(races), RUNG(crashes_later), RUNG(crashes), RUNG(deadlocks),
};

static const struct ladder ladder = {
    .idea = "Faults of kernels",
    .kind = &reduction_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&ladder};

const struct step step = {.name = "faulty_step", .ladders = ladders, .ladder_count = 1};
/* SPDX-License-Identifier: MIT */
