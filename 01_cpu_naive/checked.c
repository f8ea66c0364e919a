/* Step 01, rung `checked`: what it costs to check every index. */
#include <stdlib.h>

#include "ladder.h"
#include "problem/reduction/operators.h"

/* Elements and how many there are, as languages have them in which an index out of bounds is an
 * error and not somebody else's memory. */
struct vector {
    const void *elements;
    size_t length;
};

/* The length of each vector is its own, and known only when the program runs. If the compiler could
 * see that both are call->n, it would remove most checks, as it does where it can prove them. */
static struct vector vector_of(const void *elements, size_t length)
{
    __asm__("" : "+r"(length)); /* no instructions, but `length` may have changed */
    return (struct vector){elements, length};
}

SPECIALIZED size_t in_bounds(struct vector vector, size_t i)
{
    if (i >= vector.length)
        abort();
    return i;
}

SPECIALIZED float at(struct vector vector, size_t i)
{
    return ((const float *)vector.elements)[in_bounds(vector, i)];
}

/* `unrolled` with a check at each access. `a.length` is not known to be `n` either.
 *
 * Better than `unrolled`: a mistake in an index ends the program at once, in place of a wrong
 * result later. Bad: a comparison and a branch for every load; and with sixteen ways out, an
 * iteration is no longer one block of code that the compiler could turn into SIMD instructions. */
static float checked_dot(struct vector a, struct vector b, size_t n)
{
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        s0 += at(a, i) * at(b, i);
        s1 += at(a, i + 1) * at(b, i + 1);
        s2 += at(a, i + 2) * at(b, i + 2);
        s3 += at(a, i + 3) * at(b, i + 3);
        s4 += at(a, i + 4) * at(b, i + 4);
        s5 += at(a, i + 5) * at(b, i + 5);
        s6 += at(a, i + 6) * at(b, i + 6);
        s7 += at(a, i + 7) * at(b, i + 7);
    }
    for (; i < n; i++)
        s0 += at(a, i) * at(b, i);
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7));
}

/* ---- the same for the other operators and types ---------------------------------------------- */

SPECIALIZED float term_at_f32(enum reduce_op op, enum element_type type, struct vector a,
                              struct vector b, size_t i)
{
    in_bounds(a, i);
    if (op == OP_DOT)
        in_bounds(b, i);
    return term_f32(op, type, a.elements, b.elements, i);
}

SPECIALIZED double term_at_f64(enum reduce_op op, enum element_type type, struct vector a,
                               struct vector b, size_t i)
{
    in_bounds(a, i);
    if (op == OP_DOT)
        in_bounds(b, i);
    return term_f64(op, type, a.elements, b.elements, i);
}

SPECIALIZED void checked_f32(enum reduce_op op, enum element_type type,
                             const struct reduction *call)
{
    const struct vector a = vector_of(call->a, call->n), b = vector_of(call->b, call->n);
    float s[8];
    size_t i = 0;

    for (int k = 0; k < 8; k++)
        s[k] = identity_f32(op);
    for (; i + 8 <= call->n; i += 8)
        for (size_t k = 0; k < 8; k++)
            s[k] = combine_f32(op, s[k], term_at_f32(op, type, a, b, i + k));
    for (; i < call->n; i++)
        s[0] = combine_f32(op, s[0], term_at_f32(op, type, a, b, i));
    for (int half = 4; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            s[k] = combine_f32(op, s[k], s[k + half]);
    *(float *)call->result = s[0];
}

SPECIALIZED void checked_f64(enum reduce_op op, enum element_type type,
                             const struct reduction *call)
{
    const struct vector a = vector_of(call->a, call->n), b = vector_of(call->b, call->n);
    double s[8];
    size_t i = 0;

    for (int k = 0; k < 8; k++)
        s[k] = identity_f64(op);
    for (; i + 8 <= call->n; i += 8)
        for (size_t k = 0; k < 8; k++)
            s[k] = combine_f64(op, s[k], term_at_f64(op, type, a, b, i + k));
    for (; i < call->n; i++)
        s[0] = combine_f64(op, s[0], term_at_f64(op, type, a, b, i));
    for (int half = 4; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            s[k] = combine_f64(op, s[k], s[k + half]);
    *(double *)call->result = s[0];
}

void run_checked(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result =
            checked_dot(vector_of(call->a, call->n), vector_of(call->b, call->n), call->n);
    else
        reduce_specialized(call, checked_f32, checked_f64);
}
/* SPDX-License-Identifier: MIT */
