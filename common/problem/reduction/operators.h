/* The operators of reductions on the CPU, so that a rung's loop is written once for all of them.
 *
 * A rung has one loop for floats and one for doubles; both take the operator as an argument.
 * reduce_specialized calls them with constants, and everything here is inlined. So the compiler
 * generates a separate loop for each operator, without any switch inside. reduction.h has the rules
 * for NaN and empty input. */
#ifndef RUNGS_OPERATORS_H
#define RUNGS_OPERATORS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/half.h"
#include "problem/reduction/reduction.h"

/* Always inlined: only then is a constant argument a constant in the loop. */
#define SPECIALIZED static inline __attribute__((always_inline))

/* ---- floats: the result is float ------------------------------------------------------------- */

/* The operator's identity: combining with it changes nothing. */
SPECIALIZED float identity_f32(enum reduce_op op)
{
    return op == OP_MAX ? -INFINITY : op == OP_MIN ? INFINITY : 0;
}

/* Keeps NaN, which compares false with every number. If x is NaN, x != x is true and selects x. If
 * y is NaN, the comparison is false, which selects y. */
SPECIALIZED float combine_f32(enum reduce_op op, float x, float y)
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

/* Element i, as a float; TYPE_F16 has halfs. */
SPECIALIZED float element_f32(enum element_type type, const void *elements, size_t i)
{
    return type == TYPE_F16 ? float_of_half(((const uint16_t *)elements)[i])
                            : ((const float *)elements)[i];
}

/* Term number i. b points to elements of the same type as a, for TYPE_MIXED to bytes. */
SPECIALIZED float term_f32(enum reduce_op op, enum element_type type, const void *a, const void *b,
                           size_t i)
{
    const float x = element_f32(type, a, i);

    if (op != OP_DOT)
        return x;
    return x *
           (type == TYPE_MIXED ? (float)((const unsigned char *)b)[i] : element_f32(type, b, i));
}

/* ---- doubles: the result is double ----------------------------------------------------------- */

SPECIALIZED double identity_f64(enum reduce_op op)
{
    return op == OP_MAX ? -(double)INFINITY : op == OP_MIN ? (double)INFINITY : 0;
}

SPECIALIZED double combine_f64(enum reduce_op op, double x, double y)
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

/* Term number i. b, for dot, points to doubles. So does a, except for TYPE_F32_F64, where a points
 * to floats, which become doubles before they are multiplied. */
SPECIALIZED double term_f64(enum reduce_op op, enum element_type type, const void *a, const void *b,
                            size_t i)
{
    const double x = type == TYPE_F32_F64 ? (double)((const float *)a)[i] : ((const double *)a)[i];

    return op == OP_DOT ? x * ((const double *)b)[i] : x;
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* The reduction of elements `first` to `first + n - 1` only, with its result in *result. */
static inline struct reduction reduction_part(const struct reduction *call, size_t first, size_t n,
                                              void *result)
{
    struct reduction part = *call;

    part.a = (const char *)call->a + first * element_size(call->type);
    if (call->op == OP_DOT)
        part.b = (const char *)call->b + first * second_size(call->type);
    part.n = n;
    part.result = result;
    return part;
}

/* ---- a loop for each operator ---------------------------------------------------------------- */

/* The dot product of floats. The steps have a separate loop for it, which is written to be read. */
SPECIALIZED bool is_float_dot(const struct reduction *call)
{
    return call->op == OP_DOT && call->type == TYPE_F32;
}

/* Loops over the call's input that store the reduction in call->result. */
typedef void loop_f32(enum reduce_op op, enum element_type type, const struct reduction *call);
typedef void loop_f64(enum reduce_op op, enum element_type type, const struct reduction *call);

/* Calls the loop for the call's type; `op` is a constant. */
SPECIALIZED void reduce_by(enum reduce_op op, const struct reduction *call, loop_f32 *f32,
                           loop_f64 *f64)
{
    if (call->type == TYPE_F64)
        f64(op, TYPE_F64, call);
    else if (op == OP_DOT && call->type == TYPE_F32_F64)
        f64(op, TYPE_F32_F64, call);
    else if (call->type == TYPE_F16)
        f32(op, TYPE_F16, call);
    else if (op == OP_DOT && call->type == TYPE_MIXED)
        f32(op, TYPE_MIXED, call);
    else
        f32(op, TYPE_F32, call);
}

/* Calls the loop for the call's type, with operator and type as constants. */
SPECIALIZED void reduce_specialized(const struct reduction *call, loop_f32 *f32, loop_f64 *f64)
{
    switch (call->op) {
    case OP_DOT:
        reduce_by(OP_DOT, call, f32, f64);
        break;
    case OP_SUM:
        reduce_by(OP_SUM, call, f32, f64);
        break;
    case OP_MAX:
        reduce_by(OP_MAX, call, f32, f64);
        break;
    case OP_MIN:
        reduce_by(OP_MIN, call, f32, f64);
        break;
    }
}

#endif
/* SPDX-License-Identifier: MIT */
