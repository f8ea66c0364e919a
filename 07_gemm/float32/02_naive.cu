/* Step 07: naive_rows with threadIdx.x and threadIdx.y swapped. */
#include "float32/parts/bands.cuh"

/* One thread per element of C; threadIdx.x is the column.
 *
 * Better: the loads are coalesced. A warp reads one element of A, the same for all threads, and 32
 * neighbours in a row of B. It writes 32 neighbours in a row of C.
 * Still bad: there is much traffic. Every product takes two loads, so each element of A is loaded n
 * times and each element of B m times. Most loads hit the caches, but each still costs an
 * instruction and the latency of the cache. */
static __global__ void naive(const struct gemm call)
{
    const size_t row = (size_t)blockIdx.y * TILE + threadIdx.y;
    const size_t column = (size_t)blockIdx.x * TILE + threadIdx.x;

    if (row >= call.m || column >= call.n)
        return;
    float sum = 0;
    for (size_t p = 0; p < call.k; p++)
        sum += call.a[row * call.lda + p] * call.b[p * call.ldb + column];

    float *const c = call.c + row * call.ldc + column;
    *c = blend(call.alpha, sum, call.beta, c);
}

extern "C" void launch_naive(const struct gemm *call)
{
    for (size_t row = 0; row < call->m && call->n > 0; row += MAX_GRID_Y * TILE) {
        const struct gemm band = band_of(call, row);
        naive<<<tiles_of(&band), dim3(TILE, TILE)>>>(band);
    }
}
/* SPDX-License-Identifier: MIT */
