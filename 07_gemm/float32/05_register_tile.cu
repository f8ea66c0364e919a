/* Step 07: a square of C per thread. */
#include "parts/matrix.cuh"
#include "rungs.h"

/* Here and in the next rungs, a thread computes 8 x 8 elements of C. The 256 threads of a block
 * compute a tile of 128 x 128. k-steps of 8 keep the tiles of A and B small. */
static const unsigned BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 8;
static const unsigned THREAD_M = 8, THREAD_N = 8, THREADS = 256;

/* Better: 8 elements of A and 8 of B in registers serve 64 products, 4 per load.
 * Still bad: there are bank conflicts. For one p, neighbouring lanes read B 8 floats apart, so a
 * warp reads 16 elements from 4 banks. The two halves of a warp read A from the same bank. */
static __global__ void __launch_bounds__(THREADS) register_tile(const struct gemm call)
{
    __shared__ float tile_a[BLOCK_M][BLOCK_K];
    __shared__ float tile_b[BLOCK_K][BLOCK_N];
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);
    const unsigned row = threadIdx.x / (BLOCK_N / THREAD_N) * THREAD_M;
    const unsigned column = threadIdx.x % (BLOCK_N / THREAD_N) * THREAD_N;

    float sum[THREAD_M][THREAD_N] = {};
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        for (unsigned i = threadIdx.x; i < BLOCK_M * BLOCK_K; i += THREADS)
            tile_a[i / BLOCK_K][i % BLOCK_K] =
                load(call.a, call.lda, call.m, call.k, tile_row + i / BLOCK_K, first + i % BLOCK_K);
        for (unsigned i = threadIdx.x; i < BLOCK_K * BLOCK_N; i += THREADS)
            tile_b[i / BLOCK_N][i % BLOCK_N] = load(call.b, call.ldb, call.k, call.n,
                                                    first + i / BLOCK_N, tile_column + i % BLOCK_N);
        __syncthreads();

        for (unsigned p = 0; p < BLOCK_K; p++) {
            float a[THREAD_M], b[THREAD_N];
#pragma unroll
            for (unsigned i = 0; i < THREAD_M; i++)
                a[i] = tile_a[row + i][p];
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

extern "C" void launch_register_tile(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        register_tile<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}
/* SPDX-License-Identifier: MIT */
