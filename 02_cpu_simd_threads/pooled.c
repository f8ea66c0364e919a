/* Step 02, the top rungs: the vector loop on several threads that need not be started first. */
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "pool.h"
#include "problem/reduction/reduction.h"
#include "split.h"
#include "vector.h"

enum { MAX_SHARES = 256, CACHE_LINE = 64 };

struct share_results {
    const struct reduction *call;
    int threads;
    struct {
        alignas(2 * CACHE_LINE) unsigned char bytes[sizeof(double)]; /* a float or a double */
    } result[MAX_SHARES];
};

static void reduce_share(void *argument, int t)
{
    struct share_results *const shares = argument;
    const size_t n = shares->call->n;
    const size_t first = share_start(n, shares->threads, t);
    const size_t end = share_start(n, shares->threads, t + 1);

    vector_reduce(shares->call, first, end - first, shares->result[t].bytes);
}

static int thread_count(const struct reduction *call)
{
    return call->threads < MAX_SHARES ? call->threads : MAX_SHARES;
}

/* Reduces the shares' results, always in the same order, so that the answer is the same every
 * time. */
static void finish(const struct share_results *shares)
{
    const struct reduction *const call = shares->call;
    const size_t size = call->type == TYPE_F64 ? sizeof(double) : sizeof(float);
    alignas(2 * CACHE_LINE) unsigned char partial[MAX_SHARES * sizeof(double)];

    for (int t = 0; t < shares->threads; t++)
        memcpy(partial + (size_t)t * size, shares->result[t].bytes, size);
    const struct reduction last = {
        .op = call->op == OP_DOT ? OP_SUM : call->op,
        .type = call->type == TYPE_MIXED ? TYPE_F32 : call->type,
        .a = partial,
        .n = (size_t)shares->threads,
        .threads = 1,
    };
    vector_reduce(&last, 0, last.n, call->result);
}

/* Better than padded partials: threads that are there already, each with the vector loop.
 * Still bad: for a small n, telling the threads takes longer than doing the work. */
void run_pool(const struct reduction *call)
{
    struct share_results shares = {.call = call, .threads = thread_count(call)};

    pool_run(shares.threads, reduce_share, &shares);
    finish(&shares);
}

void how_pool(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "%s, %d thread%s", vector_name(), call->threads,
             call->threads == 1 ? "" : "s");
}

/* Each share as in the rung `vector`, then one number a thread. */
double depth_pool(const struct reduction *call)
{
    return (double)(call->n / 4 + 4) + 3 + 4 + 16 + thread_count(call);
}

/* ---- first touch ----------------------------------------------------------------------------- */

/* A page of memory lies near the processor that writes to it first. Here each thread makes its own
 * copy of its share beforehand (that is not timed), so that on a machine with several memory nodes
 * everybody reads from his own; on a machine with one node it changes nothing. */
static struct {
    char *a, *b;
} placed;

static size_t a_size(const struct reduction *call)
{
    return call->type == TYPE_F64 ? sizeof(double) : sizeof(float);
}

static size_t b_size(const struct reduction *call)
{
    return call->b == NULL ? 0 : call->type == TYPE_MIXED ? 1 : a_size(call);
}

static void copy_share(void *argument, int t)
{
    const struct share_results *const shares = argument;
    const struct reduction *const call = shares->call;
    const size_t first = share_start(call->n, shares->threads, t);
    const size_t count = share_start(call->n, shares->threads, t + 1) - first;
    const size_t a_step = a_size(call), b_step = b_size(call);

    memcpy(placed.a + first * a_step, (const char *)call->a + first * a_step, count * a_step);
    if (b_step > 0)
        memcpy(placed.b + first * b_step, (const char *)call->b + first * b_step, count * b_step);
}

void prepare_first_touch(const struct reduction *call)
{
    struct share_results shares = {.call = call, .threads = thread_count(call)};
    struct error ignored;

    free(placed.a);
    free(placed.b);
    placed.a = host_allocate(call->n * a_size(call), &ignored);
    placed.b = host_allocate(call->n * b_size(call), &ignored);
    if (placed.a != NULL && placed.b != NULL)
        pool_run(shares.threads, copy_share, &shares);
}

void run_first_touch(const struct reduction *call)
{
    struct reduction here = *call;

    if (placed.a != NULL &&
        placed.b != NULL) { /* otherwise no memory was left: read the original */
        here.a = placed.a;
        here.b = call->b != NULL ? placed.b : NULL;
    }
    run_pool(&here);
}

/* ---- the top --------------------------------------------------------------------------------- */

/* The shortest of several runs of 1,000 calls, in nanoseconds a call. */
static double shortest_ns(void (*work)(const struct reduction *call), const struct reduction *call)
{
    enum { CALLS = 1000, RUNS = 7 };
    double shortest = 1e18;

    for (int run = 0; run < RUNS; run++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int i = 0; i < CALLS; i++)
            work(call);
        clock_gettime(CLOCK_MONOTONIC, &end);
        const double elapsed =
            (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
        shortest = elapsed / CALLS < shortest ? elapsed / CALLS : shortest;
    }
    return shortest;
}

/* From how many bytes of input on several threads are faster than one. One thread takes bytes /
 * rate; T threads take bytes / (rate * T) and the time to tell them, which is what the pool takes
 * for no work at all. The rate is measured from the second-level cache, where inputs of the size in
 * question lie. */
static double worthwhile_bytes(int threads)
{
    enum { ELEMENTS = 32768 };
    static double measured[MAX_SHARES + 1];

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

static bool is_worth_threads(const struct reduction *call)
{
    const size_t never = 1024; /* elements: spares a tiny problem the arithmetic below */
    if (call->n < never)
        return false;
    const double bytes = (double)call->n * (double)(a_size(call) + b_size(call));
    return call->threads > 1 && bytes >= worthwhile_bytes(thread_count(call));
}

/* Better than the pool: a small problem stays on the thread that asks. */
void run_top(const struct reduction *call)
{
    if (is_worth_threads(call))
        run_pool(call);
    else
        run_vector(call);
}

void how_top(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    struct reduction used = *call;
    if (!is_worth_threads(call))
        used.threads = 1;
    how_pool(&used, text);
}
