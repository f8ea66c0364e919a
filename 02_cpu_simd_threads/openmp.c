/* Step 02, rungs `openmp`, `openmp_simd` and `openmp_vector`: threads by the compiler. */
#include <stdio.h>

#include "compiled_for.h"
#include "ladder.h"
#include "problem/reduction/operators.h"
#include "shares.h"
#include "threads.h"
#include "vector.h"

#ifdef _OPENMP
/* One line in place of all that `race` to `local` are about: OpenMP shares out the iterations,
 * gives each thread a result of its own, in a register, and adds them up.
 *
 * Better than `local`: the threads are started once and wait for the next call. Still bad: step
 * 01's loop in each of them. */
static float openmp_dot(const float *a, const float *b, size_t n, int threads)
{
    float result = 0;

#pragma omp parallel for reduction(+ : result) num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* One word more, `simd`: the loop of `lanes` in each thread.
 *
 * Better: as many additions an instruction as the register has lanes. Still bad: the instruction
 * set that every machine has, and one register. */
static float openmp_simd_dot(const float *a, const float *b, size_t n, int threads)
{
    float result = 0;

#pragma omp parallel for simd reduction(+ : result) num_threads(threads) schedule(static)
    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* The shares made by hand, so that each thread can do the loop of `vector` (or another, in `work`).
 *
 * Better: the widest registers, and several. Still bad: the time that OpenMP takes to tell its
 * threads and to hear from them, about 5 us with 16 threads. */
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

/* A pragma's operator cannot be a parameter: for other operators and types than the dot product of
 * floats the first two rungs make shares by hand, too. */
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
