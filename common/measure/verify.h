/* Verifies a rung on one input. */
#ifndef RUNGS_VERIFY_H
#define RUNGS_VERIFY_H

#include "problem/problem.h"

/* Calls the rung once more as trial_run has done, after its output was filled with NaN, and judges
 * it: what was timed is to be what was verified. Returns as verify_rung does. */
bool verify_after_timing(struct problem *problem, const struct rung *rung, bool cold,
                         struct comparison *comparison, struct error *error);

/* Runs the rung on the inputs that are loaded, and judges its answer: fills the output with NaN,
 * prepares, runs, waits, compares. A wrong answer is no error: returns false only if a device call
 * failed. */
bool verify_rung(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                 struct error *error);

#endif
