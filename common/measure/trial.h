/* Timing one rung: warm up, take samples, summarise.
 *
 * A sample is at least MINIMUM_SAMPLE_US long: short work is called many times back to back within
 * one sample, and the sample is the mean of one call. So neither the clock's resolution nor a GPU's
 * launch latency is what gets measured: launches overlap the work of the call before, also the
 * sample's first, as a call that is not timed goes before it. With --cold every sample is a single
 * call, since the inputs are pushed out of the caches before each. */
#ifndef RUNGS_TRIAL_H
#define RUNGS_TRIAL_H

#include <stddef.h>

#include "measure/statistics.h"
#include "problem/problem.h"

#define MINIMUM_SAMPLE_US 200.0

struct trial {
    double *samples_us; /* of one call each; trial_free releases them */
    size_t warmups;     /* samples not counted */
    size_t calls;       /* calls a sample */
    struct statistics statistics;
};

/* reps 0: as many samples as fit in a quarter second, at most 101 and at least 5, but no more than
 * fit in a second, at least 1; and warm-up samples, too, are left out where they would take longer
 * than that. */
bool trial_run(struct problem *problem, const struct rung *rung, size_t warmup, size_t reps,
               bool cold, struct trial *trial, struct error *error);
void trial_free(struct trial *trial);

#endif
