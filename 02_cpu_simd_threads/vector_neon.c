/* Step 02, rungs `one_register` and `vector` for 64-bit Arm, where every CPU has NEON: 4 floats or
 * 2 doubles per register. vector_avx512.c explains them. */
#include "vector.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#include "problem/reduction/operators.h"

static float one_register_dot(const float *a, const float *b, size_t n)
{
    float32x4_t s = vdupq_n_f32(0);
    size_t i = 0;

    for (; i + 4 <= n; i += 4)
        s = vfmaq_f32(s, vld1q_f32(a + i), vld1q_f32(b + i));

    float result = vaddvq_f32(s);
    for (; i < n; i++)
        result += a[i] * b[i];
    return result;
}

static float vector_dot(const float *a, const float *b, size_t n)
{
    float32x4_t s0 = vdupq_n_f32(0), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;

    for (; i + 16 <= n; i += 16) {
        s0 = vfmaq_f32(s0, vld1q_f32(a + i), vld1q_f32(b + i));
        s1 = vfmaq_f32(s1, vld1q_f32(a + i + 4), vld1q_f32(b + i + 4));
        s2 = vfmaq_f32(s2, vld1q_f32(a + i + 8), vld1q_f32(b + i + 8));
        s3 = vfmaq_f32(s3, vld1q_f32(a + i + 12), vld1q_f32(b + i + 12));
    }
    for (; i + 4 <= n; i += 4)
        s0 = vfmaq_f32(s0, vld1q_f32(a + i), vld1q_f32(b + i));

    float result = vaddvq_f32(vaddq_f32(vaddq_f32(s0, s2), vaddq_f32(s1, s3)));
    for (; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* ---- the same for the other operators and types: floats -------------------------------------- */

/* The result of these instructions is NaN if either operand is NaN. */
SPECIALIZED float32x4_t join_f32(enum reduce_op op, float32x4_t x, float32x4_t y)
{
    return op == OP_MAX ? vmaxq_f32(x, y) : op == OP_MIN ? vminq_f32(x, y) : vaddq_f32(x, y);
}

/* Converts 4 bytes, 0 or 1, to 4 floats, so b needs no conversion beforehand. */
SPECIALIZED float32x4_t bytes_as_floats(const unsigned char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    const uint16x8_t halves = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(word)));
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(halves)));
}

/* Elements i to i + 3: floats, or halfs that one instruction converts to floats. */
SPECIALIZED float32x4_t load_f32(enum element_type type, const void *elements, size_t i)
{
    if (type == TYPE_F16)
        return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16((const uint16_t *)elements + i)));
    return vld1q_f32((const float *)elements + i);
}

/* Combines terms i to i + 3 into s, lane by lane. */
SPECIALIZED float32x4_t step_f32(enum reduce_op op, enum element_type type, float32x4_t s,
                                 const void *a, const void *b, size_t i)
{
    const float32x4_t x = load_f32(type, a, i);

    if (op != OP_DOT)
        return join_f32(op, s, x);
    const float32x4_t y =
        type == TYPE_MIXED ? bytes_as_floats((const unsigned char *)b + i) : load_f32(type, b, i);
    return vfmaq_f32(s, x, y);
}

SPECIALIZED float fold_f32(enum reduce_op op, float32x4_t s)
{
    return op == OP_MAX ? vmaxvq_f32(s) : op == OP_MIN ? vminvq_f32(s) : vaddvq_f32(s);
}

/* Combines the lanes of s, then the terms from i on, which do not fill a register. */
SPECIALIZED void finish_f32(enum reduce_op op, enum element_type type, float32x4_t s,
                            const struct reduction *call, size_t i)
{
    const void *const a = call->a, *const b = call->b;
    float result = fold_f32(op, s);

    for (; i < call->n; i++)
        result = combine_f32(op, result, term_f32(op, type, a, b, i));
    *(float *)call->result = result;
}

SPECIALIZED void one_f32(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    float32x4_t s0 = vdupq_n_f32(identity_f32(op));
    size_t i = 0;

    for (; i + 4 <= call->n; i += 4)
        s0 = step_f32(op, type, s0, a, b, i);
    finish_f32(op, type, s0, call, i);
}

SPECIALIZED void several_f32(enum reduce_op op, enum element_type type,
                             const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    float32x4_t s0 = vdupq_n_f32(identity_f32(op)), s1 = s0, s2 = s0, s3 = s0;
    const size_t n = call->n;
    size_t i = 0;

    if (op == OP_DOT) {
        for (; i + 16 <= n; i += 16) {
            s0 = step_f32(op, type, s0, a, b, i);
            s1 = step_f32(op, type, s1, a, b, i + 4);
            s2 = step_f32(op, type, s2, a, b, i + 8);
            s3 = step_f32(op, type, s3, a, b, i + 12);
        }
    } else {
        float32x4_t s4 = s0, s5 = s0, s6 = s0, s7 = s0;
        for (; i + 32 <= n; i += 32) {
            s0 = step_f32(op, type, s0, a, b, i);
            s1 = step_f32(op, type, s1, a, b, i + 4);
            s2 = step_f32(op, type, s2, a, b, i + 8);
            s3 = step_f32(op, type, s3, a, b, i + 12);
            s4 = step_f32(op, type, s4, a, b, i + 16);
            s5 = step_f32(op, type, s5, a, b, i + 20);
            s6 = step_f32(op, type, s6, a, b, i + 24);
            s7 = step_f32(op, type, s7, a, b, i + 28);
        }
        s0 = join_f32(op, s0, s4);
        s1 = join_f32(op, s1, s5);
        s2 = join_f32(op, s2, s6);
        s3 = join_f32(op, s3, s7);
    }
    for (; i + 4 <= n; i += 4)
        s0 = step_f32(op, type, s0, a, b, i);
    s0 = join_f32(op, s0, s2);
    s1 = join_f32(op, s1, s3);
    finish_f32(op, type, join_f32(op, s0, s1), call, i);
}

/* ---- doubles --------------------------------------------------------------------------------- */

SPECIALIZED float64x2_t join_f64(enum reduce_op op, float64x2_t x, float64x2_t y)
{
    return op == OP_MAX ? vmaxq_f64(x, y) : op == OP_MIN ? vminq_f64(x, y) : vaddq_f64(x, y);
}

SPECIALIZED float64x2_t step_f64(enum reduce_op op, enum element_type type, float64x2_t s,
                                 const void *a, const void *b, size_t i)
{
    const float64x2_t x = type == TYPE_F32_F64 ? vcvt_f64_f32(vld1_f32((const float *)a + i))
                                               : vld1q_f64((const double *)a + i);

    if (op != OP_DOT)
        return join_f64(op, s, x);
    return vfmaq_f64(s, x, vld1q_f64((const double *)b + i));
}

SPECIALIZED double fold_f64(enum reduce_op op, float64x2_t s)
{
    return op == OP_MAX ? vmaxvq_f64(s) : op == OP_MIN ? vminvq_f64(s) : vaddvq_f64(s);
}

/* Combines the lanes of s, then the terms from i on, which do not fill a register. */
SPECIALIZED void finish_f64(enum reduce_op op, enum element_type type, float64x2_t s,
                            const struct reduction *call, size_t i)
{
    const void *const a = call->a, *const b = call->b;
    double result = fold_f64(op, s);

    for (; i < call->n; i++)
        result = combine_f64(op, result, term_f64(op, type, a, b, i));
    *(double *)call->result = result;
}

SPECIALIZED void one_f64(enum reduce_op op, enum element_type type, const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    float64x2_t s0 = vdupq_n_f64(identity_f64(op));
    size_t i = 0;

    for (; i + 2 <= call->n; i += 2)
        s0 = step_f64(op, type, s0, a, b, i);
    finish_f64(op, type, s0, call, i);
}

SPECIALIZED void several_f64(enum reduce_op op, enum element_type type,
                             const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    float64x2_t s0 = vdupq_n_f64(identity_f64(op)), s1 = s0, s2 = s0, s3 = s0;
    const size_t n = call->n;
    size_t i = 0;

    if (op == OP_DOT) {
        for (; i + 8 <= n; i += 8) {
            s0 = step_f64(op, type, s0, a, b, i);
            s1 = step_f64(op, type, s1, a, b, i + 2);
            s2 = step_f64(op, type, s2, a, b, i + 4);
            s3 = step_f64(op, type, s3, a, b, i + 6);
        }
    } else {
        float64x2_t s4 = s0, s5 = s0, s6 = s0, s7 = s0;
        for (; i + 16 <= n; i += 16) {
            s0 = step_f64(op, type, s0, a, b, i);
            s1 = step_f64(op, type, s1, a, b, i + 2);
            s2 = step_f64(op, type, s2, a, b, i + 4);
            s3 = step_f64(op, type, s3, a, b, i + 6);
            s4 = step_f64(op, type, s4, a, b, i + 8);
            s5 = step_f64(op, type, s5, a, b, i + 10);
            s6 = step_f64(op, type, s6, a, b, i + 12);
            s7 = step_f64(op, type, s7, a, b, i + 14);
        }
        s0 = join_f64(op, s0, s4);
        s1 = join_f64(op, s1, s5);
        s2 = join_f64(op, s2, s6);
        s3 = join_f64(op, s3, s7);
    }
    for (; i + 2 <= n; i += 2)
        s0 = step_f64(op, type, s0, a, b, i);
    s0 = join_f64(op, s0, s2);
    s1 = join_f64(op, s1, s3);
    finish_f64(op, type, join_f64(op, s0, s1), call, i);
}

/* ---- the rungs ------------------------------------------------------------------------------- */

void one_register_neon(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = one_register_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, one_f32, one_f64);
}

void vector_neon(const struct reduction *call)
{
    if (is_float_dot(call))
        *(float *)call->result = vector_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, several_f32, several_f64);
}
#endif
/* SPDX-License-Identifier: MIT */
