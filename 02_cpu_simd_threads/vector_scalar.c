/* Step 02, rungs `one_register` and `vector` for every other CPU: each register holds one number,
 * and `vector` uses several of them. */
#include "problem/reduction/operators.h"
#include "vector.h"

static float one_register_dot(const float *a, const float *b, size_t n)
{
    float s = 0;

    for (size_t i = 0; i < n; i++)
        s += a[i] * b[i];
    return s;
}

static float vector_dot(const float *a, const float *b, size_t n)
{
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[i];
        s1 += a[i + 1] * b[i + 1];
        s2 += a[i + 2] * b[i + 2];
        s3 += a[i + 3] * b[i + 3];
    }
    for (; i < n; i++)
        s0 += a[i] * b[i];
    return (s0 + s2) + (s1 + s3);
}

/* ---- the same for the other operators and types ---------------------------------------------- */

SPECIALIZED void one_f32(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    float s0 = identity_f32(op);

    for (size_t i = 0; i < call->n; i++)
        s0 = combine_f32(op, s0, term_f32(op, type, a, b, i));
    *(float *)call->result = s0;
}

SPECIALIZED void several_f32(enum reduce_op op, enum element_type type,
                             const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    float s0 = identity_f32(op), s1 = s0, s2 = s0, s3 = s0;
    const size_t n = call->n;
    size_t i = 0;

    if (op == OP_DOT) {
        for (; i + 4 <= n; i += 4) {
            s0 = combine_f32(op, s0, term_f32(op, type, a, b, i));
            s1 = combine_f32(op, s1, term_f32(op, type, a, b, i + 1));
            s2 = combine_f32(op, s2, term_f32(op, type, a, b, i + 2));
            s3 = combine_f32(op, s3, term_f32(op, type, a, b, i + 3));
        }
    } else {
        float s4 = s0, s5 = s0, s6 = s0, s7 = s0;
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
        s0 = combine_f32(op, s0, s4);
        s1 = combine_f32(op, s1, s5);
        s2 = combine_f32(op, s2, s6);
        s3 = combine_f32(op, s3, s7);
    }
    for (; i < n; i++)
        s0 = combine_f32(op, s0, term_f32(op, type, a, b, i));
    s0 = combine_f32(op, s0, s2);
    s1 = combine_f32(op, s1, s3);
    *(float *)call->result = combine_f32(op, s0, s1);
}

SPECIALIZED void one_f64(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    double s0 = identity_f64(op);

    for (size_t i = 0; i < call->n; i++)
        s0 = combine_f64(op, s0, term_f64(op, type, a, b, i));
    *(double *)call->result = s0;
}

SPECIALIZED void several_f64(enum reduce_op op, enum element_type type,
                             const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    double s0 = identity_f64(op), s1 = s0, s2 = s0, s3 = s0;
    const size_t n = call->n;
    size_t i = 0;

    if (op == OP_DOT) {
        for (; i + 4 <= n; i += 4) {
            s0 = combine_f64(op, s0, term_f64(op, type, a, b, i));
            s1 = combine_f64(op, s1, term_f64(op, type, a, b, i + 1));
            s2 = combine_f64(op, s2, term_f64(op, type, a, b, i + 2));
            s3 = combine_f64(op, s3, term_f64(op, type, a, b, i + 3));
        }
    } else {
        double s4 = s0, s5 = s0, s6 = s0, s7 = s0;
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
        s0 = combine_f64(op, s0, s4);
        s1 = combine_f64(op, s1, s5);
        s2 = combine_f64(op, s2, s6);
        s3 = combine_f64(op, s3, s7);
    }
    for (; i < n; i++)
        s0 = combine_f64(op, s0, term_f64(op, type, a, b, i));
    s0 = combine_f64(op, s0, s2);
    s1 = combine_f64(op, s1, s3);
    *(double *)call->result = combine_f64(op, s0, s1);
}

/* ---- the rungs ------------------------------------------------------------------------------- */

void one_register_scalar(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = one_register_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, one_f32, one_f64);
}

void vector_scalar(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = vector_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, several_f32, several_f64);
}
/* SPDX-License-Identifier: MIT */
