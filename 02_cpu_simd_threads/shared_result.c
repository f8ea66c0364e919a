/* Step 02, rungs `race`, `lock` and `atomic`: step 01's loop on several threads, one result. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "ladder.h"
#include "problem/reduction/operators.h"
#include "threads.h"

/* A LESSON, wrong on purpose: all threads add to the one result.
 *
 * Wrong: an addition to memory is a load, an addition and a store. Whatever another thread stores
 * between this load and this store is lost. (Without volatile the compiler would store once, at the
 * end, which would hide the race.) */
static void race_dot(const float *a, const float *b, size_t n, volatile float *result)
{
    for (size_t i = 0; i < n; i++)
        *result = *result + a[i] * b[i];
}

/* The same with a lock around each addition.
 *
 * Better: the result is right. Still bad: one thread works while the others wait, and the lock
 * costs more than the addition. It is slower than one thread without a lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_dot(const float *a, const float *b, size_t n, float *result)
{
    for (size_t i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        *result = *result + a[i] * b[i];
        pthread_mutex_unlock(&lock);
    }
}

/* The same with an atomic: compare-and-swap, repeated if another thread was faster.
 *
 * Better: no thread sleeps. Still bad: for every addition, the cache line with the result moves
 * from core to core. */
static void atomic_dot(const float *a, const float *b, size_t n, _Atomic float *result)
{
    for (size_t i = 0; i < n; i++) {
        const float term = a[i] * b[i];
        float seen = atomic_load_explicit(result, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(result, &seen, seen + term,
                                                      memory_order_relaxed, memory_order_relaxed))
            ;
    }
}

/* ---- the same for the other operators and types ---------------------------------------------- */

SPECIALIZED void race_f32(enum reduce_op op, enum element_type type, const struct reduction *share)
{
    const void *const a = share->a, *const b = share->b;
    volatile float *const result = share->result;

    for (size_t i = 0; i < share->n; i++)
        *result = combine_f32(op, *result, term_f32(op, type, a, b, i));
}

SPECIALIZED void race_f64(enum reduce_op op, enum element_type type, const struct reduction *share)
{
    const void *const a = share->a, *const b = share->b;
    volatile double *const result = share->result;

    for (size_t i = 0; i < share->n; i++)
        *result = combine_f64(op, *result, term_f64(op, type, a, b, i));
}

SPECIALIZED void lock_f32(enum reduce_op op, enum element_type type, const struct reduction *share)
{
    const void *const a = share->a, *const b = share->b;
    float *const result = share->result;

    for (size_t i = 0; i < share->n; i++) {
        pthread_mutex_lock(&lock);
        *result = combine_f32(op, *result, term_f32(op, type, a, b, i));
        pthread_mutex_unlock(&lock);
    }
}

SPECIALIZED void lock_f64(enum reduce_op op, enum element_type type, const struct reduction *share)
{
    const void *const a = share->a, *const b = share->b;
    double *const result = share->result;

    for (size_t i = 0; i < share->n; i++) {
        pthread_mutex_lock(&lock);
        *result = combine_f64(op, *result, term_f64(op, type, a, b, i));
        pthread_mutex_unlock(&lock);
    }
}

SPECIALIZED void atomic_f32(enum reduce_op op, enum element_type type,
                            const struct reduction *share)
{
    const void *const a = share->a, *const b = share->b;
    _Atomic float *const result = share->result;

    for (size_t i = 0; i < share->n; i++) {
        const float term = term_f32(op, type, a, b, i);
        float seen = atomic_load_explicit(result, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(result, &seen, combine_f32(op, seen, term),
                                                      memory_order_relaxed, memory_order_relaxed))
            ;
    }
}

SPECIALIZED void atomic_f64(enum reduce_op op, enum element_type type,
                            const struct reduction *share)
{
    const void *const a = share->a, *const b = share->b;
    _Atomic double *const result = share->result;

    for (size_t i = 0; i < share->n; i++) {
        const double term = term_f64(op, type, a, b, i);
        double seen = atomic_load_explicit(result, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(result, &seen, combine_f64(op, seen, term),
                                                      memory_order_relaxed, memory_order_relaxed))
            ;
    }
}

/* ---- the rungs ------------------------------------------------------------------------------- */

/* This is a race only if several threads share a result. */
void add_plainly(const struct reduction *share)
{
    if (is_float_dot(share))
        race_dot(share->a, share->b, share->n, share->result);
    else
        reduce_specialized(share, race_f32, race_f64);
}

static void add_locked(const struct reduction *share)
{
    if (is_float_dot(share))
        lock_dot(share->a, share->b, share->n, share->result);
    else
        reduce_specialized(share, lock_f32, lock_f64);
}

void add_atomically(const struct reduction *share)
{
    if (is_float_dot(share))
        atomic_dot(share->a, share->b, share->n, share->result);
    else
        reduce_specialized(share, atomic_f32, atomic_f64);
}

/* Runs `work` on all threads with one shared result, that of the call. */
static void on_one_result(const struct reduction *call, void (*work)(const struct reduction *share))
{
    if (is_f64_result(call->type))
        *(double *)call->result = identity_f64(call->op);
    else
        *(float *)call->result = identity_f32(call->op);
    on_threads(call, work, call->result, 0);
}

void run_race(const struct reduction *call)
{
    on_one_result(call, add_plainly);
}

void run_lock(const struct reduction *call)
{
    on_one_result(call, add_locked);
}

void run_atomic(const struct reduction *call)
{
    on_one_result(call, add_atomically);
}

void how_threads(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "scalar, %d thread%s", call->threads,
             call->threads == 1 ? "" : "s");
}
/* SPDX-License-Identifier: MIT */
