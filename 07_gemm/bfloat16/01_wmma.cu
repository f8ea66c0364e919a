/* Step 07, bfloat16: tensor cores by CUDA's own interface, nvcuda::wmma (sm_80).
 *
 * A warp multiplies a 16 x 16 tile of A by a 16 x 16 tile of B with one call. CUDA does not say
 * which elements a lane holds, so whole fragments are loaded and stored. The rest is as in
 * shared_tile: a block loads tiles of A and B to shared memory, waits, multiplies, and waits.
 *
 * Better: one call does 128 multiply-adds per lane. Still bad: no warp multiplies while tiles are
 * loaded. load_matrix_sync chooses the lanes' addresses, and these have bank conflicts. */
#include <mma.h>

#include "bfloat16/parts/bf16.cuh"
#include "rungs.h"

using namespace nvcuda;

static const unsigned BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 32, THREADS = 256;
static const unsigned WARP_M = 64, WARP_N = 32, SIDE = 16; /* 2 x 4 warps; a fragment's side */

typedef wmma::fragment<wmma::matrix_a, SIDE, SIDE, SIDE, __nv_bfloat16, wmma::row_major> fragment_a;
typedef wmma::fragment<wmma::matrix_b, SIDE, SIDE, SIDE, __nv_bfloat16, wmma::row_major> fragment_b;
typedef wmma::fragment<wmma::accumulator, SIDE, SIDE, SIDE, float> fragment_c;

/* Loads ROWS x COLUMNS elements from (first_row, first_column) on; 0 outside the matrix. */
template <unsigned ROWS, unsigned COLUMNS>
static __device__ void load_tile(uint16_t *tile, const uint16_t *matrix, size_t leading,
                                 size_t rows, size_t columns, size_t first_row, size_t first_column)
{
    const bool aligned = has_aligned_chunks(matrix, leading);

    for (unsigned i = threadIdx.x; i < ROWS * COLUMNS / CHUNK; i += THREADS) {
        const unsigned row = i / (COLUMNS / CHUNK), column = i % (COLUMNS / CHUNK) * CHUNK;
        uint16_t *const to = tile + row * COLUMNS + column;
        const size_t from_row = first_row + row, from_column = first_column + column;
        if (aligned && from_row < rows && from_column + CHUNK <= columns)
            *(uint4 *)to = *(const uint4 *)(matrix + from_row * leading + from_column);
        else
            for (unsigned j = 0; j < CHUNK; j++)
                to[j] = from_row < rows && from_column + j < columns
                            ? matrix[from_row * leading + from_column + j]
                            : 0;
    }
}

static __device__ void multiply(fragment_c (&sum)[WARP_M / SIDE][WARP_N / SIDE],
                                const uint16_t *tile_a, const uint16_t *tile_b)
{
    for (unsigned p = 0; p < BLOCK_K; p += SIDE) {
        fragment_a a[WARP_M / SIDE];
        fragment_b b[WARP_N / SIDE];
#pragma unroll
        for (unsigned i = 0; i < WARP_M / SIDE; i++)
            wmma::load_matrix_sync(a[i], (const __nv_bfloat16 *)(tile_a + i * SIDE * BLOCK_K + p),
                                   BLOCK_K);
#pragma unroll
        for (unsigned j = 0; j < WARP_N / SIDE; j++)
            wmma::load_matrix_sync(b[j], (const __nv_bfloat16 *)(tile_b + p * BLOCK_N + j * SIDE),
                                   BLOCK_N);
#pragma unroll
        for (unsigned i = 0; i < WARP_M / SIDE; i++)
#pragma unroll
            for (unsigned j = 0; j < WARP_N / SIDE; j++)
                wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
    }
}

static __global__ void __launch_bounds__(THREADS) wmma_tile(const struct gemm call)
{
    /* The tiles; `parts` passes accumulators to C, one fragment per warp at a time. */
    __shared__ __align__(32) uint16_t tile_a[BLOCK_M * BLOCK_K], tile_b[BLOCK_K * BLOCK_N];
    __shared__ __align__(32) float parts[THREADS / 32][SIDE * SIDE];
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned warp_row = warp / 4 * WARP_M, warp_column = warp % 4 * WARP_N;
    const bool even = has_even_columns(call);
    fragment_c sum[WARP_M / SIDE][WARP_N / SIDE];

#pragma unroll
    for (unsigned i = 0; i < WARP_M / SIDE; i++)
#pragma unroll
        for (unsigned j = 0; j < WARP_N / SIDE; j++)
            wmma::fill_fragment(sum[i][j], 0.0F);
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        load_tile<BLOCK_M, BLOCK_K>(tile_a, call.a_bf16, call.lda, call.m, call.k, tile_row, first);
        load_tile<BLOCK_K, BLOCK_N>(tile_b, call.b_bf16, call.ldb, call.k, call.n, first,
                                    tile_column);
        __syncthreads();
        multiply(sum, tile_a + warp_row * BLOCK_K, tile_b + warp_column);
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < WARP_M / SIDE; i++)
#pragma unroll
        for (unsigned j = 0; j < WARP_N / SIDE; j++) {
            const size_t row = tile_row + warp_row + i * SIDE;
            const size_t column = tile_column + warp_column + j * SIDE;
            wmma::store_matrix_sync(parts[warp], sum[i][j], SIDE, wmma::mem_row_major);
            __syncwarp();
            for (unsigned pair = lane; pair < SIDE * SIDE / 2; pair += 32) {
                const float *const from = &parts[warp][2 * pair];
                if (row + 2 * pair / SIDE < call.m && column + 2 * pair % SIDE < call.n)
                    store_pair(call, row + 2 * pair / SIDE, column + 2 * pair % SIDE, from[0],
                               from[1], even);
            }
            __syncwarp();
        }
}

extern "C" void launch_wmma(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        wmma_tile<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}
/* SPDX-License-Identifier: MIT */
