#include "measure/trial.h"

#include <stdlib.h>

#include "base/memory.h"

/* From this length on, the latency of one launch is negligible. */
static const double LONG_CALL_US = 10e3;

/* An idle GPU waits, with its timer running, until the host has enqueued the first call. That shows
 * in samples of a few calls to a library that takes long to enqueue its work. `fed` therefore makes
 * one call before the timer starts. */
static bool sample(struct problem *problem, const struct rung *rung, size_t calls, bool cold,
                   bool fed, double *microseconds, struct error *error)
{
    const struct back_end *back_end = rung_back_end(rung, problem->back_end);

    if (cold && !problem->kind->evict(problem, rung, error))
        return false;
    if (fed)
        problem->kind->run(problem, rung);
    if (!back_end->timer_start(error))
        return false;
    for (size_t i = 0; i < calls; i++)
        problem->kind->run(problem, rung);
    if (!back_end->timer_stop(microseconds, error))
        return false;
    *microseconds /= (double)calls;
    return true;
}

/* Finds how many calls make a sample long enough; *each_us is the time per call in that sample. */
static bool calibrate(struct problem *problem, const struct rung *rung, bool cold, size_t *calls,
                      double *each_us, struct error *error)
{
    const size_t most = (size_t)1 << 24;

    *calls = 1;
    for (;;) {
        if (!sample(problem, rung, *calls, cold, false, each_us, error))
            return false;
        if (cold || *each_us * (double)*calls >= MINIMUM_SAMPLE_US || *calls >= most)
            return true;
        /* Aims past the minimum, but grows tenfold at most: a short measurement is imprecise. */
        const double wanted =
            *each_us > 0 ? 1.2 * MINIMUM_SAMPLE_US / *each_us : 10.0 * (double)*calls;
        const double capped = wanted > 10.0 * (double)*calls ? 10.0 * (double)*calls : wanted;
        *calls = (size_t)capped + 1;
    }
}

bool trial_begin(struct problem *problem, const struct rung *rung, size_t warmup, size_t reps,
                 bool cold, struct trial *trial, struct error *error)
{
    enum { LEAST = 5, MOST = 101 };
    const double budget_us = 250e3, longest_us = 1e6;
    double each_us;
    size_t bytes;

    *trial = (struct trial){.cold = cold};
    if (!calibrate(problem, rung, cold, &trial->calls, &each_us, error))
        return false;
    const bool is_host = rung_back_end(rung, problem->back_end)->host_memory;
    trial->fed = !cold && !is_host && each_us < LONG_CALL_US;
    if (reps == 0) {
        const double sample_us = each_us * (double)trial->calls + 1e-3;
        const double fitting = budget_us / sample_us, at_most = longest_us / sample_us;
        reps = fitting < LEAST ? LEAST : fitting > MOST ? MOST : (size_t)fitting;
        if ((double)reps > at_most)
            reps = at_most < 1 ? 1 : (size_t)at_most;
        if ((double)warmup > at_most)
            warmup = (size_t)at_most;
    }
    trial->reps = reps;
    trial->warmups = warmup;
    if (!checked_bytes(reps, sizeof *trial->samples_us, 1, &bytes, error))
        return false;
    trial->samples_us = host_allocate(bytes, error);
    return trial->samples_us != NULL;
}

bool trial_take(struct problem *problem, const struct rung *rung, size_t round, size_t rounds,
                struct trial *trial, struct error *error)
{
    /* reps * (round + 1) / rounds, which cannot overflow this way. */
    const size_t end =
        trial->reps / rounds * (round + 1) + trial->reps % rounds * (round + 1) / rounds;
    size_t taken = trial->statistics.count;
    double ignored;

    if (taken == end)
        return true;
    for (size_t i = 0; i < trial->warmups; i++)
        if (!sample(problem, rung, trial->calls, trial->cold, trial->fed, &ignored, error))
            goto failed;
    for (; taken < end; taken++)
        if (!sample(problem, rung, trial->calls, trial->cold, trial->fed, &trial->samples_us[taken],
                    error))
            goto failed;
    trial->statistics = statistics_of(trial->samples_us, taken);
    return true;
failed:
    trial_free(trial);
    return false;
}

bool trial_last_call(struct problem *problem, const struct rung *rung, bool cold,
                     struct error *error)
{
    double ignored;

    return sample(problem, rung, 1, cold, false, &ignored, error);
}

void trial_free(struct trial *trial)
{
    free(trial->samples_us);
    trial->samples_us = NULL;
}
