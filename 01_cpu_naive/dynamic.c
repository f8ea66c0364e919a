/* Step 01, rung `dynamic`: the loop of a language that stores a value's type with the value. */
#include <math.h>
#include <stdint.h>

#include "base/half.h"
#include "problem/reduction/reduction.h"

/* In the order of promotion: the result has the later one of the two operands' kinds. Vectors may
 * store FLOAT16 elements, but as a value such an element is a FLOAT32. */
enum kind { INTEGER, FLOAT16, FLOAT32, FLOAT64 };

struct value {
    enum kind kind;
    union {
        int64_t integer;
        float float32;
        double float64;
    } as;
};

static struct value integer(int64_t x)
{
    return (struct value){INTEGER, {.integer = x}};
}

static struct value float32(float x)
{
    return (struct value){FLOAT32, {.float32 = x}};
}

static struct value float64(double x)
{
    return (struct value){FLOAT64, {.float64 = x}};
}

static float as_float32(struct value x)
{
    return x.kind == INTEGER   ? (float)x.as.integer
           : x.kind == FLOAT32 ? x.as.float32
                               : (float)x.as.float64;
}

static double as_float64(struct value x)
{
    return x.kind == INTEGER   ? (double)x.as.integer
           : x.kind == FLOAT32 ? x.as.float32
                               : x.as.float64;
}

static enum kind promoted(struct value x, struct value y)
{
    return x.kind > y.kind ? x.kind : y.kind;
}

static struct value add(struct value x, struct value y)
{
    switch (promoted(x, y)) {
    case INTEGER:
        return integer(x.as.integer + y.as.integer);
    case FLOAT32:
        return float32(as_float32(x) + as_float32(y));
    default:
        return float64(as_float64(x) + as_float64(y));
    }
}

static struct value multiply(struct value x, struct value y)
{
    switch (promoted(x, y)) {
    case INTEGER:
        return integer(x.as.integer * y.as.integer);
    case FLOAT32:
        return float32(as_float32(x) * as_float32(y));
    default:
        return float64(as_float64(x) * as_float64(y));
    }
}

/* Both operands are floats here. A NaN wins (reduction.h). */
static struct value larger(struct value x, struct value y)
{
    const double left = as_float64(x), right = as_float64(y);
    return left > right || left != left ? x : y;
}

static struct value smaller(struct value x, struct value y)
{
    const double left = as_float64(x), right = as_float64(y);
    return left < right || left != left ? x : y;
}

static struct value element(const void *vector, enum kind kind, size_t i)
{
    switch (kind) {
    case INTEGER:
        return integer(((const unsigned char *)vector)[i]);
    case FLOAT16:
        return float32(float_of_half(((const uint16_t *)vector)[i]));
    case FLOAT32:
        return float32(((const float *)vector)[i]);
    default:
        return float64(((const double *)vector)[i]);
    }
}

static struct value combine(enum reduce_op op, struct value x, struct value y)
{
    switch (op) {
    case OP_MAX:
        return larger(x, y);
    case OP_MIN:
        return smaller(x, y);
    default:
        return add(x, y);
    }
}

/* One accumulator. The last addition decides its type: the integer 0 before the loop, a float after
 * the first iteration.
 *
 * Bad: most of the work is not the addition. Each iteration tests the kind of both operands,
 * converts them, and stores the result with its kind. The accumulator waits for all of it. */
static struct value dynamic(enum reduce_op op, const void *a, enum kind a_kind, const void *b,
                            enum kind b_kind, size_t n)
{
    struct value result = op == OP_MAX   ? float64(-INFINITY)
                          : op == OP_MIN ? float64(INFINITY)
                                         : integer(0);

    for (size_t i = 0; i < n; i++) {
        struct value term = element(a, a_kind, i);
        if (op == OP_DOT)
            term = multiply(term, element(b, b_kind, i));
        result = combine(op, result, term);
    }
    return result;
}

void run_dynamic(const struct reduction *call)
{
    const enum kind a_kind = call->type == TYPE_F64   ? FLOAT64
                             : call->type == TYPE_F16 ? FLOAT16
                                                      : FLOAT32;
    const enum kind b_kind = call->type == TYPE_MIXED     ? INTEGER
                             : call->type == TYPE_F32_F64 ? FLOAT64
                                                          : a_kind;
    const struct value result = dynamic(call->op, call->a, a_kind, call->b, b_kind, call->n);

    if (is_f64_result(call->type))
        *(double *)call->result = as_float64(result);
    else
        *(float *)call->result = as_float32(result);
}
/* SPDX-License-Identifier: MIT */
