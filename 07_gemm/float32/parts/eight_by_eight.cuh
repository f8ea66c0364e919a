/* Step 07: rungs that load the tiles of A and B with fewer and better instructions. As before, a
 * block of 256 threads computes 128 x 128 elements of C in k-steps of 8. A thread computes 8 x 8 of
 * them. */
#ifndef RUNGS_07_EIGHT_BY_EIGHT_CUH
#define RUNGS_07_EIGHT_BY_EIGHT_CUH

#include "../../parts/matrix.cuh"
#include "rungs.h"

static const unsigned BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 8;
static const unsigned THREAD_M = 8, THREAD_N = 8, THREADS = 256;
static const unsigned PADDED_M = BLOCK_M + 4; /* the padding keeps rows 16-byte aligned */

/* In each step, a thread loads four neighbours of A and four of B. */
static const unsigned A_FOURS = BLOCK_K / 4, B_FOURS = BLOCK_N / 4;

static __device__ inline float4 fetch_a(const struct gemm &call, size_t tile_row, size_t first,
                                        bool aligned)
{
    return load_4(call.a, call.lda, call.m, call.k, tile_row + threadIdx.x / A_FOURS,
                  first + threadIdx.x % A_FOURS * 4, aligned);
}

static __device__ inline float4 fetch_b(const struct gemm &call, size_t tile_column, size_t first,
                                        bool aligned)
{
    return load_4(call.b, call.ldb, call.k, call.n, first + threadIdx.x / B_FOURS,
                  tile_column + threadIdx.x % B_FOURS * 4, aligned);
}

static __device__ inline void put_a(float tile_a[BLOCK_K][PADDED_M], float4 four)
{
    const unsigned row = threadIdx.x / A_FOURS, p = threadIdx.x % A_FOURS * 4;

    tile_a[p][row] = four.x;
    tile_a[p + 1][row] = four.y;
    tile_a[p + 2][row] = four.z;
    tile_a[p + 3][row] = four.w;
}

static __device__ inline void put_b(float tile_b[BLOCK_K][BLOCK_N], float4 four)
{
    *(float4 *)&tile_b[threadIdx.x / B_FOURS][threadIdx.x % B_FOURS * 4] = four;
}

/* The rows and columns of a thread in the block's tile. Both are two groups of four neighbours, and
 * the second group starts `skip` after the first. */
struct thread_coord {
    unsigned row, row_skip, column, column_skip;
};

/* Adds the products of one pair of tiles to a thread's sums. */
static __device__ void multiply_tiles(const float tile_a[BLOCK_K][PADDED_M],
                                      const float tile_b[BLOCK_K][BLOCK_N], struct thread_coord at,
                                      float sum[THREAD_M][THREAD_N])
{
#pragma unroll
    for (unsigned p = 0; p < BLOCK_K; p++) {
        float a[THREAD_M], b[THREAD_N];
        *(float4 *)&a[0] = *(const float4 *)&tile_a[p][at.row];
        *(float4 *)&a[4] = *(const float4 *)&tile_a[p][at.row + at.row_skip];
        *(float4 *)&b[0] = *(const float4 *)&tile_b[p][at.column];
        *(float4 *)&b[4] = *(const float4 *)&tile_b[p][at.column + at.column_skip];
#pragma unroll
        for (unsigned i = 0; i < THREAD_M; i++)
#pragma unroll
            for (unsigned j = 0; j < THREAD_N; j++)
                sum[i][j] += a[i] * b[j];
    }
}

static __device__ void store_tile(const struct gemm &call, size_t tile_row, size_t tile_column,
                                  struct thread_coord at, const float sum[THREAD_M][THREAD_N])
{
    const bool aligned = has_aligned_rows(call.c, call.ldc);

#pragma unroll
    for (unsigned i = 0; i < THREAD_M; i++) {
        const size_t row = tile_row + at.row + i / 4 * at.row_skip + i % 4;
        store_4(call, row, tile_column + at.column, &sum[i][0], aligned);
        store_4(call, row, tile_column + at.column + at.column_skip, &sum[i][4], aligned);
    }
}

/* A warp computes 32 x 64 elements of the block's tile, with its lanes in 4 rows of 8. A lane's 8 x
 * 8 elements are four squares of 4 x 4, so that the 16-byte loads of neighbouring lanes are
 * contiguous. */
static __device__ inline struct thread_coord coord_in_warp()
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    struct thread_coord at;

    at.row = warp / 2 * 32 + lane / 8 * 4;
    at.column = warp % 2 * 64 + lane % 8 * 4;
    at.row_skip = 16;
    at.column_skip = 32;
    return at;
}

/* Computes a block's tile of C. This thread computes the elements at `at`. */
static __device__ inline void multiply_block(const struct gemm &call, struct thread_coord at)
{
    __shared__ __align__(16) float tile_a[BLOCK_K][PADDED_M];
    __shared__ __align__(16) float tile_b[BLOCK_K][BLOCK_N];
    const bool a_aligned = has_aligned_rows(call.a, call.lda);
    const bool b_aligned = has_aligned_rows(call.b, call.ldb);
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);

    float sum[THREAD_M][THREAD_N] = {};
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        put_a(tile_a, fetch_a(call, tile_row, first, a_aligned));
        put_b(tile_b, fetch_b(call, tile_column, first, b_aligned));
        __syncthreads();
        multiply_tiles(tile_a, tile_b, at, sum);
        __syncthreads();
    }
    store_tile(call, tile_row, tile_column, at, sum);
}

#endif
/* SPDX-License-Identifier: MIT */
