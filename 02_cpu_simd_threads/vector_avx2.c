/* Step 02, rung `vector` for x86-64 with AVX2 and FMA: 8 floats or 4 doubles a register. */
#include "vector.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,fma")))

#define VECTOR_f32 __m256
#define WIDTH_f32 8
#define FILL_f32(x) _mm256_set1_ps(x)
#define STORE_f32(p, v) _mm256_storeu_ps(p, v)
#define FOLD_SUM_f32(v) fold_sum_f32(v)

#define VECTOR_f64 __m256d
#define WIDTH_f64 4
#define FILL_f64(x) _mm256_set1_pd(x)
#define STORE_f64(p, v) _mm256_storeu_pd(p, v)
#define FOLD_SUM_f64(v) fold_sum_f64(v)

/* The upper half onto the lower, until one lane is left. */
TARGET static inline float fold_sum_f32(__m256 v)
{
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}

TARGET static inline double fold_sum_f64(__m256d v)
{
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

#define JOIN_dot_f32(x, y) _mm256_add_ps(x, y)
#define JOIN_dot_mixed(x, y) _mm256_add_ps(x, y)
#define JOIN_sum_f32(x, y) _mm256_add_ps(x, y)
#define JOIN_dot_f64(x, y) _mm256_add_pd(x, y)
#define JOIN_sum_f64(x, y) _mm256_add_pd(x, y)
/* The instruction gives y if either is a NaN, so that a NaN in y gets in; lanes of x that hold one
 * are put back, so that it stays. */
#define JOIN_max_f32(x, y)                                                                         \
    _mm256_blendv_ps(_mm256_max_ps(x, y), x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q))
#define JOIN_min_f32(x, y)                                                                         \
    _mm256_blendv_ps(_mm256_min_ps(x, y), x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q))
#define JOIN_max_f64(x, y)                                                                         \
    _mm256_blendv_pd(_mm256_max_pd(x, y), x, _mm256_cmp_pd(x, x, _CMP_UNORD_Q))
#define JOIN_min_f64(x, y)                                                                         \
    _mm256_blendv_pd(_mm256_min_pd(x, y), x, _mm256_cmp_pd(x, x, _CMP_UNORD_Q))

/* 8 bytes, 0 or 1, as 8 floats: no pass over b beforehand. */
#define BYTES_AS_FLOATS(p)                                                                         \
    _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)(p))))

#define STEP_dot_f32(s, i) _mm256_fmadd_ps(_mm256_loadu_ps(a + (i)), _mm256_loadu_ps(b + (i)), s)
#define STEP_dot_f64(s, i) _mm256_fmadd_pd(_mm256_loadu_pd(a + (i)), _mm256_loadu_pd(b + (i)), s)
#define STEP_dot_mixed(s, i) _mm256_fmadd_ps(_mm256_loadu_ps(a + (i)), BYTES_AS_FLOATS(b + (i)), s)
#define STEP_sum_f32(s, i) JOIN_sum_f32(s, _mm256_loadu_ps(a + (i)))
#define STEP_sum_f64(s, i) JOIN_sum_f64(s, _mm256_loadu_pd(a + (i)))
#define STEP_max_f32(s, i) JOIN_max_f32(s, _mm256_loadu_ps(a + (i)))
#define STEP_max_f64(s, i) JOIN_max_f64(s, _mm256_loadu_pd(a + (i)))
#define STEP_min_f32(s, i) JOIN_min_f32(s, _mm256_loadu_ps(a + (i)))
#define STEP_min_f64(s, i) JOIN_min_f64(s, _mm256_loadu_pd(a + (i)))

#include "vector_select.h"

void vector_avx2(const struct reduction *call)
{
    REDUCE_CALL(vector, call);
}
#endif
