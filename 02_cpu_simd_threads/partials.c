/* Step 02, rungs `adjacent`, `adjacent_plain`, `padded` and `local`: each thread has a partial
 * result of its own. */
#include <stdalign.h>
#include <stdatomic.h>

#include "ladder.h"
#include "problem/reduction/operators.h"
#include "shares.h"
#include "threads.h"

/* The partial results lie side by side. The loop is still that of `atomic`, although now each
 * atomic has only one thread.
 *
 * Better than `atomic`: no addition has to be repeated.
 * Still bad: false sharing. The partial results lie in one cache line, which only one core at a
 * time can write. So the line still moves from core to core. */
static float adjacent_f32(const struct reduction *call)
{
    const int threads = thread_count(call);
    alignas(CACHE_LINE) _Atomic float partial[MAX_THREADS];

    for (int t = 0; t < threads; t++)
        atomic_init(&partial[t], identity_f32(call->op));
    on_threads(call, add_atomically, partial, sizeof partial[0]);

    float result = partial[0];
    for (int t = 1; t < threads; t++)
        result = combine_f32(call->op, result, partial[t]);
    return result;
}

/* The same with plain additions, the loop of `race`. It is no race here, because each thread has
 * its own partial result.
 *
 * Better than `adjacent`: no atomics. A plain store waits in the core's store buffer, and the next
 * load reads it there. So the additions go on while the line is elsewhere.
 * Still bad: every addition waits for a store and a load, even on one thread. */
static float adjacent_plain_f32(const struct reduction *call)
{
    const int threads = thread_count(call);
    alignas(CACHE_LINE) float partial[MAX_THREADS];

    for (int t = 0; t < threads; t++)
        partial[t] = identity_f32(call->op);
    on_threads(call, add_plainly, partial, sizeof partial[0]);

    float result = partial[0];
    for (int t = 1; t < threads; t++)
        result = combine_f32(call->op, result, partial[t]);
    return result;
}

/* `adjacent` again, with two cache lines per partial result (CPUs often fetch lines in pairs).
 *
 * Better: no cache line moves between cores. Still bad: every addition is an atomic. */
static float padded_f32(const struct reduction *call)
{
    const int threads = thread_count(call);
    struct {
        alignas(2 * CACHE_LINE) _Atomic float value;
    } partial[MAX_THREADS];

    for (int t = 0; t < threads; t++)
        atomic_init(&partial[t].value, identity_f32(call->op));
    on_threads(call, add_atomically, partial, sizeof partial[0]);

    float result = partial[0].value;
    for (int t = 1; t < threads; t++)
        result = combine_f32(call->op, result, partial[t].value);
    return result;
}

static float local_dot(const float *a, const float *b, size_t n)
{
    float result = 0;

    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* The same, but each thread adds up in a register (local_dot) and stores once, at the end.
 *
 * Better: every core runs the loop of step 01. Still bad: it is the loop of step 01. Starting the
 * threads for every call takes as long as a hundred thousand additions. */
static float local_f32(const struct reduction *call)
{
    const int threads = thread_count(call);
    struct {
        alignas(2 * CACHE_LINE) float value;
    } partial[MAX_THREADS];

    on_threads(call, add_in_register, partial, sizeof partial[0]);

    float result = partial[0].value;
    for (int t = 1; t < threads; t++)
        result = combine_f32(call->op, result, partial[t].value);
    return result;
}

/* ---- the same for the other operators and types ---------------------------------------------- */

SPECIALIZED void add_f32(enum reduce_op op, enum element_type type, const struct reduction *share)
{
    const void *const a = share->a, *const b = share->b;
    float result = identity_f32(op);

    for (size_t i = 0; i < share->n; i++)
        result = combine_f32(op, result, term_f32(op, type, a, b, i));
    *(float *)share->result = result;
}

SPECIALIZED void add_f64(enum reduce_op op, enum element_type type, const struct reduction *share)
{
    const void *const a = share->a, *const b = share->b;
    double result = identity_f64(op);

    for (size_t i = 0; i < share->n; i++)
        result = combine_f64(op, result, term_f64(op, type, a, b, i));
    *(double *)share->result = result;
}

void add_in_register(const struct reduction *share)
{
    if (is_float_dot(share))
        *(float *)share->result = local_dot(share->a, share->b, share->n);
    else
        reduce_specialized(share, add_f32, add_f64);
}

static double adjacent_f64(const struct reduction *call)
{
    const int threads = thread_count(call);
    alignas(CACHE_LINE) _Atomic double partial[MAX_THREADS];

    for (int t = 0; t < threads; t++)
        atomic_init(&partial[t], identity_f64(call->op));
    on_threads(call, add_atomically, partial, sizeof partial[0]);

    double result = partial[0];
    for (int t = 1; t < threads; t++)
        result = combine_f64(call->op, result, partial[t]);
    return result;
}

static double adjacent_plain_f64(const struct reduction *call)
{
    const int threads = thread_count(call);
    alignas(CACHE_LINE) double partial[MAX_THREADS];

    for (int t = 0; t < threads; t++)
        partial[t] = identity_f64(call->op);
    on_threads(call, add_plainly, partial, sizeof partial[0]);

    double result = partial[0];
    for (int t = 1; t < threads; t++)
        result = combine_f64(call->op, result, partial[t]);
    return result;
}

static double padded_f64(const struct reduction *call)
{
    const int threads = thread_count(call);
    struct {
        alignas(2 * CACHE_LINE) _Atomic double value;
    } partial[MAX_THREADS];

    for (int t = 0; t < threads; t++)
        atomic_init(&partial[t].value, identity_f64(call->op));
    on_threads(call, add_atomically, partial, sizeof partial[0]);

    double result = partial[0].value;
    for (int t = 1; t < threads; t++)
        result = combine_f64(call->op, result, partial[t].value);
    return result;
}

static double local_f64(const struct reduction *call)
{
    const int threads = thread_count(call);
    struct {
        alignas(2 * CACHE_LINE) double value;
    } partial[MAX_THREADS];

    on_threads(call, add_in_register, partial, sizeof partial[0]);

    double result = partial[0].value;
    for (int t = 1; t < threads; t++)
        result = combine_f64(call->op, result, partial[t].value);
    return result;
}

/* ---- the rungs ------------------------------------------------------------------------------- */

void run_adjacent(const struct reduction *call)
{
    if (is_f64_result(call->type))
        *(double *)call->result = adjacent_f64(call);
    else
        *(float *)call->result = adjacent_f32(call);
}

void run_adjacent_plain(const struct reduction *call)
{
    if (is_f64_result(call->type))
        *(double *)call->result = adjacent_plain_f64(call);
    else
        *(float *)call->result = adjacent_plain_f32(call);
}

void run_padded(const struct reduction *call)
{
    if (is_f64_result(call->type))
        *(double *)call->result = padded_f64(call);
    else
        *(float *)call->result = padded_f32(call);
}

void run_local(const struct reduction *call)
{
    if (is_f64_result(call->type))
        *(double *)call->result = local_f64(call);
    else
        *(float *)call->result = local_f32(call);
}
/* SPDX-License-Identifier: MIT */
