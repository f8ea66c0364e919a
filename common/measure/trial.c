#include "measure/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* From this length on, the latency of one launch is negligible. */
static const double LONG_CALL_US = 10e3;

/* Work to time: calls that the host makes, or a recording of them. */
struct work {
    struct problem *problem;
    const struct rung *rung;
    const struct back_end *back_end;
    size_t calls;
    const struct recording *recording; /* NULL: launched */
};

static bool start(const struct work *work, size_t calls, struct error *error)
{
    if (work->recording != NULL)
        return work->back_end->replay(work->recording, error);
    for (size_t i = 0; i < calls; i++)
        work->problem->kind->run(work->problem, work->rung);
    return true;
}

/* An idle GPU waits, with its timer running, until the host has enqueued the first call. That makes
 * samples longer if they have few calls to a library that takes long to enqueue its work. `fed`
 * therefore makes one call before the timer starts. */
static bool sample(const struct work *work, bool cold, bool fed, double *microseconds,
                   struct error *error)
{
    if (cold && !work->problem->kind->evict(work->problem, work->rung, error))
        return false;
    if (fed && !start(work, 1, error))
        return false;
    if (!work->back_end->timer_start(error))
        return false;
    const bool started = start(work, work->calls, error);
    if (!work->back_end->timer_stop(microseconds, error))
        return false;
    *microseconds /= (double)work->calls;
    return started;
}

/* How many calls make a sample long enough, after one with `calls` took each_us per call. Aims past
 * the minimum, but grows tenfold at most, because a short measurement is imprecise. */
static size_t more_calls(size_t calls, double each_us)
{
    const double most = 10.0 * (double)calls;
    const double wanted = each_us > 0 ? 1.2 * MINIMUM_SAMPLE_US / each_us : most;

    return (size_t)(wanted > most ? most : wanted) + 1;
}

/* Finds how many calls make a sample long enough; *each_us is the time per call in that sample. The
 * first call after a pause can take a GPU several times as long, and is ignored. */
static bool calibrate(struct work *work, bool cold, double *each_us, struct error *error)
{
    const size_t most = (size_t)1 << 24;
    bool paused = !cold && !work->back_end->host_memory;

    work->calls = 1;
    for (;;) {
        if (!sample(work, cold, false, each_us, error))
            return false;
        if (paused && *each_us >= MINIMUM_SAMPLE_US && *each_us < LONG_CALL_US) {
            paused = false;
            continue;
        }
        if (cold || *each_us * (double)work->calls >= MINIMUM_SAMPLE_US || work->calls >= most)
            return true;
        work->calls = more_calls(work->calls, *each_us);
    }
}

/* ---- replays --------------------------------------------------------------------------------- */

/* Records `calls` calls. */
static bool record(const struct work *work, size_t calls, struct recording *recording,
                   struct error *error)
{
    if (!work->back_end->record_start(error))
        return false;
    for (size_t i = 0; i < calls; i++)
        work->problem->kind->run(work->problem, work->rung);
    return work->back_end->record_stop(recording, error);
}

/* Whether the calls can be recorded; *dependents is the number of them in one call by itself. */
static bool is_recordable(const struct work *work, size_t *dependents, struct error *error)
{
    struct recording one;

    if (work->problem->gpus > 0)
        return error_set(error, EXIT_DEVICE_ERROR, "it is for several GPUs");
    if (!record(work, 1, &one, error))
        return false;
    *dependents = one.dependents;
    work->back_end->record_free(&one);
    return true;
}

/* The median of a few samples of launched calls. */
static bool time_launched(const struct work *work, double *each_us, struct error *error)
{
    enum { SAMPLES = 9 };
    double samples[SAMPLES];

    for (int i = 0; i < SAMPLES; i++)
        if (!sample(work, false, true, &samples[i], error))
            return false;
    *each_us = statistics_of(samples, SAMPLES).median;
    return true;
}

/* Finds how many calls a replay needs to last long enough, and keeps a recording of that many. */
static bool calibrate_replay(struct work *work, struct trial *trial, double *each_us,
                             struct error *error)
{
    const size_t most = (size_t)1 << 12; /* each launch is a node of a graph */

    for (;;) {
        if (!record(work, work->calls, &trial->recording, error))
            return false;
        struct work replay = *work;
        replay.recording = &trial->recording;
        if (!sample(&replay, false, true, each_us, error))
            return false;
        if (*each_us * (double)work->calls >= MINIMUM_SAMPLE_US || work->calls >= most)
            return true;
        work->back_end->record_free(&trial->recording);
        work->calls = more_calls(work->calls, *each_us);
        work->calls = work->calls > most ? most : work->calls;
    }
}

/* Times short work by replays, if the back end can record it; otherwise says why not. *each_us
 * becomes the time per call. */
static bool prefer_replay(struct work *work, struct trial *trial, double *each_us,
                          struct error *error)
{
    struct error reason;
    size_t dependents = 0;

    if (!is_recordable(work, &dependents, &reason)) {
        snprintf(trial->not_replayed, sizeof trial->not_replayed, "%.*s",
                 (int)sizeof trial->not_replayed - 1, reason.text);
        return true;
    }
    trial->replayed = true;
    if (!time_launched(work, &trial->call_us, error) ||
        !calibrate_replay(work, trial, each_us, error))
        return false;
    trial->overlaps = trial->recording.dependents > dependents * work->calls;
    return true;
}

/* ---- a trial --------------------------------------------------------------------------------- */

static struct work work_of(struct problem *problem, const struct rung *rung,
                           const struct trial *trial)
{
    return (struct work){
        .problem = problem,
        .rung = rung,
        .back_end = trial->back_end,
        .calls = trial->calls,
        .recording = trial->recording.replayable != NULL ? &trial->recording : NULL,
    };
}

static bool begin(struct problem *problem, const struct rung *rung, size_t warmup, size_t reps,
                  struct trial *trial, struct error *error)
{
    enum { LEAST = 5, MOST = 101 };
    const double budget_us = 250e3, longest_us = 1e6;
    struct work work = work_of(problem, rung, trial);
    double each_us;
    size_t bytes;

    if (!calibrate(&work, trial->cold, &each_us, error))
        return false;
    if (!trial->cold && trial->back_end->record_start != NULL && each_us < SHORT_CALL_US &&
        !prefer_replay(&work, trial, &each_us, error))
        return false;
    trial->calls = work.calls;
    trial->fed = !trial->cold && !trial->back_end->host_memory && each_us < LONG_CALL_US;
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

bool trial_begin(struct problem *problem, const struct rung *rung, size_t warmup, size_t reps,
                 bool cold, struct trial *trial, struct error *error)
{
    *trial = (struct trial){
        .cold = cold, .call_us = NAN, .back_end = rung_back_end(rung, problem->back_end)};
    if (begin(problem, rung, warmup, reps, trial, error))
        return true;
    trial_free(trial);
    return false;
}

static bool take(const struct work *work, size_t end, struct trial *trial, struct error *error)
{
    size_t taken = trial->statistics.count;
    double ignored;

    for (size_t i = 0; i < trial->warmups; i++)
        if (!sample(work, trial->cold, trial->fed, &ignored, error))
            return false;
    for (; taken < end; taken++)
        if (!sample(work, trial->cold, trial->fed, &trial->samples_us[taken], error))
            return false;
    trial->statistics = statistics_of(trial->samples_us, taken);
    return true;
}

bool trial_take(struct problem *problem, const struct rung *rung, size_t round, size_t rounds,
                struct trial *trial, struct error *error)
{
    /* This is reps * (round + 1) / rounds, in a form that cannot overflow. */
    const size_t end =
        trial->reps / rounds * (round + 1) + trial->reps % rounds * (round + 1) / rounds;
    struct work work = work_of(problem, rung, trial);

    if (trial->replayed && round > 0) {
        trial->back_end->record_free(&trial->recording);
        if (!record(&work, trial->calls, &trial->recording, error))
            goto failed;
        work.recording = &trial->recording;
    }
    if (trial->statistics.count == end || take(&work, end, trial, error))
        return true;
failed:
    trial_free(trial);
    return false;
}

bool trial_last_call(struct problem *problem, const struct rung *rung, struct trial *trial,
                     struct error *error)
{
    struct work work = work_of(problem, rung, trial);
    double ignored;

    if (!trial->replayed)
        work.calls = 1;
    const bool done = sample(&work, trial->cold, false, &ignored, error);
    if (trial->replayed)
        trial->back_end->record_free(&trial->recording);
    return done;
}

void trial_free(struct trial *trial)
{
    if (trial->recording.replayable != NULL)
        trial->back_end->record_free(&trial->recording);
    free(trial->samples_us);
    trial->samples_us = NULL;
}
/* SPDX-License-Identifier: MIT */
