/* Step 01, rungs `wider_accumulator`, `pairwise` and `compensated`: three changes to `naive`, each
 * of which makes the error smaller. */
#include <float.h>
#include <stdio.h>

#include "ladder.h"
#include "problem/reduction/operators.h"

/* `naive` with an accumulator of the next wider type.
 *
 * Better than `naive`: for float, additions now round at 2^-53 instead of 2^-24. Products still
 * round to float. For double, x86 has a wider long double (64 bits of significand instead of 53).
 * Still bad: the chain is just as long, and conversions or x87 registers take extra time. The
 * widest type has no wider one. */
static float wider_dot(const float *a, const float *b, size_t n)
{
    double result = 0;

    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return (float)result;
}

/* Adds the results of the two halves. A short input is summed by the loop of `naive`.
 *
 * Better than `wider_accumulator`: it needs no wider type. A term is rounded PAIRWISE_BLOCK +
 * log2(n / PAIRWISE_BLOCK) times instead of n times.
 * Still bad: a block is summed by the chain of `naive`. (Blocks are independent, so the CPU can
 * start the next one early.) */
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

/* Kahan's summation: `correction` is the rounding error of the last addition. The next term takes
 * it back out.
 *
 * Better than `pairwise`: the error hardly grows with n. (Max and min never round.)
 * Bad: the chain has four additions per term instead of one. In algebra the correction is always 0,
 * so -ffast-math lets the compiler remove it. */
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
    /* With an infinity the correction becomes inf - inf, which is NaN. The plain sum is then the
     * right answer. */
    if (!isfinite(is_f64 ? *(double *)call->result : (double)*(float *)call->result))
        run_naive(call);
}

/* ---- how often a term is rounded, in roundings of the result's type (compare.h) -------------- */

/* n roundings in the wider type, and one when the result becomes a float or double again. */
double depth_wider_accumulator(const struct reduction *call)
{
    const double n = (double)call->n;
    return is_f64_result(call->type) ? 1 + n * (double)(LDBL_EPSILON / DBL_EPSILON)
                                     : 1 + n * (DBL_EPSILON / FLT_EPSILON);
}

/* The additions in a block, plus one per level. The parts of one level differ by at most one
 * element. A part of 129 is cut once more than a part of 128, so the smaller part then has the
 * longer chain. */
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

/* Each iteration computes result' - correction' = result - correction + term. The rounding
 * errors are those of (term - correction) and, if the term is larger than the result, of (next -
 * result): at most 2 u |term - correction|. Corrections are at most u * sum |terms|. The last one
 * is not taken back. Relative to sum |terms| this makes 3 u + 2 n u^2. */
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
