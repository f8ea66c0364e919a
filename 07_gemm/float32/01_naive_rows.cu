/* Step 07: C = alpha * A * B + beta * C for row-major matrices, A m x k, B k x n, C m x n.
 *
 * Every kernel computes all of C; the rungs differ in how often each element of A and B is
 * loaded. */
#include "float32/parts/bands.cuh"

/* One thread per element of C; threadIdx.x is the row.
 *
 * Better than a loop on one thread: all elements of C are computed in parallel. Still bad: the
 * loads are not coalesced. The threads of a warp differ in threadIdx.x, so they read from 32 rows
 * of A and write to 32 rows of C. Such an access moves 32 sectors of 32 bytes; 4 are enough. */
static __global__ void naive_rows(const struct gemm call)
{
    const size_t row = (size_t)blockIdx.y * TILE + threadIdx.x;
    const size_t column = (size_t)blockIdx.x * TILE + threadIdx.y;

    if (row >= call.m || column >= call.n)
        return;
    float sum = 0;
    for (size_t p = 0; p < call.k; p++)
        sum += call.a[row * call.lda + p] * call.b[p * call.ldb + column];

    float *const c = call.c + row * call.ldc + column;
    *c = blend(call.alpha, sum, call.beta, c);
}

extern "C" void launch_naive_rows(const struct gemm *call)
{
    for (size_t row = 0; row < call->m && call->n > 0; row += MAX_GRID_Y * TILE) {
        const struct gemm band = band_of(call, row);
        naive_rows<<<tiles_of(&band), dim3(TILE, TILE)>>>(band);
    }
}
/* SPDX-License-Identifier: MIT */
