/* The tile of step 07's CPU rungs for x86-64 with AVX2 and FMA: 16 registers of 8 floats. */
#include "cpu/tile.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx2,fma")))
typedef __m256 vector;

/* 12 registers of sums, 2 of B, 1 of A: see cpu/tile_avx512.c. */
enum { WIDTH = 8, ROWS = 6, COLUMNS = 2 * WIDTH };

VECTOR_CODE static inline vector load(const float *from)
{
    return _mm256_loadu_ps(from);
}

VECTOR_CODE static inline void put(float *to, vector x)
{
    _mm256_storeu_ps(to, x);
}

VECTOR_CODE static inline vector all_equal(float x)
{
    return _mm256_set1_ps(x);
}

/* a * b + c, rounded once. */
VECTOR_CODE static inline vector multiply_add(vector a, vector b, vector c)
{
    return _mm256_fmadd_ps(a, b, c);
}

#define TILE cpu_tile_avx2
#define NAME "avx2"
#include "cpu/tile_x86.h"
#endif
/* SPDX-License-Identifier: MIT */
