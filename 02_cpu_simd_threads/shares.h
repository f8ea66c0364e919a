/* How a reduction is shared out to threads, and how their results become one.
 *
 * Thread t of `threads` has the elements from share_start(t) up to, and not including,
 * share_start(t + 1). Shares begin at multiples of 64 elements, so that no cache line is shared
 * where the input starts on one. */
#ifndef SHARES_H
#define SHARES_H

#include <stdalign.h>
#include <stddef.h>

#include "problem/reduction/reduction.h"

enum { MAX_THREADS = 256, CACHE_LINE = 64 };

static inline size_t share_start(size_t n, int threads, int t)
{
    const size_t lines = n / 64, count = (size_t)threads, thread = (size_t)t;

    if (t == threads)
        return n;
    /* lines * t / threads without overflow */
    return 64 * (lines / count * thread + lines % count * thread / count);
}

/* Thread t's share as a problem of its own, whose result goes to *result. */
struct reduction share_of(const struct reduction *call, int threads, int t, void *result);

/* As many threads as call asks for, at least 1 and at most MAX_THREADS. */
int thread_count(const struct reduction *call);

/* A result for each thread, a float or a double, two cache lines apart (CPUs like to fetch lines in
 * pairs). */
struct partial_results {
    struct {
        alignas(2 * CACHE_LINE) unsigned char bytes[sizeof(double)];
    } of[MAX_THREADS];
};

/* Reduces the threads' results to call's, always in the same order, so that the answer is the same
 * every time. */
void combine_partials(const struct reduction *call, const struct partial_results *partials,
                      int threads);

/* A thread's own share by step 01's loop, then one number a thread. */
double depth_partials(const struct reduction *call);
/* The same, each share as in the rung `vector`. */
double depth_vector_partials(const struct reduction *call);

#endif
/* SPDX-License-Identifier: MIT */
