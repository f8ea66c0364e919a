/* The tile of step 07's CPU rungs for x86-64 with AVX-512: 32 registers of 16 floats. */
#include "cpu/tile.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define VECTOR_CODE __attribute__((target("avx512f")))
typedef __m512 vector;

/* 28 registers of sums, 2 of B and 1 of A: 31 of the 32. Each of two units starts a multiply-add in
 * every cycle and needs 4 cycles for it, so 8 independent sums would keep both busy. More sums need
 * fewer loads per multiply-add: here 16 loads for 28. */
enum { WIDTH = 16, ROWS = 14, COLUMNS = 2 * WIDTH };

VECTOR_CODE static inline vector load(const float *from)
{
    return _mm512_loadu_ps(from);
}

VECTOR_CODE static inline void put(float *to, vector x)
{
    _mm512_storeu_ps(to, x);
}

VECTOR_CODE static inline vector all_equal(float x)
{
    return _mm512_set1_ps(x);
}

/* a * b + c, rounded once. */
VECTOR_CODE static inline vector multiply_add(vector a, vector b, vector c)
{
    return _mm512_fmadd_ps(a, b, c);
}

#define TILE cpu_tile_avx512
#define NAME "avx512"
#include "cpu/tile_x86.h"
#endif
/* SPDX-License-Identifier: MIT */
