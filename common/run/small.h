/* Verifies rungs on small problems, beside the one that was asked for.
 *
 * The default sizes are powers of two, and a run has one operator and one type: a rung that forgets
 * the last elements of an odd size, or adds where it should keep the larger, would pass. The small
 * problems (set_small of struct problem_kind) leave tails, have unaligned inputs, and take each
 * operator and type in turn; together they take a fraction of a second. */
#ifndef RUNGS_SMALL_H
#define RUNGS_SMALL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "device/back_end.h"
#include "measure/result.h"
#include "run/options.h"

/* The small problem with which a rung was wrong. */
struct small_outcome {
    char problem[80]; /* "" if it was right with all, or was not verified */
    struct comparison comparison;
    const char *same_kernels; /* instead of a wrong result: the rung that launched the same; NULL */
    bool is_reached;          /* verified with at least one of them */
};

/* Whether the rung is verified on the small problem: it is neither a library, which may have to be
 * tuned for each problem, nor a lesson, which is wrong on purpose; it does not decline it; and it
 * was not reached before, if the problem is for the rest. */
bool small_is_for(const struct problem_options *options, const struct problem *problem,
                  const struct rung *rung, const struct machine *machine, bool is_reached);

/* The machine that the small problem is for: as many multiprocessors, or fewer. */
struct machine small_machine(const struct problem_options *options, const struct machine *machine);

/* Verifies the rungs, of the options' ladder, on all small problems of its kind, on probes and real
 * data. Returns an array with an element for each, to free. What is wrong already by its row is not
 * verified here. NULL, and *error, if a device call failed or there is no memory. */
struct small_outcome *small_verify(const struct options *options, const struct machine *machine,
                                   const struct rung *const rungs[], const struct result rows[],
                                   size_t count, struct error *error);

#endif
/* SPDX-License-Identifier: MIT */
