/* The tile of step 07's CPU rungs for x86-64 with AVX2 and FMA: 16 registers of 8 floats. */
#include "cpu/tile.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))

AVX2 static void add_terms(float *restrict sums, const float *a, const float *b, size_t ldb,
                           size_t count, size_t depth)
{
    for (size_t p = 0; p < depth; p++, b += ldb) {
        const __m256 x = _mm256_set1_ps(a[p]);
        size_t j = 0;
        for (; j + 8 <= count; j += 8)
            _mm256_storeu_ps(sums + j,
                             _mm256_fmadd_ps(x, _mm256_loadu_ps(b + j), _mm256_loadu_ps(sums + j)));
        for (; j < count; j++)
            sums[j] += a[p] * b[j];
    }
}

/* 12 registers of sums, 2 of B, 1 of A: see cpu/tile_avx512.c. */
enum { ROWS = 6, COLUMNS = 16 };

AVX2 static void multiply(float *sums, size_t depth, const float *a, size_t lda, const float *b,
                          size_t ldb)
{
    __m256 left[ROWS], right[ROWS];

#pragma GCC unroll 6
    for (size_t i = 0; i < ROWS; i++)
        left[i] = right[i] = _mm256_setzero_ps();
    for (size_t p = 0; p < depth; p++, a++, b += ldb) {
        const __m256 b_left = _mm256_loadu_ps(b), b_right = _mm256_loadu_ps(b + 8);
#pragma GCC unroll 6
        for (size_t i = 0; i < ROWS; i++) {
            const __m256 x = _mm256_set1_ps(a[i * lda]);
            left[i] = _mm256_fmadd_ps(x, b_left, left[i]);
            right[i] = _mm256_fmadd_ps(x, b_right, right[i]);
        }
    }
#pragma GCC unroll 6
    for (size_t i = 0; i < ROWS; i++) {
        _mm256_storeu_ps(sums + i * COLUMNS, left[i]);
        _mm256_storeu_ps(sums + i * COLUMNS + 8, right[i]);
    }
}

AVX2 static inline void blend_row(float *restrict c, const float *sums, size_t count, float alpha,
                                  float beta)
{
    const __m256 factor = _mm256_set1_ps(alpha), share = _mm256_set1_ps(beta);
    size_t j = 0;

    if (beta == 0)
        for (; j + 8 <= count; j += 8)
            _mm256_storeu_ps(c + j, _mm256_mul_ps(factor, _mm256_loadu_ps(sums + j)));
    else
        for (; j + 8 <= count; j += 8)
            _mm256_storeu_ps(c + j, _mm256_fmadd_ps(factor, _mm256_loadu_ps(sums + j),
                                                    _mm256_mul_ps(share, _mm256_loadu_ps(c + j))));
    for (; j < count; j++)
        c[j] = blend(alpha, sums[j], beta, c + j);
}

AVX2 static void store(const float *sums, size_t height, size_t width, float alpha, float beta,
                       float *c, size_t ldc)
{
    for (size_t i = 0; i < height; i++)
        blend_row(c + i * ldc, sums + i * COLUMNS, width, alpha, beta);
}

const struct cpu_tile cpu_tile_avx2 = {
    .name = "avx2",
    .rows = ROWS,
    .columns = COLUMNS,
    .add_terms = add_terms,
    .multiply = multiply,
    .store = store,
};
#endif
/* SPDX-License-Identifier: MIT */
