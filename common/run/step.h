/* A step: its ladders and one call. See 05_gpu_shared_tree/ladder.c for the model. */
#ifndef RUNGS_STEP_H
#define RUNGS_STEP_H

#include <stddef.h>

#include "device/back_end.h"
#include "problem/problem.h"
#include "problem/rung.h"

/* One problem of a step with its table of rungs, in the order in which they are climbed. */
struct ladder {
    const char *name; /* what --ladder selects it by; NULL in a step with one ladder only */
    const char *idea;
    const struct problem_kind *kind;
    const struct back_end *back_end;
    const void *rungs; /* an array of the kind's own kind of rung: LADDER_RUNGS, ladder_rung */
    size_t rung_size, rung_count;
};

/* The members of a ladder that hold its table, an array of one kind of rung. */
#define LADDER_RUNGS(table)                                                                        \
    .rungs = (table), .rung_size = sizeof(table)[0], .rung_count = sizeof(table) / sizeof(table)[0]

static inline const struct rung *ladder_rung(const struct ladder *ladder, size_t i)
{
    return (const struct rung *)((const char *)ladder->rungs + i * ladder->rung_size);
}

struct step {
    const char *name;                    /* the directory's */
    const struct ladder *const *ladders; /* the first is the one without --ladder */
    size_t ladder_count;
};

/* Defined by the step's ladder.c; run/main.c and the step's tests take it from there. */
extern const struct step step;

/* All of a step's program: options, inputs, verification, timing, report. Returns the exit code. */
int rungs_main(int argc, char **argv, const struct step *step);

#endif
