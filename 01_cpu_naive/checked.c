/* Step 01, rung `checked`: the cost of a check of every index. */
#include <stdlib.h>

#include "ladder.h"
#include "problem/reduction/operators.h"

/* An array that knows its length, as in languages that report an index out of bounds as an error
 * instead of reading other memory. */
struct vector {
    const void *elements;
    size_t length;
};

/* Each vector has a length of its own, known only at run time. If the compiler could see that both
 * lengths are call->n, it would remove most checks. */
static struct vector vector_of(const void *elements, size_t length)
{
    __asm__("" : "+r"(length)); /* emits nothing, but may change `length` */
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

/* `unrolled` with a check at each access. The compiler does not know that `a.length` is `n`.
 *
 * Better than `unrolled`: a wrong index ends the program at once, instead of a wrong result later.
 * Bad: every load needs a comparison and a branch. An iteration has sixteen exits, so the compiler
 * cannot turn it into SIMD instructions. */
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
