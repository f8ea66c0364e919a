/* Verifies a rung on one input. */
#ifndef RUNGS_VERIFY_H
#define RUNGS_VERIFY_H

#include "measure/trial.h"
#include "problem/problem.h"

/* Repeats what the trial has timed, after the output was filled with NaN, and judges it. This
 * checks that the timed work is the verified work. Returns the same as verify_rung. */
bool verify_after_timing(struct problem *problem, const struct rung *rung, struct trial *trial,
                         struct comparison *comparison, struct error *error);

/* Runs the rung on the inputs that are loaded, and judges its answer: fills the output with NaN,
 * prepares, runs, waits, compares. A wrong answer is not an error: the function returns false only
 * if a device call failed. */
bool verify_rung(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                 struct error *error);

/* The rung that is running, or for which a device call failed; NULL: none. */
const struct rung *verify_running(void);

#endif
/* SPDX-License-Identifier: MIT */
