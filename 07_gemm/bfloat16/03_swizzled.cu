/* Step 07, bfloat16: tiles whose chunks are swizzled, so that ldmatrix has no bank conflicts. */
#include "bfloat16/parts/mma_tile.cuh"
#include "rungs.h"

/* Better: the rows of an 8 x 8 tile lie in different banks. Still bad: every element passes through
 * registers to the tensor cores, and the warp schedulers issue all of these loads. */
static __global__ void __launch_bounds__(THREADS) swizzled(const struct gemm call)
{
    multiply_block<true>(call);
}

extern "C" void launch_swizzled(const struct gemm *call)
{
    cudaFuncSetAttribute(swizzled, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        swizzled<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS, SHARED_BYTES>>>(*call);
}
/* SPDX-License-Identifier: MIT */
