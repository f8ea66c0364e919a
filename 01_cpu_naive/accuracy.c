/* Step 01, rungs `wider_accumulator`, `pairwise` and `compensated`: three ways to a smaller error,
 * each a change to `naive`. */
#include <float.h>
#include <stdio.h>

#include "ladder.h"
#include "problem/reduction/operators.h"

/* `naive` with an accumulator of the next wider type.
 *
 * Better than `naive`: for float, the additions round at 2^-53 where they rounded at 2^-24; the
 * products still round to float, since only the accumulator is wider. For double, long double is
 * wider on x86 (64 bits of significand in place of 53). Still bad: the chain is as long. What a
 * conversion or x87's registers cost comes on top, and there is no next wider type for ever. */
static float wider_dot(const float *a, const float *b, size_t n)
{
    double result = 0;

    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return (float)result;
}

/* The two halves' results, added; a short input is left to the loop of `naive`.
 *
 * Better than `wider_accumulator`: needs no wider type, and a term meets PAIRWISE_BLOCK + log2(n /
 * PAIRWISE_BLOCK) roundings where it met n. Still bad: within a block, the chain of `naive`.
 * (Blocks do not wait for each other, though: the CPU starts the next one while the chain of this
 * one is still busy.) */
static float pairwise_dot(const float *a, const float *b, size_t n)
{
    if (n <= PAIRWISE_BLOCK) {
        float result = 0;
        for (size_t i = 0; i < n; i++)
            result += a[i] * b[i];
        return result;
    }

    const size_t half = n / 2;
    return pairwise_dot(a, b, half) + pairwise_dot(a + half, b + half, n - half);
}

/* Kahan's summation: `correction` is what rounding took from the last addition, given back at the
 * next.
 *
 * Better than `pairwise`: an error that hardly grows with n. Bad: four additions in the chain where
 * there was one. Algebra says that the correction is always 0, so a compiler that may calculate as
 * in algebra (-ffast-math) removes it. Max and min never round. */
static float compensated_dot(const float *a, const float *b, size_t n)
{
    float result = 0, correction = 0;

    for (size_t i = 0; i < n; i++) {
        const float term = a[i] * b[i] - correction;
        const float next = result + term;
        correction = (next - result) - term;
        result = next;
    }
    return result;
}

/* ---- the same for the other operators and types ---------------------------------------------- */

SPECIALIZED void wider_f32(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    double result = identity_f64(op);

    for (size_t i = 0; i < call->n; i++)
        result = combine_f64(op, result, (double)term_f32(op, type, a, b, i));
    *(float *)call->result = (float)result;
}

SPECIALIZED long double combine_long_double(enum reduce_op op, long double x, long double y)
{
    switch (op) {
    case OP_MAX:
        return x > y || x != x ? x : y;
    case OP_MIN:
        return x < y || x != x ? x : y;
    default:
        return x + y;
    }
}

SPECIALIZED void wider_f64(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    long double result = identity_f64(op);

    for (size_t i = 0; i < call->n; i++)
        result = combine_long_double(op, result, term_f64(op, type, a, b, i));
    *(double *)call->result = (double)result;
}

/* Elements `first` to `first + n - 1`. */
static float half_f32(enum reduce_op op, enum element_type type, const void *a, const void *b,
                      size_t first, size_t n)
{
    if (n <= PAIRWISE_BLOCK) {
        float result = identity_f32(op);
        for (size_t i = first; i < first + n; i++)
            result = combine_f32(op, result, term_f32(op, type, a, b, i));
        return result;
    }

    const size_t half = n / 2;
    const float left = half_f32(op, type, a, b, first, half);
    return combine_f32(op, left, half_f32(op, type, a, b, first + half, n - half));
}

static double half_f64(enum reduce_op op, enum element_type type, const void *a, const void *b,
                       size_t first, size_t n)
{
    if (n <= PAIRWISE_BLOCK) {
        double result = identity_f64(op);
        for (size_t i = first; i < first + n; i++)
            result = combine_f64(op, result, term_f64(op, type, a, b, i));
        return result;
    }

    const size_t half = n / 2;
    const double left = half_f64(op, type, a, b, first, half);
    return combine_f64(op, left, half_f64(op, type, a, b, first + half, n - half));
}

SPECIALIZED void pairwise_f32(enum reduce_op op, enum element_type type,
                              const struct reduction *call)
{
    *(float *)call->result = half_f32(op, type, call->a, call->b, 0, call->n);
}

SPECIALIZED void pairwise_f64(enum reduce_op op, enum element_type type,
                              const struct reduction *call)
{
    *(double *)call->result = half_f64(op, type, call->a, call->b, 0, call->n);
}

SPECIALIZED void compensated_f32(enum reduce_op op, enum element_type type,
                                 const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    float result = 0, correction = 0;

    for (size_t i = 0; i < call->n; i++) {
        const float term = term_f32(op, type, a, b, i) - correction;
        const float next = result + term;
        correction = (next - result) - term;
        result = next;
    }
    *(float *)call->result = result;
}

SPECIALIZED void compensated_f64(enum reduce_op op, enum element_type type,
                                 const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    double result = 0, correction = 0;

    for (size_t i = 0; i < call->n; i++) {
        const double term = term_f64(op, type, a, b, i) - correction;
        const double next = result + term;
        correction = (next - result) - term;
        result = next;
    }
    *(double *)call->result = result;
}

/* ---- the rungs ------------------------------------------------------------------------------- */

void run_wider_accumulator(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = wider_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, wider_f32, wider_f64);
}

void run_pairwise(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = pairwise_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, pairwise_f32, pairwise_f64);
}

void run_compensated(const struct reduction *call)
{
    const bool is_f64 = is_f64_result(call->type);

    if (call->op == OP_MAX || call->op == OP_MIN) {
        run_naive(call);
        return;
    }
    if (is_float_dot(call))
        *(float *)call->result = compensated_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, compensated_f32, compensated_f64);
    /* An infinity leaves inf - inf, a NaN, as the correction. The plain sum is what it should
     * be. */
    if (!isfinite(is_f64 ? *(double *)call->result : (double)*(float *)call->result))
        run_naive(call);
}

/* ---- roundings on the way of a term, in units of the type's own (compare.h) ------------------ */

/* n at the wider type's precision, and one when the result becomes a float or double again. */
double depth_wider_accumulator(const struct reduction *call)
{
    const double n = (double)call->n;
    return is_f64_result(call->type) ? 1 + n * (double)(LDBL_EPSILON / DBL_EPSILON)
                                     : 1 + n * (DBL_EPSILON / FLT_EPSILON);
}

/* The smaller half's way down to a block, and the block; the larger half's if that is longer. The
 * parts of a level differ by one at most. Where the smaller is a block of 128 the larger, of 129,
 * is cut again, and the smaller has the longer chain. */
double depth_pairwise(const struct reduction *call)
{
    size_t smaller = call->n, larger = call->n;
    double levels = 0;

    for (; smaller > PAIRWISE_BLOCK; levels++) {
        smaller /= 2;
        larger -= larger / 2;
    }
    return (double)(larger > PAIRWISE_BLOCK ? smaller : larger) + levels;
}

/* Each iteration computes result' - correction' = result - correction + term, but for the rounding
 * of (term - correction), and of (next - result) when the term is the larger: twice u * |term -
 * correction|. Corrections are at most u * sum |terms|. With the last correction, which is not
 * given back: 3 u + 2 n u^2, as a share of sum |terms|. */
double depth_compensated(const struct reduction *call)
{
    const double u = is_f64_result(call->type) ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
    return 3 + 2 * (double)call->n * u;
}

/* ---- what the rungs use ---------------------------------------------------------------------- */

void how_wider_accumulator(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "scalar %s, 1 thread",
             is_f64_result(call->type) ? "long double" : "double");
}

void how_pairwise(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "scalar, blocks of %d, 1 thread", PAIRWISE_BLOCK);
}

void how_compensated(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    const bool sums = call->op == OP_DOT || call->op == OP_SUM;
    snprintf(text, RUNG_HOW_SIZE, "scalar, %s, 1 thread", sums ? "Kahan" : "nothing rounds");
}
/* SPDX-License-Identifier: MIT */
