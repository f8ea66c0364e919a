/* Times one rung: warms up, takes samples, computes statistics; all at once or in rounds, between
 * which others have their turn.
 *
 * A sample lasts at least MINIMUM_SAMPLE_US: it times many back-to-back calls of short work and is
 * their mean. So it measures neither the resolution of the clock nor a GPU's launch latency, since
 * each launch overlaps the work of the call before it. Before each warm GPU sample one call is made
 * that is not timed, so that the first launch of the sample overlaps work, too. With --cold the
 * inputs are evicted from the caches before each sample, which is then a single call. */
#ifndef RUNGS_TRIAL_H
#define RUNGS_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/statistics.h"
#include "problem/problem.h"

#define MINIMUM_SAMPLE_US 200.0

struct trial {
    double *samples_us;           /* mean time per call in each sample; trial_free releases them */
    size_t reps;                  /* samples to take */
    size_t warmups;               /* warm-up samples, which are discarded, in each round */
    size_t calls;                 /* calls per sample */
    bool cold, fed;               /* how samples are taken: see above */
    struct statistics statistics; /* of the samples taken so far */
};

/* Finds out how many calls a sample needs, and how many samples to take: `reps`, and before them
 * `warmup` that are discarded. With reps = 0 the number of samples is what fits in a quarter of a
 * second, from 5 to 101, but no more than fit in a second (and at least 1); warm-up samples are
 * then limited to a second, too. Takes none yet. Returns false if a device call failed or there is
 * no memory for the samples. */
bool trial_begin(struct problem *problem, const struct rung *rung, size_t warmup, size_t reps,
                 bool cold, struct trial *trial, struct error *error);

/* Takes the samples of one of `rounds` rounds, counted from 0, after its warm-up samples: an equal
 * share, or none if there are fewer samples than rounds. Returns false if a device call failed. */
bool trial_take(struct problem *problem, const struct rung *rung, size_t round, size_t rounds,
                struct trial *trial, struct error *error);

/* One call more, made and timed as those of a trial; its time is dropped. */
bool trial_last_call(struct problem *problem, const struct rung *rung, bool cold,
                     struct error *error);

void trial_free(struct trial *trial);

#endif
