/* Step 02, rungs `one_register` and `vector` for x86-64 with AVX-512: 16 floats or 8 doubles per
 * register. */
#include "vector.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "problem/reduction/operators.h"

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl")))

/* Better than `lanes`: the widest registers of this CPU, whatever -march says, and one instruction
 * for a multiplication and an addition.
 * Still bad: there is one register of partial results. An addition takes about four cycles, and the
 * next one waits for it. */
AVX512 static float one_register_dot(const float *a, const float *b, size_t n)
{
    __m512 s = _mm512_setzero_ps();
    size_t i = 0;

    for (; i + 16 <= n; i += 16)
        s = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s);

    float result = _mm512_reduce_add_ps(s);
    for (; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* Better than `one_register`: four registers are used in turn, so four additions are in flight. The
 * CPU can load two registers per cycle. A dot product loads two per addition, so four are enough;
 * eight measured slightly slower. The other operators load one, so they need eight.
 * Still bad: only one of several cores works. */
AVX512 static float vector_dot(const float *a, const float *b, size_t n)
{
    __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;

    for (; i + 64 <= n; i += 64) {
        s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s0);
        s1 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 16), _mm512_loadu_ps(b + i + 16), s1);
        s2 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 32), _mm512_loadu_ps(b + i + 32), s2);
        s3 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 48), _mm512_loadu_ps(b + i + 48), s3);
    }
    for (; i + 16 <= n; i += 16)
        s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s0);

    float result =
        _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s2), _mm512_add_ps(s1, s3)));
    for (; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* ---- the same for the other operators and types: floats -------------------------------------- */

/* The max and min instructions return y if either operand is NaN, so a NaN in y wins. The mask
 * leaves lanes of x that hold NaN as they are, so a NaN in x also wins. */
AVX512 SPECIALIZED __m512 join_f32(enum reduce_op op, __m512 x, __m512 y)
{
    const __mmask16 numbers = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);

    return op == OP_MAX   ? _mm512_mask_max_ps(x, numbers, x, y)
           : op == OP_MIN ? _mm512_mask_min_ps(x, numbers, x, y)
                          : _mm512_add_ps(x, y);
}

/* Converts 16 bytes, 0 or 1, to 16 floats, so b needs no conversion beforehand. */
AVX512 SPECIALIZED __m512 bytes_as_floats(const unsigned char *bytes)
{
    const __m128i loaded = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(loaded));
}

/* Elements i to i + 15: floats, or halfs that one instruction converts to floats. */
AVX512 SPECIALIZED __m512 load_f32(enum element_type type, const void *elements, size_t i)
{
    const char *const place = (const char *)elements + i * element_size(type);

    return type == TYPE_F16
               ? _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)place))
               : _mm512_loadu_ps((const float *)(const void *)place);
}

/* Combines terms i to i + 15 into s, lane by lane. */
AVX512 SPECIALIZED __m512 step_f32(enum reduce_op op, enum element_type type, __m512 s,
                                   const void *a, const void *b, size_t i)
{
    const __m512 x = load_f32(type, a, i);

    if (op != OP_DOT)
        return join_f32(op, s, x);
    const __m512 y =
        type == TYPE_MIXED ? bytes_as_floats((const unsigned char *)b + i) : load_f32(type, b, i);
    return _mm512_fmadd_ps(x, y, s);
}

AVX512 SPECIALIZED float fold_f32(enum reduce_op op, __m512 s)
{
    float lanes[16], result = identity_f32(op);

    if (op == OP_DOT || op == OP_SUM)
        return _mm512_reduce_add_ps(s);
    _mm512_storeu_ps(lanes, s);
    for (int l = 0; l < 16; l++)
        result = combine_f32(op, result, lanes[l]);
    return result;
}

/* Combines the lanes of s, then the terms from i on, which do not fill a register. */
AVX512 SPECIALIZED void finish_f32(enum reduce_op op, enum element_type type, __m512 s,
                                   const struct reduction *call, size_t i)
{
    const void *const a = call->a, *const b = call->b;
    float result = fold_f32(op, s);

    for (; i < call->n; i++)
        result = combine_f32(op, result, term_f32(op, type, a, b, i));
    *(float *)call->result = result;
}

AVX512 SPECIALIZED void one_f32(enum reduce_op op, enum element_type type,
                                const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    __m512 s0 = _mm512_set1_ps(identity_f32(op));
    size_t i = 0;

    for (; i + 16 <= call->n; i += 16)
        s0 = step_f32(op, type, s0, a, b, i);
    finish_f32(op, type, s0, call, i);
}

AVX512 SPECIALIZED void several_f32(enum reduce_op op, enum element_type type,
                                    const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    __m512 s0 = _mm512_set1_ps(identity_f32(op)), s1 = s0, s2 = s0, s3 = s0;
    const size_t n = call->n;
    size_t i = 0;

    if (op == OP_DOT) {
        for (; i + 64 <= n; i += 64) {
            s0 = step_f32(op, type, s0, a, b, i);
            s1 = step_f32(op, type, s1, a, b, i + 16);
            s2 = step_f32(op, type, s2, a, b, i + 32);
            s3 = step_f32(op, type, s3, a, b, i + 48);
        }
    } else {
        __m512 s4 = s0, s5 = s0, s6 = s0, s7 = s0;
        for (; i + 128 <= n; i += 128) {
            s0 = step_f32(op, type, s0, a, b, i);
            s1 = step_f32(op, type, s1, a, b, i + 16);
            s2 = step_f32(op, type, s2, a, b, i + 32);
            s3 = step_f32(op, type, s3, a, b, i + 48);
            s4 = step_f32(op, type, s4, a, b, i + 64);
            s5 = step_f32(op, type, s5, a, b, i + 80);
            s6 = step_f32(op, type, s6, a, b, i + 96);
            s7 = step_f32(op, type, s7, a, b, i + 112);
        }
        s0 = join_f32(op, s0, s4);
        s1 = join_f32(op, s1, s5);
        s2 = join_f32(op, s2, s6);
        s3 = join_f32(op, s3, s7);
    }
    for (; i + 16 <= n; i += 16)
        s0 = step_f32(op, type, s0, a, b, i);
    s0 = join_f32(op, s0, s2);
    s1 = join_f32(op, s1, s3);
    finish_f32(op, type, join_f32(op, s0, s1), call, i);
}

/* ---- doubles --------------------------------------------------------------------------------- */

AVX512 SPECIALIZED __m512d join_f64(enum reduce_op op, __m512d x, __m512d y)
{
    const __mmask8 numbers = _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q);

    return op == OP_MAX   ? _mm512_mask_max_pd(x, numbers, x, y)
           : op == OP_MIN ? _mm512_mask_min_pd(x, numbers, x, y)
                          : _mm512_add_pd(x, y);
}

AVX512 SPECIALIZED __m512d step_f64(enum reduce_op op, enum element_type type, __m512d s,
                                    const void *a, const void *b, size_t i)
{
    const __m512d x = type == TYPE_F32_F64 ? _mm512_cvtps_pd(_mm256_loadu_ps((const float *)a + i))
                                           : _mm512_loadu_pd((const double *)a + i);

    if (op != OP_DOT)
        return join_f64(op, s, x);
    return _mm512_fmadd_pd(x, _mm512_loadu_pd((const double *)b + i), s);
}

AVX512 SPECIALIZED double fold_f64(enum reduce_op op, __m512d s)
{
    double lanes[8], result = identity_f64(op);

    if (op == OP_DOT || op == OP_SUM)
        return _mm512_reduce_add_pd(s);
    _mm512_storeu_pd(lanes, s);
    for (int l = 0; l < 8; l++)
        result = combine_f64(op, result, lanes[l]);
    return result;
}

/* Combines the lanes of s, then the terms from i on, which do not fill a register. */
AVX512 SPECIALIZED void finish_f64(enum reduce_op op, enum element_type type, __m512d s,
                                   const struct reduction *call, size_t i)
{
    const void *const a = call->a, *const b = call->b;
    double result = fold_f64(op, s);

    for (; i < call->n; i++)
        result = combine_f64(op, result, term_f64(op, type, a, b, i));
    *(double *)call->result = result;
}

AVX512 SPECIALIZED void one_f64(enum reduce_op op, enum element_type type,
                                const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    __m512d s0 = _mm512_set1_pd(identity_f64(op));
    size_t i = 0;

    for (; i + 8 <= call->n; i += 8)
        s0 = step_f64(op, type, s0, a, b, i);
    finish_f64(op, type, s0, call, i);
}

AVX512 SPECIALIZED void several_f64(enum reduce_op op, enum element_type type,
                                    const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    __m512d s0 = _mm512_set1_pd(identity_f64(op)), s1 = s0, s2 = s0, s3 = s0;
    const size_t n = call->n;
    size_t i = 0;

    if (op == OP_DOT) {
        for (; i + 32 <= n; i += 32) {
            s0 = step_f64(op, type, s0, a, b, i);
            s1 = step_f64(op, type, s1, a, b, i + 8);
            s2 = step_f64(op, type, s2, a, b, i + 16);
            s3 = step_f64(op, type, s3, a, b, i + 24);
        }
    } else {
        __m512d s4 = s0, s5 = s0, s6 = s0, s7 = s0;
        for (; i + 64 <= n; i += 64) {
            s0 = step_f64(op, type, s0, a, b, i);
            s1 = step_f64(op, type, s1, a, b, i + 8);
            s2 = step_f64(op, type, s2, a, b, i + 16);
            s3 = step_f64(op, type, s3, a, b, i + 24);
            s4 = step_f64(op, type, s4, a, b, i + 32);
            s5 = step_f64(op, type, s5, a, b, i + 40);
            s6 = step_f64(op, type, s6, a, b, i + 48);
            s7 = step_f64(op, type, s7, a, b, i + 56);
        }
        s0 = join_f64(op, s0, s4);
        s1 = join_f64(op, s1, s5);
        s2 = join_f64(op, s2, s6);
        s3 = join_f64(op, s3, s7);
    }
    for (; i + 8 <= n; i += 8)
        s0 = step_f64(op, type, s0, a, b, i);
    s0 = join_f64(op, s0, s2);
    s1 = join_f64(op, s1, s3);
    finish_f64(op, type, join_f64(op, s0, s1), call, i);
}

/* ---- the rungs ------------------------------------------------------------------------------- */

/* The input does not fill one register. */
static bool is_short(const struct reduction *call)
{
    return call->n < (is_f64_result(call->type) ? 8 : 16);
}

AVX512 void one_register_avx512(const struct reduction *call)
{
    if (is_short(call))
        one_register_scalar(call);
    else if (is_float_dot(call))
        *(float *)call->result = one_register_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, one_f32, one_f64);
}

AVX512 void vector_avx512(const struct reduction *call)
{
    if (is_short(call))
        one_register_scalar(call);
    else if (is_float_dot(call))
        *(float *)call->result = vector_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, several_f32, several_f64);
}
#endif
/* SPDX-License-Identifier: MIT */
