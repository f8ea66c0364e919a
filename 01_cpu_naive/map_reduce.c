/* Step 01, rungs `map_reduce_pointers` and `map_reduce_inline`: a library's loop calls functions
 * that we write. */
#include "map_reduce.h"

#include "ladder.h"
#include "problem/reduction/operators.h"

static void multiply(const void *a, const void *b, size_t i, void *term)
{
    *(float *)term = ((const float *)a)[i] * ((const float *)b)[i];
}

static void add(void *result, const void *term)
{
    *(float *)result += *(const float *)term;
}

/* `naive` in the form of a library: one loop for all types and operators, which it gets as
 * functions.
 *
 * Better than `naive`: the loop is written only once.
 * Bad: each element costs two calls through pointers. The functions find the result in memory, so
 * it is stored and loaded between them. */
static float pointers_dot(const float *a, const float *b, size_t n)
{
    float result = 0, term;

    map_reduce(a, b, n, multiply, add, &term, &result);
    return result;
}

/* Better than `map_reduce_pointers`: the compiler sees the loop and the functions together and
 * inlines them. The machine code is that of `naive`, or nearly so.
 * Still bad: it is as slow as `naive`. */
static float inline_dot(const float *a, const float *b, size_t n)
{
    float result = 0, term;

    map_reduce_inline(a, b, n, multiply, add, &term, &result);
    return result;
}

/* ---- functions for the other operators and types --------------------------------------------- */

static void multiply_mixed(const void *a, const void *b, size_t i, void *term)
{
    *(float *)term = ((const float *)a)[i] * (float)((const unsigned char *)b)[i];
}

static void multiply_f32_f64(const void *a, const void *b, size_t i, void *term)
{
    *(double *)term = (double)((const float *)a)[i] * ((const double *)b)[i];
}

static void multiply_f16(const void *a, const void *b, size_t i, void *term)
{
    *(float *)term = element_f32(TYPE_F16, a, i) * element_f32(TYPE_F16, b, i);
}

static void multiply_f64(const void *a, const void *b, size_t i, void *term)
{
    *(double *)term = ((const double *)a)[i] * ((const double *)b)[i];
}

static void take_f32(const void *a, const void *b, size_t i, void *term)
{
    (void)b;
    *(float *)term = ((const float *)a)[i];
}

static void take_f16(const void *a, const void *b, size_t i, void *term)
{
    (void)b;
    *(float *)term = element_f32(TYPE_F16, a, i);
}

static void take_f64(const void *a, const void *b, size_t i, void *term)
{
    (void)b;
    *(double *)term = ((const double *)a)[i];
}

static void add_f64(void *result, const void *term)
{
    *(double *)result += *(const double *)term;
}

static void larger_f32(void *result, const void *term)
{
    *(float *)result = combine_f32(OP_MAX, *(float *)result, *(const float *)term);
}

static void larger_f64(void *result, const void *term)
{
    *(double *)result = combine_f64(OP_MAX, *(double *)result, *(const double *)term);
}

static void smaller_f32(void *result, const void *term)
{
    *(float *)result = combine_f32(OP_MIN, *(float *)result, *(const float *)term);
}

static void smaller_f64(void *result, const void *term)
{
    *(double *)result = combine_f64(OP_MIN, *(double *)result, *(const double *)term);
}

SPECIALIZED map_function *map_of(enum reduce_op op, enum element_type type)
{
    const bool dot = op == OP_DOT;

    switch (type) {
    case TYPE_F64:
        return dot ? multiply_f64 : take_f64;
    case TYPE_F16:
        return dot ? multiply_f16 : take_f16;
    case TYPE_MIXED:
        return multiply_mixed;
    case TYPE_F32_F64:
        return multiply_f32_f64;
    default:
        return dot ? multiply : take_f32;
    }
}

SPECIALIZED combine_function *combine_of(enum reduce_op op, enum element_type type)
{
    /* is_f64_result would not do: gcc would see too late that the functions are constants. */
    const bool is_f64 = type == TYPE_F64 || type == TYPE_F32_F64;

    return op == OP_MAX   ? (is_f64 ? larger_f64 : larger_f32)
           : op == OP_MIN ? (is_f64 ? smaller_f64 : smaller_f32)
                          : (is_f64 ? add_f64 : add);
}

/* ---- the rungs ------------------------------------------------------------------------------- */

/* `map_reduce_pointers` chooses its functions at run time, `map_reduce_inline` at compile time. */
static void pointers_other(const struct reduction *call)
{
    map_function *const map = map_of(call->op, call->type);
    combine_function *const combine = combine_of(call->op, call->type);

    if (is_f64_result(call->type)) {
        double term, *const result = call->result;
        *result = identity_f64(call->op);
        map_reduce(call->a, call->b, call->n, map, combine, &term, result);
    } else {
        float term, *const result = call->result;
        *result = identity_f32(call->op);
        map_reduce(call->a, call->b, call->n, map, combine, &term, result);
    }
}

SPECIALIZED void inline_f32(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    float result = identity_f32(op), term;

    map_reduce_inline(call->a, call->b, call->n, map_of(op, type), combine_of(op, type), &term,
                      &result);
    *(float *)call->result = result;
}

SPECIALIZED void inline_f64(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    double result = identity_f64(op), term;

    map_reduce_inline(call->a, call->b, call->n, map_of(op, type), combine_of(op, type), &term,
                      &result);
    *(double *)call->result = result;
}

void run_map_reduce_pointers(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = pointers_dot(call->a, call->b, call->n);
    else
        pointers_other(call);
}

void run_map_reduce_inline(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = inline_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, inline_f32, inline_f64);
}
/* SPDX-License-Identifier: MIT */
