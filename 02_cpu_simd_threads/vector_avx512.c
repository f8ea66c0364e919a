/* Step 02, rung `vector` for x86-64 with AVX-512: 16 floats or 8 doubles a register. */
#include "vector.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))

#define VECTOR_f32 __m512
#define WIDTH_f32 16
#define FILL_f32(x) _mm512_set1_ps(x)
#define STORE_f32(p, v) _mm512_storeu_ps(p, v)
#define FOLD_SUM_f32(v) _mm512_reduce_add_ps(v)

#define VECTOR_f64 __m512d
#define WIDTH_f64 8
#define FILL_f64(x) _mm512_set1_pd(x)
#define STORE_f64(p, v) _mm512_storeu_pd(p, v)
#define FOLD_SUM_f64(v) _mm512_reduce_add_pd(v)

#define JOIN_dot_f32(x, y) _mm512_add_ps(x, y)
#define JOIN_dot_mixed(x, y) _mm512_add_ps(x, y)
#define JOIN_sum_f32(x, y) _mm512_add_ps(x, y)
#define JOIN_dot_f64(x, y) _mm512_add_pd(x, y)
#define JOIN_sum_f64(x, y) _mm512_add_pd(x, y)
/* The instruction gives y if either is a NaN, so that a NaN in y gets in; lanes of x that hold one
 * are left alone, so that it stays. */
#define JOIN_max_f32(x, y) _mm512_mask_max_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x, y)
#define JOIN_min_f32(x, y) _mm512_mask_min_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x, y)
#define JOIN_max_f64(x, y) _mm512_mask_max_pd(x, _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x, y)
#define JOIN_min_f64(x, y) _mm512_mask_min_pd(x, _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x, y)

/* 16 bytes, 0 or 1, as 16 floats: no pass over b beforehand. */
#define BYTES_AS_FLOATS(p)                                                                         \
    _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p))))

#define STEP_dot_f32(s, i) _mm512_fmadd_ps(_mm512_loadu_ps(a + (i)), _mm512_loadu_ps(b + (i)), s)
#define STEP_dot_f64(s, i) _mm512_fmadd_pd(_mm512_loadu_pd(a + (i)), _mm512_loadu_pd(b + (i)), s)
#define STEP_dot_mixed(s, i) _mm512_fmadd_ps(_mm512_loadu_ps(a + (i)), BYTES_AS_FLOATS(b + (i)), s)
#define STEP_sum_f32(s, i) JOIN_sum_f32(s, _mm512_loadu_ps(a + (i)))
#define STEP_sum_f64(s, i) JOIN_sum_f64(s, _mm512_loadu_pd(a + (i)))
#define STEP_max_f32(s, i) JOIN_max_f32(s, _mm512_loadu_ps(a + (i)))
#define STEP_max_f64(s, i) JOIN_max_f64(s, _mm512_loadu_pd(a + (i)))
#define STEP_min_f32(s, i) JOIN_min_f32(s, _mm512_loadu_ps(a + (i)))
#define STEP_min_f64(s, i) JOIN_min_f64(s, _mm512_loadu_pd(a + (i)))

#include "vector_select.h"

void vector_avx512(const struct reduction *call)
{
    REDUCE_CALL(vector, call);
}
#endif
