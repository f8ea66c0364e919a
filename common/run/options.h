/* Command-line options, the same in all steps but for the problem's own (getopt_long). */
#ifndef RUNGS_OPTIONS_H
#define RUNGS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "device/back_end.h"
#include "problem/problem.h"
#include "run/step.h"

enum { MAX_RUNGS_NAMED = 64 };

struct options {
    const struct ladder *ladder;     /* the step's first, or the one that --ladder names */
    struct problem_options *problem; /* of the ladder's kind */

    const char *rungs[MAX_RUNGS_NAMED];
    size_t rung_count; /* 0: all */

    size_t warmup;
    size_t reps; /* 0: as many samples as fit in a fixed time (trial.h) */
    const char *csv, *json;
    bool histogram, cold;
    int counters;                              /* enum counters_format */
    size_t sweep_from, sweep_to, sweep_factor; /* sweep_factor 0: no sweep */
    int device;
};

enum options_outcome { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_BAD };

/* The defaults of a ladder, before any argument is read; options_free releases them. NULL memory ends
 * the program as every allocation at its start does: false and *error. */
bool options_default(struct options *options, const struct ladder *ladder, struct error *error);

/* OPTIONS_DONE: --help, --version or --list printed to `out` what was asked for. Only after OPTIONS_RUN
 * is there something to free. Code: EXIT_BAD_USAGE. */
enum options_outcome options_parse(int argc, char **argv, const struct step *step,
                                   struct options *options, FILE *out, struct error *error);

void options_free(struct options *options);

#endif
