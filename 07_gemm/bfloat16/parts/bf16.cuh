/* Shared by step 07's rungs for bfloat16: loads that stay inside a matrix, and stores of sums. */
#ifndef RUNGS_07_BF16_CUH
#define RUNGS_07_BF16_CUH

#include <cuda_bf16.h>

#include "parts/matrix.cuh"

/* 16 bytes. */
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

/* Two neighbours in memory, the first in the lower half. */
static inline __device__ unsigned bf16_pair(float first, float second)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second); /* one instruction */

    return __bfloat16_as_ushort(pair.x) | (unsigned)__bfloat16_as_ushort(pair.y) << 16;
}

/* The new value of element (row, column) of C, which exists, before it is rounded. */
static inline __device__ float blend_bf16(const struct gemm &call, size_t row, size_t column,
                                          float sum)
{
    const float old = call.beta == 0 ? 0 : bf16_value(call.c_bf16[row * call.ldc + column]);
    return blend(call.alpha, sum, call.beta, &old);
}

/* Stores the sums of elements (row, column) and (row, column + 1), as far as they exist; in one
 * access if C is `even`: an even column starts at a multiple of 4 bytes. `column` is even. */
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

static inline __device__ unsigned word(const uint4 &four, unsigned i)
{
    return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

/* How a chunk comes: in one access; in two that are aligned, of which the chunk is a part; or
 * element by element. */
enum loads { ALIGNED, SHIFTED, SINGLE };

/* 8 elements that start anywhere, out of the 16 or 32 bytes at multiples of 16 around them. */
static inline __device__ uint4 load_shifted(const uint16_t *first)
{
    const unsigned shift = (unsigned)((uintptr_t)first % 16 / sizeof(uint16_t));
    const uint4 *const around = (const uint4 *)(first - shift);
    const uint4 low = around[0], high = around[shift > 0];
    unsigned words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    const unsigned bytes = shift % 2 == 0 ? 0x3210 : 0x5432;

#pragma unroll
    for (unsigned i = 0; i < 6; i++)
        words[i] = shift / 4 == 0 ? words[i] : words[i + 2];
#pragma unroll
    for (unsigned i = 0; i < 5; i++)
        words[i] = shift / 2 % 2 == 0 ? words[i] : words[i + 1];
    return make_uint4(
        __byte_perm(words[0], words[1], bytes), __byte_perm(words[1], words[2], bytes),
        __byte_perm(words[2], words[3], bytes), __byte_perm(words[3], words[4], bytes));
}

/* 8 elements of a row from `first` on, two a word; single ones as many as the row has, and 0. */
template <enum loads LOADS>
static inline __device__ uint4 load_chunk(const uint16_t *row, size_t first, size_t columns)
{
    if (LOADS == ALIGNED)
        return *(const uint4 *)(row + first);
    if (LOADS == SHIFTED)
        return load_shifted(row + first);
    unsigned words[4] = {};
#pragma unroll
    for (unsigned i = 0; i < CHUNK; i++)
        if (first + i < columns)
            words[i / 2] |= (unsigned)row[first + i] << i % 2 * 16;
    return make_uint4(words[0], words[1], words[2], words[3]);
}

/* Copies a chunk of 8 elements to shared memory; 0 outside the matrix. `aligned`: all rows start at
 * multiples of 16 bytes; then the copy is asynchronous. */
static inline __device__ void copy_chunk(uint16_t *to, const uint16_t *matrix, size_t leading,
                                         size_t rows, size_t columns, size_t row, size_t column,
                                         bool aligned)
{
    if (aligned) {
        const unsigned inside =
            row < rows && column < columns ? (unsigned)min((size_t)CHUNK, columns - column) : 0;
        const uint16_t *const from = inside > 0 ? matrix + row * leading + column : matrix;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(to)),
                     "l"(from), "r"(inside * 2)
                     : "memory");
        return;
    }
    for (unsigned i = 0; i < CHUNK; i++)
        to[i] = row < rows && column + i < columns ? matrix[row * leading + column + i] : 0;
}

#endif
/* SPDX-License-Identifier: MIT */
