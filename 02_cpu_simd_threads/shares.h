/* How a reduction is divided among threads, and how their results are combined.
 *
 * Thread t of `threads` has elements share_start(t) to share_start(t + 1) - 1. Shares start at
 * multiples of 64 elements. So if the input starts at a cache line, no two threads share a line. */
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
    /* lines * t / threads, without overflow */
    return 64 * (lines / count * thread + lines % count * thread / count);
}

/* Returns thread t's share as a problem of its own. Its result goes to *result. */
struct reduction share_of(const struct reduction *call, int threads, int t, void *result);

/* The number of threads that the call asks for, limited to 1 to MAX_THREADS. */
int thread_count(const struct reduction *call);

/* One result per thread, a float or a double. They are two cache lines apart, because CPUs often
 * fetch lines in pairs. */
struct partial_results {
    struct {
        alignas(2 * CACHE_LINE) unsigned char bytes[sizeof(double)];
    } of[MAX_THREADS];
};

/* Combines the threads' results into the call's result. The order is always the same, so the result
 * has the same bits every time. */
void combine_partials(const struct reduction *call, const struct partial_results *partials,
                      int threads);

/* A thread's own share by the loop of step 01, then one number per thread. */
double depth_partials(const struct reduction *call);
/* The same, each share as in the rung `vector`. */
double depth_vector_partials(const struct reduction *call);

#endif
/* SPDX-License-Identifier: MIT */
