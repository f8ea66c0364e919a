/* Shared by step 07's rungs for bfloat16: conversions, and stores that stay inside C. */
#ifndef RUNGS_07_BF16_CUH
#define RUNGS_07_BF16_CUH

#include <cuda_bf16.h>

#include "parts/matrix.cuh"

/* Elements per chunk of 16 bytes. */
static const unsigned CHUNK = 8;

static inline __host__ __device__ bool has_aligned_chunks(const uint16_t *matrix, size_t leading)
{
    return (uintptr_t)matrix % 16 == 0 && leading % CHUNK == 0;
}

static inline __device__ float bf16_value(uint16_t bits)
{
    return __uint_as_float((unsigned)bits << 16);
}

static inline __device__ uint16_t bf16_bits(float value)
{
    return __bfloat16_as_ushort(__float2bfloat16_rn(value));
}

/* Rounds two neighbours of a row; the first is in the lower half. */
static inline __device__ unsigned bf16_pair(float first, float second)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second); /* one instruction */

    return __bfloat16_as_ushort(pair.x) | (unsigned)__bfloat16_as_ushort(pair.y) << 16;
}

/* The new value of element (row, column) of C, before rounding. The element must exist. */
static inline __device__ float blend_bf16(const struct gemm &call, size_t row, size_t column,
                                          float sum)
{
    const float old = call.beta == 0 ? 0 : bf16_value(call.c_bf16[row * call.ldc + column]);
    return blend(call.alpha, sum, call.beta, &old);
}

/* Stores elements (row, column) and (row, column + 1) if they exist; `column` is even. If C is
 * `even`, even columns start at multiples of 4 bytes, and one access stores both. */
static inline __device__ void store_pair(const struct gemm &call, size_t row, size_t column,
                                         float first, float second, bool even)
{
    if (row >= call.m || column >= call.n)
        return;
    uint16_t *const to = call.c_bf16 + row * call.ldc + column;
    first = blend_bf16(call, row, column, first);
    if (column + 1 == call.n) {
        *to = bf16_bits(first);
        return;
    }
    second = blend_bf16(call, row, column + 1, second);
    if (even) {
        *(unsigned *)to = bf16_pair(first, second);
    } else {
        to[0] = bf16_bits(first);
        to[1] = bf16_bits(second);
    }
}

static inline __device__ bool has_even_columns(const struct gemm &call)
{
    return (uintptr_t)call.c_bf16 % 4 == 0 && call.ldc % 2 == 0;
}

/* Stores the warpgroup's accumulators: 64 rows from `row` on, in pairs of neighbouring columns. */
template <unsigned SUMS>
static __device__ void store_sums(const struct gemm &call, size_t row, size_t column,
                                  const float (&sum)[SUMS])
{
    const unsigned thread = threadIdx.x % 128;
    const bool even = has_even_columns(call);

    row += thread / 32 * 16 + thread % 32 / 4;
    column += thread % 4 * 2;
#pragma unroll
    for (unsigned j = 0; j < SUMS / 4; j++) {
        store_pair(call, row, column + j * 8, sum[4 * j], sum[4 * j + 1], even);
        store_pair(call, row + 8, column + j * 8, sum[4 * j + 2], sum[4 * j + 3], even);
    }
}

#endif
/* SPDX-License-Identifier: MIT */
