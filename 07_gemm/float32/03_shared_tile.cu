/* Step 07: tiles of A and B in shared memory. */
#include "float32/parts/bands.cuh"

/* In each k-step, the block loads a tile of A and a tile of B into shared memory. Each thread loads
 * one element of both tiles. All threads then compute from shared memory.
 *
 * Better: an element is loaded once for 32 threads, so there are 1/32 of the global loads.
 * Still bad: every product still takes two loads, now from shared memory, and these limit the
 * speed. A thread that computed several elements of C could use what it loads into registers
 * several times.
 *
 * Threads outside C do not return early, because they help to load the tiles, and all threads must
 * reach the barriers. Elements outside A or B are loaded as 0, which changes no sum. */
static __global__ void shared_tile(const struct gemm call)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = (size_t)blockIdx.y * TILE + y;
    const size_t column = (size_t)blockIdx.x * TILE + x;

    float sum = 0;
    for (size_t first = 0; first < call.k; first += TILE) {
        const bool inside_a = row < call.m && first + x < call.k;
        const bool inside_b = first + y < call.k && column < call.n;
        tile_a[y][x] = inside_a ? call.a[row * call.lda + first + x] : 0;
        tile_b[y][x] = inside_b ? call.b[(first + y) * call.ldb + column] : 0;
        __syncthreads();

        for (unsigned p = 0; p < TILE; p++)
            sum += tile_a[y][p] * tile_b[p][x];
        __syncthreads(); /* before the next tiles overwrite these */
    }
    if (row >= call.m || column >= call.n)
        return;

    float *const c = call.c + row * call.ldc + column;
    *c = blend(call.alpha, sum, call.beta, c);
}

extern "C" void launch_shared_tile(const struct gemm *call)
{
    for (size_t row = 0; row < call->m && call->n > 0; row += MAX_GRID_Y * TILE) {
        const struct gemm band = band_of(call, row);
        shared_tile<<<tiles_of(&band), dim3(TILE, TILE)>>>(band);
    }
}
/* SPDX-License-Identifier: MIT */
