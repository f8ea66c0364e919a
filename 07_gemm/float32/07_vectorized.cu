/* Step 07: four floats per load and store. */
#include "float32/parts/eight_by_eight.cuh"

/* A contiguous 8 x 8 square, as in register_tile. */
static __device__ struct thread_coord coord_in_square()
{
    struct thread_coord at;

    at.row = threadIdx.x / (BLOCK_N / THREAD_N) * THREAD_M;
    at.column = threadIdx.x % (BLOCK_N / THREAD_N) * THREAD_N;
    at.row_skip = at.column_skip = 4;
    return at;
}

/* Better: there are 1/4 of the load and store instructions, each of 16 bytes. Still bad: there are
 * bank conflicts. Neighbouring lanes load 16 bytes of B at a distance of 32 bytes. In each quarter
 * of a warp, lanes i and i + 4 therefore access the same banks. */
static __global__ void __launch_bounds__(THREADS) vectorized(const struct gemm call)
{
    multiply_block(call, coord_in_square());
}

extern "C" void launch_vectorized(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        vectorized<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}
/* SPDX-License-Identifier: MIT */
