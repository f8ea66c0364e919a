/* Step 02, rungs `one_register` and `vector` for x86-64 with AVX2 and FMA: 8 floats or 4 doubles
 * per register. vector_avx512.c explains them. */
#include "vector.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "problem/reduction/operators.h"

#define AVX2 __attribute__((target("avx2,fma,f16c")))

/* The sum of the lanes: adds the upper half to the lower half until one lane is left. */
AVX2 static inline float sum_of_lanes_f32(__m256 v)
{
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

AVX2 static inline double sum_of_lanes_f64(__m256d v)
{
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

AVX2 static float one_register_dot(const float *a, const float *b, size_t n)
{
    __m256 s = _mm256_setzero_ps();
    size_t i = 0;

    for (; i + 8 <= n; i += 8)
        s = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s);

    float result = sum_of_lanes_f32(s);
    for (; i < n; i++)
        result += a[i] * b[i];
    return result;
}

AVX2 static float vector_dot(const float *a, const float *b, size_t n)
{
    __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;

    for (; i + 32 <= n; i += 32) {
        s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s0);
        s1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8), _mm256_loadu_ps(b + i + 8), s1);
        s2 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 16), _mm256_loadu_ps(b + i + 16), s2);
        s3 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 24), _mm256_loadu_ps(b + i + 24), s3);
    }
    for (; i + 8 <= n; i += 8)
        s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s0);

    float result = sum_of_lanes_f32(_mm256_add_ps(_mm256_add_ps(s0, s2), _mm256_add_ps(s1, s3)));
    for (; i < n; i++)
        result += a[i] * b[i];
    return result;
}

/* ---- the same for the other operators and types: floats -------------------------------------- */

/* The max and min instructions return y if either operand is NaN, so a NaN in y wins. Lanes of x
 * that hold NaN are put back, so a NaN in x also wins. */
AVX2 SPECIALIZED __m256 join_f32(enum reduce_op op, __m256 x, __m256 y)
{
    const __m256 nans = _mm256_cmp_ps(x, x, _CMP_UNORD_Q);

    return op == OP_MAX   ? _mm256_blendv_ps(_mm256_max_ps(x, y), x, nans)
           : op == OP_MIN ? _mm256_blendv_ps(_mm256_min_ps(x, y), x, nans)
                          : _mm256_add_ps(x, y);
}

/* Converts 8 bytes, 0 or 1, to 8 floats, so b needs no conversion beforehand. */
AVX2 SPECIALIZED __m256 bytes_as_floats(const unsigned char *bytes)
{
    const __m128i loaded = _mm_loadl_epi64((const __m128i *)(const void *)bytes);
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(loaded));
}

/* Elements i to i + 7: floats, or halfs that one instruction converts to floats. */
AVX2 SPECIALIZED __m256 load_f32(enum element_type type, const void *elements, size_t i)
{
    const char *const place = (const char *)elements + i * element_size(type);

    return type == TYPE_F16 ? _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)place))
                            : _mm256_loadu_ps((const float *)(const void *)place);
}

/* Combines terms i to i + 7 into s, lane by lane. */
AVX2 SPECIALIZED __m256 step_f32(enum reduce_op op, enum element_type type, __m256 s, const void *a,
                                 const void *b, size_t i)
{
    const __m256 x = load_f32(type, a, i);

    if (op != OP_DOT)
        return join_f32(op, s, x);
    const __m256 y =
        type == TYPE_MIXED ? bytes_as_floats((const unsigned char *)b + i) : load_f32(type, b, i);
    return _mm256_fmadd_ps(x, y, s);
}

AVX2 SPECIALIZED float fold_f32(enum reduce_op op, __m256 s)
{
    float lanes[8], result = identity_f32(op);

    if (op == OP_DOT || op == OP_SUM)
        return sum_of_lanes_f32(s);
    _mm256_storeu_ps(lanes, s);
    for (int l = 0; l < 8; l++)
        result = combine_f32(op, result, lanes[l]);
    return result;
}

/* Combines the lanes of s, then the terms from i on, which do not fill a register. */
AVX2 SPECIALIZED void finish_f32(enum reduce_op op, enum element_type type, __m256 s,
                                 const struct reduction *call, size_t i)
{
    const void *const a = call->a, *const b = call->b;
    float result = fold_f32(op, s);

    for (; i < call->n; i++)
        result = combine_f32(op, result, term_f32(op, type, a, b, i));
    *(float *)call->result = result;
}

AVX2 SPECIALIZED void one_f32(enum reduce_op op, enum element_type type,
                              const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    __m256 s0 = _mm256_set1_ps(identity_f32(op));
    size_t i = 0;

    for (; i + 8 <= call->n; i += 8)
        s0 = step_f32(op, type, s0, a, b, i);
    finish_f32(op, type, s0, call, i);
}

AVX2 SPECIALIZED void several_f32(enum reduce_op op, enum element_type type,
                                  const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    __m256 s0 = _mm256_set1_ps(identity_f32(op)), s1 = s0, s2 = s0, s3 = s0;
    const size_t n = call->n;
    size_t i = 0;

    if (op == OP_DOT) {
        for (; i + 32 <= n; i += 32) {
            s0 = step_f32(op, type, s0, a, b, i);
            s1 = step_f32(op, type, s1, a, b, i + 8);
            s2 = step_f32(op, type, s2, a, b, i + 16);
            s3 = step_f32(op, type, s3, a, b, i + 24);
        }
    } else {
        __m256 s4 = s0, s5 = s0, s6 = s0, s7 = s0;
        for (; i + 64 <= n; i += 64) {
            s0 = step_f32(op, type, s0, a, b, i);
            s1 = step_f32(op, type, s1, a, b, i + 8);
            s2 = step_f32(op, type, s2, a, b, i + 16);
            s3 = step_f32(op, type, s3, a, b, i + 24);
            s4 = step_f32(op, type, s4, a, b, i + 32);
            s5 = step_f32(op, type, s5, a, b, i + 40);
            s6 = step_f32(op, type, s6, a, b, i + 48);
            s7 = step_f32(op, type, s7, a, b, i + 56);
        }
        s0 = join_f32(op, s0, s4);
        s1 = join_f32(op, s1, s5);
        s2 = join_f32(op, s2, s6);
        s3 = join_f32(op, s3, s7);
    }
    for (; i + 8 <= n; i += 8)
        s0 = step_f32(op, type, s0, a, b, i);
    s0 = join_f32(op, s0, s2);
    s1 = join_f32(op, s1, s3);
    finish_f32(op, type, join_f32(op, s0, s1), call, i);
}

/* ---- doubles --------------------------------------------------------------------------------- */

AVX2 SPECIALIZED __m256d join_f64(enum reduce_op op, __m256d x, __m256d y)
{
    const __m256d nans = _mm256_cmp_pd(x, x, _CMP_UNORD_Q);

    return op == OP_MAX   ? _mm256_blendv_pd(_mm256_max_pd(x, y), x, nans)
           : op == OP_MIN ? _mm256_blendv_pd(_mm256_min_pd(x, y), x, nans)
                          : _mm256_add_pd(x, y);
}

AVX2 SPECIALIZED __m256d step_f64(enum reduce_op op, enum element_type type, __m256d s,
                                  const void *a, const void *b, size_t i)
{
    const __m256d x = type == TYPE_F32_F64 ? _mm256_cvtps_pd(_mm_loadu_ps((const float *)a + i))
                                           : _mm256_loadu_pd((const double *)a + i);

    if (op != OP_DOT)
        return join_f64(op, s, x);
    return _mm256_fmadd_pd(x, _mm256_loadu_pd((const double *)b + i), s);
}

AVX2 SPECIALIZED double fold_f64(enum reduce_op op, __m256d s)
{
    double lanes[4], result = identity_f64(op);

    if (op == OP_DOT || op == OP_SUM)
        return sum_of_lanes_f64(s);
    _mm256_storeu_pd(lanes, s);
    for (int l = 0; l < 4; l++)
        result = combine_f64(op, result, lanes[l]);
    return result;
}

/* Combines the lanes of s, then the terms from i on, which do not fill a register. */
AVX2 SPECIALIZED void finish_f64(enum reduce_op op, enum element_type type, __m256d s,
                                 const struct reduction *call, size_t i)
{
    const void *const a = call->a, *const b = call->b;
    double result = fold_f64(op, s);

    for (; i < call->n; i++)
        result = combine_f64(op, result, term_f64(op, type, a, b, i));
    *(double *)call->result = result;
}

AVX2 SPECIALIZED void one_f64(enum reduce_op op, enum element_type type,
                              const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    __m256d s0 = _mm256_set1_pd(identity_f64(op));
    size_t i = 0;

    for (; i + 4 <= call->n; i += 4)
        s0 = step_f64(op, type, s0, a, b, i);
    finish_f64(op, type, s0, call, i);
}

AVX2 SPECIALIZED void several_f64(enum reduce_op op, enum element_type type,
                                  const struct reduction *call)
{
    const void *const a = call->a, *const b = call->b;
    __m256d s0 = _mm256_set1_pd(identity_f64(op)), s1 = s0, s2 = s0, s3 = s0;
    const size_t n = call->n;
    size_t i = 0;

    if (op == OP_DOT) {
        for (; i + 16 <= n; i += 16) {
            s0 = step_f64(op, type, s0, a, b, i);
            s1 = step_f64(op, type, s1, a, b, i + 4);
            s2 = step_f64(op, type, s2, a, b, i + 8);
            s3 = step_f64(op, type, s3, a, b, i + 12);
        }
    } else {
        __m256d s4 = s0, s5 = s0, s6 = s0, s7 = s0;
        for (; i + 32 <= n; i += 32) {
            s0 = step_f64(op, type, s0, a, b, i);
            s1 = step_f64(op, type, s1, a, b, i + 4);
            s2 = step_f64(op, type, s2, a, b, i + 8);
            s3 = step_f64(op, type, s3, a, b, i + 12);
            s4 = step_f64(op, type, s4, a, b, i + 16);
            s5 = step_f64(op, type, s5, a, b, i + 20);
            s6 = step_f64(op, type, s6, a, b, i + 24);
            s7 = step_f64(op, type, s7, a, b, i + 28);
        }
        s0 = join_f64(op, s0, s4);
        s1 = join_f64(op, s1, s5);
        s2 = join_f64(op, s2, s6);
        s3 = join_f64(op, s3, s7);
    }
    for (; i + 4 <= n; i += 4)
        s0 = step_f64(op, type, s0, a, b, i);
    s0 = join_f64(op, s0, s2);
    s1 = join_f64(op, s1, s3);
    finish_f64(op, type, join_f64(op, s0, s1), call, i);
}

/* ---- the rungs ------------------------------------------------------------------------------- */

/* The input does not fill one register. */
static bool is_short(const struct reduction *call)
{
    return call->n < (is_f64_result(call->type) ? 4 : 8);
}

AVX2 void one_register_avx2(const struct reduction *call)
{
    if (is_short(call))
        one_register_scalar(call);
    else if (is_float_dot(call))
        *(float *)call->result = one_register_dot(call->a, call->b, call->n);
    else
        reduce_specialized(call, one_f32, one_f64);
}

AVX2 void vector_avx2(const struct reduction *call)
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
