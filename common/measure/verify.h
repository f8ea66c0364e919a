/* Runs a rung once and judges its answer. */
#ifndef RUNGS_VERIFY_H
#define RUNGS_VERIFY_H

#include "problem/problem.h"

/* NaN over the output, prepare, run, wait, compare: one rung on the inputs that are loaded. False
 * only if a device call failed. */
bool verify_rung(struct problem *problem, const struct rung *rung, struct comparison *comparison,
                 struct error *error);

#endif
