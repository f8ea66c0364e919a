/* Step 07: register_tile with the tile of A stored by columns. */
#include "parts/matrix.cuh"
#include "rungs.h"

static const unsigned BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 8;
static const unsigned THREAD_M = 8, THREAD_N = 8, THREADS = 256;

/* The tile of A is stored transposed, tile_a[p][row]. A thread's elements for one p are then
 * neighbours. The padding reduces bank conflicts when a column is stored. */
static const unsigned PADDED_M = BLOCK_M + 4;

/* Better: a thread also reads neighbours of A, and the halves of a warp read different banks.
 * Still bad: every load from global or shared memory loads a single float, unless the compiler
 * merges some of them. */
static __global__ void __launch_bounds__(THREADS) transposed(const struct gemm call)
{
    __shared__ float tile_a[BLOCK_K][PADDED_M];
    __shared__ float tile_b[BLOCK_K][BLOCK_N];
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);
    const unsigned row = threadIdx.x / (BLOCK_N / THREAD_N) * THREAD_M;
    const unsigned column = threadIdx.x % (BLOCK_N / THREAD_N) * THREAD_N;

    float sum[THREAD_M][THREAD_N] = {};
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        for (unsigned i = threadIdx.x; i < BLOCK_M * BLOCK_K; i += THREADS)
            tile_a[i % BLOCK_K][i / BLOCK_K] =
                load(call.a, call.lda, call.m, call.k, tile_row + i / BLOCK_K, first + i % BLOCK_K);
        for (unsigned i = threadIdx.x; i < BLOCK_K * BLOCK_N; i += THREADS)
            tile_b[i / BLOCK_N][i % BLOCK_N] = load(call.b, call.ldb, call.k, call.n,
                                                    first + i / BLOCK_N, tile_column + i % BLOCK_N);
        __syncthreads();

        for (unsigned p = 0; p < BLOCK_K; p++) {
            float a[THREAD_M], b[THREAD_N];
#pragma unroll
            for (unsigned i = 0; i < THREAD_M; i++)
                a[i] = tile_a[p][row + i];
#pragma unroll
            for (unsigned j = 0; j < THREAD_N; j++)
                b[j] = tile_b[p][column + j];
#pragma unroll
            for (unsigned i = 0; i < THREAD_M; i++)
#pragma unroll
                for (unsigned j = 0; j < THREAD_N; j++)
                    sum[i][j] += a[i] * b[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < THREAD_M; i++)
#pragma unroll
        for (unsigned j = 0; j < THREAD_N; j++)
            store(call, tile_row + row + i, tile_column + column + j, sum[i][j]);
}

extern "C" void launch_transposed(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        transposed<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}
/* SPDX-License-Identifier: MIT */
