/* Step 01, rung `naive`: the loop that follows the definition. */
#include "ladder.h"

#include <stdio.h>

#include "problem/reduction/operators.h"

/* One accumulator, one element after the other.
 *
 * Better than `dynamic`: the compiler knows the types, so the loop does no work for them.
 * Still bad: every addition waits two to four cycles for the one before it. The CPU could start two
 * additions per cycle, each of several numbers. But C guarantees the order of the additions: each
 * one rounds, so another order gives another result. */
static float naive_dot(const float *a, const float *b, size_t n)
{
    float result = 0;

    for (size_t i = 0; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* ---- the same for the other operators and types ---------------------------------------------- */

SPECIALIZED void naive_f32(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    float result = identity_f32(op);

    for (size_t i = 0; i < call->n; i++)
        result = combine_f32(op, result, term_f32(op, type, a, b, i));
    *(float *)call->result = result;
}

SPECIALIZED void naive_f64(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    double result = identity_f64(op);

    for (size_t i = 0; i < call->n; i++)
        result = combine_f64(op, result, term_f64(op, type, a, b, i));
    *(double *)call->result = result;
}

void run_naive(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = naive_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, naive_f32, naive_f64);
}

/* The compiler may not use SIMD additions for a chain: it adds one number at a time. */
void how_chain(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "scalar, 1 thread");
}
/* SPDX-License-Identifier: MIT */
