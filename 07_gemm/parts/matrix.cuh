/* Shared by step 07's kernels with register tiles: a block's tile of C, loads that stay inside a
 * matrix, and stores of a thread's results. */
#ifndef RUNGS_07_TILE_CUH
#define RUNGS_07_TILE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "problem/gemm/gemm.h"

/* The grid has one dimension, with at most 2^31 - 1 blocks. The tiles of C are numbered row by
 * row. */
static inline unsigned tile_count(const struct gemm *call, unsigned rows, unsigned columns)
{
    return (unsigned)((call->m + rows - 1) / rows * ((call->n + columns - 1) / columns));
}

static inline __device__ size_t first_row_of_tile(size_t n, unsigned rows, unsigned columns)
{
    return blockIdx.x / ((n + columns - 1) / columns) * rows;
}

static inline __device__ size_t first_column_of_tile(size_t n, unsigned columns)
{
    return blockIdx.x % ((n + columns - 1) / columns) * columns;
}

/* The position of a tile of C, counted in tiles. */
struct tile_of_c {
    unsigned row, column;
};

/* The order of the tiles: column by column within groups of rows of tiles. Blocks that run at the
 * same time then share rows of A and columns of B in L2. */
static inline __device__ struct tile_of_c tile_in_order(unsigned number, unsigned rows,
                                                        unsigned columns, unsigned group)
{
    const unsigned in_group = number % (group * columns);
    const unsigned first = number / (group * columns) * group;
    const unsigned group_rows = min(group, rows - first);

    return {first + in_group % group_rows, in_group / group_rows};
}

/* Whether the rows of the matrix can be read or written four floats at a time. */
static inline __host__ __device__ bool has_aligned_rows(const float *matrix, size_t leading)
{
    return (uintptr_t)matrix % sizeof(float4) == 0 && leading % 4 == 0;
}

/* Loads the element (row, column); 0 outside the matrix, which has rows x columns elements. */
static inline __device__ float load(const float *matrix, size_t leading, size_t rows,
                                    size_t columns, size_t row, size_t column)
{
    return row < rows && column < columns ? matrix[row * leading + column] : 0;
}

/* Loads four neighbours in a row, 0 outside the matrix. Uses one access if they are `aligned` and
 * all inside. */
static inline __device__ float4 load_4(const float *matrix, size_t leading, size_t rows,
                                       size_t columns, size_t row, size_t column, bool aligned)
{
    if (aligned && row < rows && column + 4 <= columns)
        return *(const float4 *)(matrix + row * leading + column);
    return make_float4(load(matrix, leading, rows, columns, row, column),
                       load(matrix, leading, rows, columns, row, column + 1),
                       load(matrix, leading, rows, columns, row, column + 2),
                       load(matrix, leading, rows, columns, row, column + 3));
}

/* The new value of *c. If beta is 0, *c is not read, because it may be uninitialized and 0 * NaN is
 * NaN. */
static inline __device__ float blend(float alpha, float sum, float beta, const float *c)
{
    return beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

/* Stores a sum in element (row, column) of C, if that exists. */
static inline __device__ void store(const struct gemm &call, size_t row, size_t column, float sum)
{
    if (row < call.m && column < call.n) {
        float *const c = call.c + row * call.ldc + column;
        *c = blend(call.alpha, sum, call.beta, c);
    }
}

/* The same for four neighbours in a row. */
static inline __device__ void store_4(const struct gemm &call, size_t row, size_t column,
                                      const float sum[4], bool aligned)
{
    if (aligned && row < call.m && column + 4 <= call.n) {
        float4 *const c = (float4 *)(call.c + row * call.ldc + column);
        const float4 old = call.beta == 0 ? make_float4(0, 0, 0, 0) : *c;
        *c = make_float4(blend(call.alpha, sum[0], call.beta, &old.x),
                         blend(call.alpha, sum[1], call.beta, &old.y),
                         blend(call.alpha, sum[2], call.beta, &old.z),
                         blend(call.alpha, sum[3], call.beta, &old.w));
        return;
    }
    for (unsigned j = 0; j < 4; j++)
        store(call, row, column + j, sum[j]);
}

/* The same for two neighbours, if rows are aligned. */
static inline __device__ void store_2(const struct gemm &call, size_t row, size_t column,
                                      const float sum[2])
{
    if (row < call.m && column + 2 <= call.n) {
        float2 *const c = (float2 *)(call.c + row * call.ldc + column);
        const float2 old = call.beta == 0 ? make_float2(0, 0) : *c;
        *c = make_float2(blend(call.alpha, sum[0], call.beta, &old.x),
                         blend(call.alpha, sum[1], call.beta, &old.y));
    } else {
        store(call, row, column, sum[0]);
    }
}

#endif
/* SPDX-License-Identifier: MIT */
