/* Step 02, the top rungs: the vector loop on several threads that are already running. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "device/pool.h"
#include "ladder.h"
#include "shares.h"
#include "vector.h"

struct pooled {
    const struct reduction *call;
    int threads;
    struct partial_results partials;
};

static void reduce_share(void *argument, int t)
{
    struct pooled *const pooled = argument;
    const struct reduction share =
        share_of(pooled->call, pooled->threads, t, pooled->partials.of[t].bytes);

    run_vector(&share);
}

/* Better than `openmp_vector`: each thread is bound to a processor, and one cache line starts them
 * all (device/pool.c).
 * Still bad: for a small n, starting the threads takes longer than the work. */
void run_pool(const struct reduction *call)
{
    struct pooled pooled = {.call = call, .threads = thread_count(call)};

    pool_run(pooled.threads, reduce_share, &pooled);
    combine_partials(call, &pooled.partials, pooled.threads);
}

void how_pool(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "%s, %d thread%s", vector_name(), call->threads,
             call->threads == 1 ? "" : "s");
}

/* ---- simd_threads ---------------------------------------------------------------------------- */

static double since_ns(const struct timespec *start)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) * 1e9 + (double)(now.tv_nsec - start->tv_nsec);
}

/* The shortest of several runs, in nanoseconds per call. A run has 1,000 calls, or fewer if they
 * take long: with many more threads than processors, a call can take a millisecond. */
static double shortest_ns(void (*work)(const struct reduction *call), const struct reduction *call)
{
    enum { CALLS = 1000, TOGETHER = 10, RUNS = 7 };
    const double long_ns = 10e6;
    double shortest = 1e18;

    for (int run = 0; run < RUNS; run++) {
        struct timespec start;
        double elapsed = 0;
        int calls = 0;
        clock_gettime(CLOCK_MONOTONIC, &start);
        while (calls < CALLS && elapsed < long_ns) {
            for (int i = 0; i < TOGETHER; i++)
                work(call);
            calls += TOGETHER;
            elapsed = since_ns(&start);
        }
        shortest = elapsed / calls < shortest ? elapsed / calls : shortest;
    }
    return shortest;
}

/* The input size, in bytes, above which several threads are faster than one. One thread takes bytes
 * / rate. T threads take bytes / (rate * T), plus the time to start them, which is the time of the
 * pool without work. The rate is measured in the second-level cache, which holds inputs of this
 * size. */
static double worthwhile_bytes(int threads)
{
    enum { ELEMENTS = 32768 };
    static double measured[MAX_THREADS + 1];

    if (measured[threads] == 0) {
        static float a[ELEMENTS], b[ELEMENTS];
        float result;
        const struct reduction empty = {
            .op = OP_DOT, .a = a, .b = b, .result = &result, .threads = threads};
        struct reduction alone = empty;
        alone.n = ELEMENTS;
        const double bytes_per_ns = (double)(sizeof a + sizeof b) / shortest_ns(run_vector, &alone);
        measured[threads] = shortest_ns(run_pool, &empty) * bytes_per_ns * threads / (threads - 1);
    }
    return measured[threads];
}

static size_t b_size(const struct reduction *call)
{
    return call->b == NULL ? 0 : second_size(call->type);
}

static bool is_worth_threads(const struct reduction *call)
{
    const size_t never = 1024; /* elements: a tiny problem skips the arithmetic below */
    if (call->n < never)
        return false;
    const double bytes = (double)call->n * (double)(element_size(call->type) + b_size(call));
    return call->threads > 1 && bytes >= worthwhile_bytes(thread_count(call));
}

/* Better than `pool`: the calling thread does a small problem alone. Still bad: the data may be in
 * memory that is far from the thread that reads it. */
void run_simd_threads(const struct reduction *call)
{
    if (is_worth_threads(call))
        run_pool(call);
    else
        run_vector(call);
}

void how_simd_threads(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    struct reduction used = *call;
    if (!is_worth_threads(call))
        used.threads = 1;
    how_pool(&used, text);
}

/* ---- first_touch ----------------------------------------------------------------------------- */

/* A page of memory is placed near the processor that first writes to it. So before the timing, each
 * thread copies its own share. On a machine with several memory nodes, each thread then reads from
 * its own node. On a machine with one node, nothing changes. */
static struct {
    char *a, *b;
} placed;

static void copy_share(void *argument, int t)
{
    const struct pooled *const pooled = argument;
    const struct reduction *const call = pooled->call;
    const size_t first = share_start(call->n, pooled->threads, t);
    const size_t count = share_start(call->n, pooled->threads, t + 1) - first;
    const size_t a_step = element_size(call->type), b_step = b_size(call);

    memcpy(placed.a + first * a_step, (const char *)call->a + first * a_step, count * a_step);
    if (b_step > 0)
        memcpy(placed.b + first * b_step, (const char *)call->b + first * b_step, count * b_step);
}

void prepare_first_touch(const struct reduction *call)
{
    struct pooled pooled = {.call = call, .threads = thread_count(call)};
    struct error ignored;

    free(placed.a);
    free(placed.b);
    placed.a = host_allocate(call->n * element_size(call->type), &ignored);
    placed.b = host_allocate(call->n * b_size(call), &ignored);
    if (placed.a != NULL && placed.b != NULL)
        pool_run(pooled.threads, copy_share, &pooled);
}

/* `simd_threads` on the copies. */
void run_first_touch(const struct reduction *call)
{
    struct reduction here = *call;

    if (placed.a != NULL && placed.b != NULL) { /* otherwise memory was short: read the original */
        here.a = placed.a;
        here.b = call->b != NULL ? placed.b : NULL;
    }
    run_simd_threads(&here);
}
/* SPDX-License-Identifier: MIT */
