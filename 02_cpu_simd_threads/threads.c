/* Step 02, rungs `race` to `padded`, and OpenMP: several threads, one result. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "problem/reduction/reduction.h"
#include "split.h"
#include "vector.h"

enum { MAX_THREADS = 256, CACHE_LINE = 64 };

/* Runs work(shares + t * size) for t = 0, 1, ... on threads of their own, the first on this one,
 * and waits for all. A share that no thread can be started for is done here. */
static void spawn(void *(*work)(void *), void *shares, size_t size, int count)
{
    pthread_t handles[MAX_THREADS];
    int started = 1;

    while (started < count && pthread_create(&handles[started], NULL, work,
                                             (char *)shares + (size_t)started * size) == 0)
        started++;
    work(shares);
    for (int t = started; t < count; t++)
        work((char *)shares + (size_t)t * size);
    for (int t = 1; t < started; t++)
        pthread_join(handles[t], NULL);
}

#define REDUCE_LOOPS "threads_loops.h"
#include "problem/reduction/reduce_each.h"

/* The call with as many threads as the loops have room for. */
static struct reduction limited(const struct reduction *call)
{
    struct reduction limited = *call;
    limited.threads = call->threads < 1             ? 1
                      : call->threads > MAX_THREADS ? MAX_THREADS
                                                    : call->threads;
    return limited;
}

void run_race(const struct reduction *call)
{
    const struct reduction here = limited(call);
    REDUCE_CALL(race, &here);
}

void run_lock(const struct reduction *call)
{
    const struct reduction here = limited(call);
    REDUCE_CALL(lock, &here);
}

void run_atomic(const struct reduction *call)
{
    const struct reduction here = limited(call);
    REDUCE_CALL(atomic, &here);
}

void run_adjacent(const struct reduction *call)
{
    const struct reduction here = limited(call);
    REDUCE_CALL(adjacent, &here);
}

void run_padded(const struct reduction *call)
{
    const struct reduction here = limited(call);
    REDUCE_CALL(padded, &here);
}

void run_local(const struct reduction *call)
{
    const struct reduction here = limited(call);
    REDUCE_CALL(local, &here);
}

#ifdef _OPENMP
void run_openmp(const struct reduction *call)
{
    const struct reduction here = limited(call);
    REDUCE_CALL(openmp, &here);
}
const char *openmp_unavailable(void)
{
    return NULL;
}
#else
void run_openmp(const struct reduction *call)
{
    (void)call;
}
const char *openmp_unavailable(void)
{
    return "built without OpenMP";
}
#endif

void how_threads(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "scalar, %d thread%s", call->threads,
             call->threads == 1 ? "" : "s");
}

void how_openmp(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "sse2, %d thread%s", call->threads,
             call->threads == 1 ? "" : "s");
}

/* A thread's own share, then the threads' results; with one shared result, all of n in a row. */
double depth_partials(const struct reduction *call)
{
    const int threads = limited(call).threads;
    return (double)(call->n / (size_t)threads + 64) + threads;
}
