/* Counts and checks rungs that have been verified, on the simt back end (measure/count.h). */
#ifndef RUNGS_COUNTED_H
#define RUNGS_COUNTED_H

#include <stdbool.h>

#include "base/error.h"
#include "device/back_end.h"
#include "measure/result.h"
#include "run/options.h"

/* Whether the options ask to count the problem itself while the runner verifies it. */
bool counted_in_full(const struct options *options);

/* Adds counts and findings to the rows of rungs that ran. If their problem is large, a smaller one
 * is counted. Does nothing if the runner has counted them, or if the back end cannot. False, and
 * *error, if a device call failed or there is no memory. */
bool counted_add(const struct options *options, const struct machine *machine,
                 const struct rung *const rungs[], struct results *results, struct error *error);

#endif
/* SPDX-License-Identifier: MIT */
