/* A step: its ladders, and the runner. See 05_gpu_shared_tree/ladder.c for an example. */
#ifndef RUNGS_STEP_H
#define RUNGS_STEP_H

#include <stddef.h>

#include "device/back_end.h"
#include "problem/problem.h"
#include "problem/rung.h"

/* Rungs, each with one more idea than the rung before it, except for side rungs (RUNG_SIDE). If a
 * step has several climbs for one kind of problem, each has a folder of its own. */
struct climb {
    const char *name;  /* for --ladder */
    const char *idea;  /* one line, for --list */
    const void *rungs; /* array of the kind's own kind of rung: see LADDER_RUNGS, ladder_rung */
    size_t rung_size, rung_count;
};

/* All rungs for one kind of problem: in one array, or in several climbs. The first climb is the
 * default. */
struct ladder {
    const char *name; /* for --ladder (struct step); NULL if the step has only one ladder */
    const char *idea; /* one line, for --help */
    const char *with; /* the option that selects it among ladders of one name; NULL: none */
    /* The counts that answer the ladder's question, such as "conflicts lanes": tables, charts and
     * the quiz begin with them. NULL: none. */
    const char *lesson;
    const struct problem_kind *kind;
    const struct back_end *back_end;
    const void *rungs; /* as in struct climb; NULL with climbs */
    size_t rung_size, rung_count;
    const struct climb *const *climbs;
    size_t climb_count; /* 0: no climbs */
};

#define LADDER_CLIMBS(table) .climbs = (table), .climb_count = sizeof(table) / sizeof(table)[0]

/* Initializes the members rungs, rung_size and rung_count from an array of any kind of rung. */
#define LADDER_RUNGS(table)                                                                        \
    .rungs = (table), .rung_size = sizeof(table)[0], .rung_count = sizeof(table) / sizeof(table)[0]

static inline size_t ladder_rung_count(const struct ladder *ladder)
{
    size_t count = ladder->rung_count;

    for (size_t c = 0; c < ladder->climb_count; c++)
        count += ladder->climbs[c]->rung_count;
    return count;
}

/* The climb that has rung i of the ladder; NULL if the ladder has no climbs. i becomes the rung's
 * number within the climb. */
static inline const struct climb *ladder_climb(const struct ladder *ladder, size_t *i)
{
    size_t c = 0;

    if (ladder->climb_count == 0)
        return NULL;
    for (; *i >= ladder->climbs[c]->rung_count; c++)
        *i -= ladder->climbs[c]->rung_count;
    return ladder->climbs[c];
}

static inline const struct rung *ladder_rung(const struct ladder *ladder, size_t i)
{
    const struct climb *const climb = ladder_climb(ladder, &i);

    return climb != NULL
               ? (const struct rung *)((const char *)climb->rungs + i * climb->rung_size)
               : (const struct rung *)((const char *)ladder->rungs + i * ladder->rung_size);
}

struct step {
    const char *name;                    /* the name of its directory */
    const struct ladder *const *ladders; /* the first is the default */
    size_t ladder_count;
    const char *ladder_option; /* the option that names one of several ladders; NULL: "ladder" */
};

/* The step itself, defined in its ladder.c or step.c, for run/main.c and the tests of the step. */
extern const struct step step;

/* The step's program: parses options, verifies and times rungs, writes reports. Returns the exit
 * code. */
int rungs_main(int argc, char **argv, const struct step *step);

#endif
/* SPDX-License-Identifier: MIT */
