/* Times one rung: warms up, takes samples, computes statistics. Takes the samples all at once or in
 * rounds, between which other rungs are timed.
 *
 * A sample lasts at least MINIMUM_SAMPLE_US: it times many calls of short work, one after the
 * other, and is their mean. So the clock's resolution does not matter. There are two ways:
 *
 *   launched  The host makes the calls, without waiting in between. If the host takes longer to
 *             make a call than the GPU takes to do it, the sample measures the host.
 *   replayed  The calls are recorded once (struct back_end's record_start; on a GPU, a CUDA graph),
 *             and the sample is the time of a replay, in which the host has no part. Work is timed
 *             this way if it takes less than SHORT_CALL_US when it is launched, on a back end that
 *             records. The time when launched is also kept: call_us.
 *
 * Before each warm GPU sample there is one call, or one replay, that is not timed, so that the GPU
 * is not idle when the timer starts. With --cold the inputs are evicted from the caches before each
 * sample, which is then a single call, launched. */
#ifndef RUNGS_TRIAL_H
#define RUNGS_TRIAL_H

#include <stdbool.h>
#include <stddef.h>

#include "measure/statistics.h"
#include "problem/problem.h"

#define MINIMUM_SAMPLE_US 200.0
#define SHORT_CALL_US 200.0 /* when launched: twice what the host's part could hide */

struct trial {
    double *samples_us;         /* mean time per call in each sample; trial_free releases them */
    size_t reps;                /* samples to take */
    size_t warmups;             /* warm-up samples, which are discarded, in each round */
    size_t calls;               /* calls per sample */
    bool cold, fed;             /* how samples are taken: see above */
    bool replayed;              /* samples are replays */
    bool overlaps;              /* a recorded call may start before the previous one has ended */
    double call_us;             /* replayed: the time per call when launched */
    char not_replayed[96];      /* why short work is not replayed, though the back end records */
    struct recording recording; /* of `calls` calls; its back end frees it */
    const struct back_end *back_end;
    struct statistics statistics; /* of the samples taken so far */
};

/* Finds out how samples are taken, how many calls each needs, and how many to take: `reps`, and
 * before them `warmup` that are discarded. With reps = 0, it takes as many samples as fit in a
 * quarter of a second, from 5 to 101, but no more than fit in a second (and at least 1). Warm-up
 * samples are then also limited to a second. Takes no samples yet. Returns false if a device call
 * failed or there is no memory for the samples. */
bool trial_begin(struct problem *problem, const struct rung *rung, size_t warmup, size_t reps,
                 bool cold, struct trial *trial, struct error *error);

/* Takes the samples of one of `rounds` rounds, counted from 0, after its warm-up samples: an equal
 * share, or none if there are fewer samples than rounds. In later rounds the calls are recorded
 * again, because memory that they use may have moved. Returns false if a device call failed. */
bool trial_take(struct problem *problem, const struct rung *rung, size_t round, size_t rounds,
                struct trial *trial, struct error *error);

/* Repeats what was timed in the last round: a replay of the same recording, or a call. The time is
 * dropped, and afterwards the recording is freed. */
bool trial_last_call(struct problem *problem, const struct rung *rung, struct trial *trial,
                     struct error *error);

void trial_free(struct trial *trial);

#endif
/* SPDX-License-Identifier: MIT */
