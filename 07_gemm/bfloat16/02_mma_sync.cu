/* Step 07, bfloat16: tensor cores by the instruction itself, mma.sync (sm_80).
 *
 * Which elements a lane holds is now in the open. A warp's instruction multiplies a 16 x 16 tile of
 * A by a 16 x 8 tile of B; ldmatrix loads four 8 x 8 tiles for it, each lane naming the address of
 * one row of 8 elements. B's rows run along n where the instruction wants them along k: ldmatrix
 * transposes on the way. cp.async brings tiles, three steps ahead. */
#include "bfloat16/parts/mma_tile.cuh"
#include "rungs.h"

/* Better: fewer loads from shared memory, and copies that overlap the products. Still bad: ldmatrix
 * reads rows that lie in the same banks, A's in four wavefronts and B's in eight instead of one. */
static __global__ void __launch_bounds__(THREADS) mma_sync(const struct gemm call)
{
    multiply_block<false>(call);
}

extern "C" void launch_mma_sync(const struct gemm *call)
{
    cudaFuncSetAttribute(mma_sync, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        mma_sync<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS, SHARED_BYTES>>>(*call);
}
/* SPDX-License-Identifier: MIT */
