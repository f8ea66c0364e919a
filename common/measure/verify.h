/* Verifies a rung on one input. */
#ifndef RUNGS_VERIFY_H
#define RUNGS_VERIFY_H

#include "measure/trial.h"
#include "problem/problem.h"

/* Does once more what the trial has timed, after the output was filled with NaN, and judges it:
 * what was timed is to be what was verified. Returns as verify_rung does. */
bool verify_after_timing(struct problem *problem, const struct rung *rung, struct trial *trial,
                         struct comparison *comparison, struct error *error);

/* Runs the rung on the inputs that are loaded, and judges its answer: fills the output with NaN,
 * prepares, runs, waits, compares. A wrong answer is no error: returns false only if a device call
 * failed. */
bool verify_rung(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                 struct error *error);

/* The rung that runs, or that a device call failed for; NULL: none. */
const struct rung *verify_running(void);

#endif
/* SPDX-License-Identifier: MIT */
