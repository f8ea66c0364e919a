/* The command line: options that all steps have, and those of the ladder's kind of problem. */
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
    const struct ladder *ladder;     /* the step's first, or the one that --ladder selects */
    struct problem_options *problem; /* the options of the ladder's kind of problem */

    const char *rungs[MAX_RUNGS_NAMED]; /* given by --rung */
    size_t rung_count;                  /* 0: those of a ladder (options_select) */
    const struct climb *climb;          /* given by --ladder; NULL: the first */

    size_t warmup;
    size_t reps;                           /* 0: as many samples as fit in a fixed time (trial.h) */
    const char *csv, *json, *counters_csv; /* files to write, or NULL */
    const char *explore, *explore_blocks;  /* a page to write, and the blocks that it shows */
    bool histogram, chart, quiz, cold, skip_small, all;
    int counters;                              /* enum counters_format */
    size_t sweep_from, sweep_to, sweep_factor; /* sweep_factor 0: no sweep */
    int rounds;                                /* in which all rungs take samples in turn */
    int device;
};

enum options_outcome { OPTIONS_RUN, OPTIONS_DONE, OPTIONS_BAD };

/* Sets a ladder's defaults; options_free releases them. Returns false and fills *error if there is
 * no memory. */
bool options_default(struct options *options, const struct ladder *ladder, struct error *error);

/* Parses the command line. OPTIONS_DONE: the output of --help, --version or --list was printed to
 * `out`. OPTIONS_BAD: *error says what is wrong. Only OPTIONS_RUN leaves memory to free. Code:
 * EXIT_BAD_USAGE. */
enum options_outcome options_parse(int argc, char **argv, const struct step *step,
                                   struct options *options, FILE *out, struct error *error);

/* Whether rung i of the ladder is to run. If rungs are named, it is one of them. Otherwise it is on
 * the selected climb, or it dispatches or is a library of the same processor. With `all` it may
 * also be a side rung or, without --ladder, on any climb. */
bool options_select(const struct options *options, size_t i);

void options_free(struct options *options);

#endif
/* SPDX-License-Identifier: MIT */
