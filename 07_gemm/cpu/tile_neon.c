/* The tile of step 07's CPU rungs for 64-bit Arm: 32 registers of 4 floats. */
#include "cpu/tile.h"

#if defined(__aarch64__)
#include <arm_neon.h>

static void add_terms(float *restrict sums, const float *a, const float *b, size_t ldb,
                      size_t count, size_t depth)
{
    for (size_t p = 0; p < depth; p++, b += ldb) {
        size_t j = 0;
        for (; j + 4 <= count; j += 4)
            vst1q_f32(sums + j, vfmaq_n_f32(vld1q_f32(sums + j), vld1q_f32(b + j), a[p]));
        for (; j < count; j++)
            sums[j] += a[p] * b[j];
    }
}

/* 24 registers of sums, 3 of B, and A's elements: see cpu/tile_avx512.c. */
enum { ROWS = 8, COLUMNS = 12 };

static void multiply(float *sums, size_t depth, const float *a, size_t lda, const float *b,
                     size_t ldb)
{
    float32x4_t left[ROWS], middle[ROWS], right[ROWS];

#pragma GCC unroll 8
    for (size_t i = 0; i < ROWS; i++)
        left[i] = middle[i] = right[i] = vdupq_n_f32(0);
    for (size_t p = 0; p < depth; p++, a++, b += ldb) {
        const float32x4_t b_left = vld1q_f32(b), b_middle = vld1q_f32(b + 4),
                          b_right = vld1q_f32(b + 8);
#pragma GCC unroll 8
        for (size_t i = 0; i < ROWS; i++) {
            const float x = a[i * lda];
            left[i] = vfmaq_n_f32(left[i], b_left, x);
            middle[i] = vfmaq_n_f32(middle[i], b_middle, x);
            right[i] = vfmaq_n_f32(right[i], b_right, x);
        }
    }
#pragma GCC unroll 8
    for (size_t i = 0; i < ROWS; i++) {
        vst1q_f32(sums + i * COLUMNS, left[i]);
        vst1q_f32(sums + i * COLUMNS + 4, middle[i]);
        vst1q_f32(sums + i * COLUMNS + 8, right[i]);
    }
}

static inline void blend_row(float *restrict c, const float *sums, size_t count, float alpha,
                             float beta)
{
    size_t j = 0;

    if (beta == 0)
        for (; j + 4 <= count; j += 4)
            vst1q_f32(c + j, vmulq_n_f32(vld1q_f32(sums + j), alpha));
    else
        for (; j + 4 <= count; j += 4)
            vst1q_f32(c + j,
                      vfmaq_n_f32(vmulq_n_f32(vld1q_f32(c + j), beta), vld1q_f32(sums + j), alpha));
    for (; j < count; j++)
        c[j] = blend(alpha, sums[j], beta, c + j);
}

static void store(const float *sums, size_t height, size_t width, float alpha, float beta, float *c,
                  size_t ldc)
{
    for (size_t i = 0; i < height; i++)
        blend_row(c + i * ldc, sums + i * COLUMNS, width, alpha, beta);
}

const struct cpu_tile cpu_tile_neon = {
    .name = "neon",
    .rows = ROWS,
    .columns = COLUMNS,
    .add_terms = add_terms,
    .multiply = multiply,
    .store = store,
};
#endif
/* SPDX-License-Identifier: MIT */
