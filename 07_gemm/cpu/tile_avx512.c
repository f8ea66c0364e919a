/* The tile of step 07's CPU rungs for x86-64 with AVX-512: 32 registers of 16 floats. */
#include "cpu/tile.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f")))

AVX512 static void add_terms(float *restrict sums, const float *a, const float *b, size_t ldb,
                             size_t count, size_t depth)
{
    for (size_t p = 0; p < depth; p++, b += ldb) {
        const __m512 x = _mm512_set1_ps(a[p]);
        size_t j = 0;
        for (; j + 16 <= count; j += 16)
            _mm512_storeu_ps(sums + j,
                             _mm512_fmadd_ps(x, _mm512_loadu_ps(b + j), _mm512_loadu_ps(sums + j)));
        for (; j < count; j++)
            sums[j] += a[p] * b[j];
    }
}

/* 28 registers of sums, 2 of B, 1 of A: all but one of the 32. A unit starts a multiply-add every
 * cycle and takes 4 for it; there are two units, so 8 independent sums would do to keep them busy.
 * More sums mean fewer loads: 16 here for 28 multiply-adds. */
enum { ROWS = 14, COLUMNS = 32 };

AVX512 static void multiply(float *sums, size_t depth, const float *a, size_t lda, const float *b,
                            size_t ldb)
{
    __m512 left[ROWS], right[ROWS];

#pragma GCC unroll 14
    for (size_t i = 0; i < ROWS; i++)
        left[i] = right[i] = _mm512_setzero_ps();
    for (size_t p = 0; p < depth; p++, a++, b += ldb) {
        const __m512 b_left = _mm512_loadu_ps(b), b_right = _mm512_loadu_ps(b + 16);
#pragma GCC unroll 14
        for (size_t i = 0; i < ROWS; i++) {
            const __m512 x = _mm512_set1_ps(a[i * lda]);
            left[i] = _mm512_fmadd_ps(x, b_left, left[i]);
            right[i] = _mm512_fmadd_ps(x, b_right, right[i]);
        }
    }
#pragma GCC unroll 14
    for (size_t i = 0; i < ROWS; i++) {
        _mm512_storeu_ps(sums + i * COLUMNS, left[i]);
        _mm512_storeu_ps(sums + i * COLUMNS + 16, right[i]);
    }
}

AVX512 static inline void blend_row(float *restrict c, const float *sums, size_t count, float alpha,
                                    float beta)
{
    const __m512 factor = _mm512_set1_ps(alpha), share = _mm512_set1_ps(beta);
    size_t j = 0;

    if (beta == 0)
        for (; j + 16 <= count; j += 16)
            _mm512_storeu_ps(c + j, _mm512_mul_ps(factor, _mm512_loadu_ps(sums + j)));
    else
        for (; j + 16 <= count; j += 16)
            _mm512_storeu_ps(c + j, _mm512_fmadd_ps(factor, _mm512_loadu_ps(sums + j),
                                                    _mm512_mul_ps(share, _mm512_loadu_ps(c + j))));
    for (; j < count; j++)
        c[j] = blend(alpha, sums[j], beta, c + j);
}

AVX512 static void store(const float *sums, size_t height, size_t width, float alpha, float beta,
                         float *c, size_t ldc)
{
    for (size_t i = 0; i < height; i++)
        blend_row(c + i * ldc, sums + i * COLUMNS, width, alpha, beta);
}

const struct cpu_tile cpu_tile_avx512 = {
    .name = "avx512",
    .rows = ROWS,
    .columns = COLUMNS,
    .add_terms = add_terms,
    .multiply = multiply,
    .store = store,
};
#endif
/* SPDX-License-Identifier: MIT */
