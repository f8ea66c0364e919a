/* Step 01, rung `narrow_indices`: the cost of 32-bit indices on a 64-bit CPU. */
#include <limits.h>

#include "ladder.h"
#include "problem/reduction/operators.h"

/* `unrolled` with `unsigned` instead of size_t.
 *
 * Better than `unrolled`: nothing, because a register holds 64 bits either way.
 * Bad: unsigned numbers wrap around to 0 after 2^32 - 1, so a[i] and a[i + 1] may not be
 * neighbours. The compiler computes each address anew and cannot load several elements at a time.
 * (`int` would not have this cost, because its overflow is undefined in C.) A vector of more than
 * 2^32 elements is out of reach. */
static float narrow_dot(const float *a, const float *b, size_t length)
{
    const unsigned n = (unsigned)length;
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    unsigned i = 0;

    for (; i + 8 <= n; i += 8) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
        s4 += a[i + 4] * b[i + 4];
        s5 += a[i + 5] * b[i + 5];
        s6 += a[i + 6] * b[i + 6];
        s7 += a[i + 7] * b[i + 7];
    }
    for (; i < n; i++)
        s0 += a[i] * b[i];
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7));
}

/* ---- the same for the other operators and types ---------------------------------------------- */

SPECIALIZED void narrow_f32(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    float s0 = identity_f32(op), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    const unsigned n = (unsigned)call->n;
    unsigned i = 0;

    for (; i + 8 <= n; i += 8) {
        s0 = combine_f32(op, s0, term_f32(op, type, a, b, i));
        s1 = combine_f32(op, s1, term_f32(op, type, a, b, i + 1));
        s2 = combine_f32(op, s2, term_f32(op, type, a, b, i + 2));
        s3 = combine_f32(op, s3, term_f32(op, type, a, b, i + 3));
        s4 = combine_f32(op, s4, term_f32(op, type, a, b, i + 4));
        s5 = combine_f32(op, s5, term_f32(op, type, a, b, i + 5));
        s6 = combine_f32(op, s6, term_f32(op, type, a, b, i + 6));
        s7 = combine_f32(op, s7, term_f32(op, type, a, b, i + 7));
    }
    for (; i < n; i++)
        s0 = combine_f32(op, s0, term_f32(op, type, a, b, i));
    s0 = combine_f32(op, combine_f32(op, s0, s4), combine_f32(op, s2, s6));
    s1 = combine_f32(op, combine_f32(op, s1, s5), combine_f32(op, s3, s7));
    *(float *)call->result = combine_f32(op, s0, s1);
}

SPECIALIZED void narrow_f64(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    double s0 = identity_f64(op), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    const unsigned n = (unsigned)call->n;
    unsigned i = 0;

    for (; i + 8 <= n; i += 8) {
        s0 = combine_f64(op, s0, term_f64(op, type, a, b, i));
        s1 = combine_f64(op, s1, term_f64(op, type, a, b, i + 1));
        s2 = combine_f64(op, s2, term_f64(op, type, a, b, i + 2));
        s3 = combine_f64(op, s3, term_f64(op, type, a, b, i + 3));
        s4 = combine_f64(op, s4, term_f64(op, type, a, b, i + 4));
        s5 = combine_f64(op, s5, term_f64(op, type, a, b, i + 5));
        s6 = combine_f64(op, s6, term_f64(op, type, a, b, i + 6));
        s7 = combine_f64(op, s7, term_f64(op, type, a, b, i + 7));
    }
    for (; i < n; i++)
        s0 = combine_f64(op, s0, term_f64(op, type, a, b, i));
    s0 = combine_f64(op, combine_f64(op, s0, s4), combine_f64(op, s2, s6));
    s1 = combine_f64(op, combine_f64(op, s1, s5), combine_f64(op, s3, s7));
    *(double *)call->result = combine_f64(op, s0, s1);
}

void run_narrow_indices(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = narrow_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, narrow_f32, narrow_f64);
}

const char *declines_narrow_indices(const struct reduction *call)
{
    return call->n > UINT_MAX - 8 ? "its indices end at 2^32" : NULL;
}
/* SPDX-License-Identifier: MIT */
