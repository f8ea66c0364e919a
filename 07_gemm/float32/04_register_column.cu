/* Step 07: from here on, a thread computes several elements of C. What it loads into
 * registers then serves several products. As before, a block computes a tile of C and
 * advances along k. */
#include "parts/matrix.cuh"
#include "rungs.h"

/* Like shared_tile, but a thread computes 8 elements of a column. A block therefore has 1/8 of the
 * threads, and each thread loads 8 elements of both tiles.
 *
 * Better: an element of B in a register serves 8 products, so 8 products take 9 shared loads
 * instead of 16. Still bad: each element of A serves only one. */
static const unsigned TILE = 32, COLUMN_ROWS = 8, COLUMN_THREADS = TILE * TILE / COLUMN_ROWS;

static __global__ void __launch_bounds__(COLUMN_THREADS) register_column(const struct gemm call)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const size_t tile_row = first_row_of_tile(call.n, TILE, TILE);
    const size_t tile_column = first_column_of_tile(call.n, TILE);
    const unsigned x = threadIdx.x % TILE, y = threadIdx.x / TILE * COLUMN_ROWS;

    float sum[COLUMN_ROWS] = {};
    for (size_t first = 0; first < call.k; first += TILE) {
#pragma unroll
        for (unsigned i = y; i < y + COLUMN_ROWS; i++) {
            tile_a[i][x] = load(call.a, call.lda, call.m, call.k, tile_row + i, first + x);
            tile_b[i][x] = load(call.b, call.ldb, call.k, call.n, first + i, tile_column + x);
        }
        __syncthreads();

        for (unsigned p = 0; p < TILE; p++) {
            const float b = tile_b[p][x];
#pragma unroll
            for (unsigned i = 0; i < COLUMN_ROWS; i++)
                sum[i] += tile_a[y + i][p] * b;
        }
        __syncthreads(); /* before the next tiles overwrite these */
    }
#pragma unroll
    for (unsigned i = 0; i < COLUMN_ROWS; i++)
        store(call, tile_row + y + i, tile_column + x, sum[i]);
}

extern "C" void launch_register_column(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        register_column<<<tile_count(call, TILE, TILE), COLUMN_THREADS>>>(*call);
}
/* SPDX-License-Identifier: MIT */
