/* Verifies rungs on small problems, in addition to the one that was asked for.
 *
 * The default sizes are powers of two, and a run has one operator and one type. A rung that forgets
 * the last elements of an odd size, or adds instead of keeping the larger value, would pass. The
 * small problems (set_small of struct problem_kind) leave tails, have unaligned inputs, and use
 * each operator and type in turn. Together they take a fraction of a second. */
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
    char problem[80]; /* "" if it was right with all of them, or was not verified */
    struct comparison comparison;
    const char *same_kernels; /* instead of a wrong result: the rung with the same kernels; NULL */
    bool is_reached;          /* verified with at least one of them */
};

/* Whether the rung is verified on the small problem. Libraries are not, because they may have to be
 * tuned for each problem; nor are lessons, which are wrong on purpose, nor rungs that decline it.
 * If the problem is for the rest, rungs that were reached before are not verified either. */
bool small_is_for(const struct problem_options *options, const struct problem *problem,
                  const struct rung *rung, const struct machine *machine, bool is_reached);

/* The machine that the small problem is for. It may have fewer SMs. */
struct machine small_machine(const struct problem_options *options, const struct machine *machine);

/* Verifies the rungs, of the options' ladder, on all small problems of its kind, on probes and real
 * data. Rungs whose row is already wrong are not verified. Returns an array with an element per
 * rung; free it. NULL, and *error, if a device call failed or there is no memory. */
struct small_outcome *small_verify(const struct options *options, const struct machine *machine,
                                   const struct rung *const rungs[], const struct result rows[],
                                   size_t count, struct error *error);

#endif
/* SPDX-License-Identifier: MIT */
