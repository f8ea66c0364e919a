/* Step 02, rungs `openmp`, `openmp_simd` and `openmp_vector`: the compiler starts the threads. */
#include <stdio.h>

#include "compiled_for.h"
#include "ladder.h"
#include "problem/reduction/operators.h"
#include "shares.h"
#include "threads.h"
#include "vector.h"

#ifdef _OPENMP
/* One line does what `race` to `local` are about. OpenMP divides the iterations among the threads,
 * gives each thread its own result in a register, and adds up these results.
 *
 * Better than `local`: the threads start once and then wait for the next call.
 * Still bad: each thread runs the loop of step 01. */
static float openmp_dot(const float *a, const float *b, size_t n, int threads)
{
    float result = 0;

#pragma omp parallel for reduction(+ : result) num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* One more word, `simd`: each thread runs the loop of `lanes`.
 *
 * Better: one instruction does as many additions as the register has lanes.
 * Still bad: it uses the instruction set that every machine has, and one register. */
static float openmp_simd_dot(const float *a, const float *b, size_t n, int threads)
{
    float result = 0;

#pragma omp parallel for simd reduction(+ : result) num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* Shares made by hand, so each thread can run the loop of `vector` (or another one, in `work`).
 *
 * Better: it uses several of the widest registers. Still bad: OpenMP needs about 5 us to start 16
 * threads on their work and to wait for them. */
static void on_openmp(const struct reduction *call, void (*work)(const struct reduction *share))
{
    const int threads = thread_count(call);
    struct partial_results partials;

#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        const struct reduction share = share_of(call, threads, t, partials.of[t].bytes);
        work(&share);
    }
    combine_partials(call, &partials, threads);
}

/* A pragma's operator cannot be a parameter. So for anything other than the dot product of floats,
 * the first two rungs also make shares by hand. */
void run_openmp(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = openmp_dot(call->a, call->b, call->n, thread_count(call));
    else
        on_openmp(call, add_in_register);
}

void run_openmp_simd(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = openmp_simd_dot(call->a, call->b, call->n, thread_count(call));
    else
        on_openmp(call, run_lanes);
}

void run_openmp_vector(const struct reduction *call)
{
    on_openmp(call, run_vector);
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

void run_openmp_simd(const struct reduction *call)
{
    (void)call;
}

void run_openmp_vector(const struct reduction *call)
{
    (void)call;
}

const char *openmp_unavailable(void)
{
    return "built without OpenMP";
}
#endif

void how_openmp_simd(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "compiled for %s, %d thread%s", compiled_for(), call->threads,
             call->threads == 1 ? "" : "s");
}
/* SPDX-License-Identifier: MIT */
