/* Step 02, rung `lanes`: SIMD by the compiler. */
#include <stdio.h>

#include "compiled_for.h"
#include "ladder.h"
#include "problem/reduction/operators.h"

/* The loop of step 01, with permission to reorder it. `reduction` allows the compiler to keep
 * several partial results, one per lane of a SIMD register. `restrict` says that the inputs do not
 * change.
 *
 * Better than step 01: one instruction does as many additions as the register has lanes.
 * Still bad: the compiler uses the instruction set that every machine has (SSE2 on x86-64, with 4
 * floats per register; this CPU may have 16). There is one register of partial results, so each
 * addition waits for the one before. */
static float lanes_dot(const float *restrict a, const float *restrict b, size_t n)
{
    float result = 0;

#pragma omp simd reduction(+ : result)
    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* ---- the same for the other operators and types ---------------------------------------------- */

static float dot_mixed(const float *restrict a, const unsigned char *restrict b, size_t n)
{
    float result = 0;

#pragma omp simd reduction(+ : result)
    for (size_t i = 0; i < n; i++)
        result += a[i] * (float)b[i];
    return result;
}

static float dot_f16(const uint16_t *restrict a, const uint16_t *restrict b, size_t n)
{
    float result = 0;

#pragma omp simd reduction(+ : result)
    for (size_t i = 0; i < n; i++)
        result += float_of_half(a[i]) * float_of_half(b[i]);
    return result;
}

static double dot_f64(const double *restrict a, const double *restrict b, size_t n)
{
    double result = 0;

#pragma omp simd reduction(+ : result)
    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return result;
}

static float sum_f32(const float *a, size_t n)
{
    float result = 0;

#pragma omp simd reduction(+ : result)
    for (size_t i = 0; i < n; i++)
        result += a[i];
    return result;
}

static float sum_f16(const uint16_t *a, size_t n)
{
    float result = 0;

#pragma omp simd reduction(+ : result)
    for (size_t i = 0; i < n; i++)
        result += float_of_half(a[i]);
    return result;
}

static double dot_f32_f64(const float *restrict a, const double *restrict b, size_t n)
{
    double result = 0;

#pragma omp simd reduction(+ : result)
    for (size_t i = 0; i < n; i++)
        result += (double)a[i] * b[i];
    return result;
}

static double sum_f64(const double *a, size_t n)
{
    double result = 0;

#pragma omp simd reduction(+ : result)
    for (size_t i = 0; i < n; i++)
        result += a[i];
    return result;
}

/* The max and min of OpenMP have no rule for NaN. */
#pragma omp declare reduction(larger:float                                                         \
                              : omp_out = combine_f32(OP_MAX, omp_out, omp_in))                    \
    initializer(omp_priv = identity_f32(OP_MAX))
#pragma omp declare reduction(larger:double                                                        \
                              : omp_out = combine_f64(OP_MAX, omp_out, omp_in))                    \
    initializer(omp_priv = identity_f64(OP_MAX))
#pragma omp declare reduction(smaller:float                                                        \
                              : omp_out = combine_f32(OP_MIN, omp_out, omp_in))                    \
    initializer(omp_priv = identity_f32(OP_MIN))
#pragma omp declare reduction(smaller:double                                                       \
                              : omp_out = combine_f64(OP_MIN, omp_out, omp_in))                    \
    initializer(omp_priv = identity_f64(OP_MIN))

static float max_f32(const float *a, size_t n)
{
    float result = identity_f32(OP_MAX);

#pragma omp simd reduction(larger : result)
    for (size_t i = 0; i < n; i++)
        result = combine_f32(OP_MAX, result, a[i]);
    return result;
}

static float max_f16(const uint16_t *a, size_t n)
{
    float result = identity_f32(OP_MAX);

#pragma omp simd reduction(larger : result)
    for (size_t i = 0; i < n; i++)
        result = combine_f32(OP_MAX, result, float_of_half(a[i]));
    return result;
}

static double max_f64(const double *a, size_t n)
{
    double result = identity_f64(OP_MAX);

#pragma omp simd reduction(larger : result)
    for (size_t i = 0; i < n; i++)
        result = combine_f64(OP_MAX, result, a[i]);
    return result;
}

static float min_f32(const float *a, size_t n)
{
    float result = identity_f32(OP_MIN);

#pragma omp simd reduction(smaller : result)
    for (size_t i = 0; i < n; i++)
        result = combine_f32(OP_MIN, result, a[i]);
    return result;
}

static float min_f16(const uint16_t *a, size_t n)
{
    float result = identity_f32(OP_MIN);

#pragma omp simd reduction(smaller : result)
    for (size_t i = 0; i < n; i++)
        result = combine_f32(OP_MIN, result, float_of_half(a[i]));
    return result;
}

static double min_f64(const double *a, size_t n)
{
    double result = identity_f64(OP_MIN);

#pragma omp simd reduction(smaller : result)
    for (size_t i = 0; i < n; i++)
        result = combine_f64(OP_MIN, result, a[i]);
    return result;
}

static float run_f32(const struct reduction *call)
{
    switch (call->op) {
    case OP_DOT:
        return call->type == TYPE_MIXED ? dot_mixed(call->a, call->b, call->n)
                                        : lanes_dot(call->a, call->b, call->n);
    case OP_SUM:
        return sum_f32(call->a, call->n);
    case OP_MAX:
        return max_f32(call->a, call->n);
    default:
        return min_f32(call->a, call->n);
    }
}

static float run_f16(const struct reduction *call)
{
    switch (call->op) {
    case OP_DOT:
        return dot_f16(call->a, call->b, call->n);
    case OP_SUM:
        return sum_f16(call->a, call->n);
    case OP_MAX:
        return max_f16(call->a, call->n);
    default:
        return min_f16(call->a, call->n);
    }
}

static double run_f64(const struct reduction *call)
{
    switch (call->op) {
    case OP_DOT:
        return call->type == TYPE_F32_F64 ? dot_f32_f64(call->a, call->b, call->n)
                                          : dot_f64(call->a, call->b, call->n);
    case OP_SUM:
        return sum_f64(call->a, call->n);
    case OP_MAX:
        return max_f64(call->a, call->n);
    default:
        return min_f64(call->a, call->n);
    }
}

void run_lanes(const struct reduction *call)
{
    if (is_f64_result(call->type))
        *(double *)call->result = run_f64(call);
    else
        *(float *)call->result = call->type == TYPE_F16 ? run_f16(call) : run_f32(call);
}

void how_lanes(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "compiled for %s", compiled_for());
}
/* SPDX-License-Identifier: MIT */
