/* Step 07, bfloat16 without wgmma: the fragments of the next k-step are loaded during this one's
 * MMAs. */
#include "bfloat16_mma/parts/pipeline.cuh"
#include "rungs.h"

typedef block_tile<128, 256, 32, 4> tile;

/* Better: MMAs wait for loads that were issued a k-step earlier, and a warp reaches the barrier
 * with MMAs in flight. Still bad: a stage has two k-steps, so that the warps meet at a barrier
 * after every 64 MMAs. */
static __global__ void __launch_bounds__(tile::THREADS, 1) fragments_ahead(const struct gemm call)
{
    multiply_block_ahead<tile>(call);
}

extern "C" void launch_fragments_ahead(const struct gemm *call)
{
    cudaFuncSetAttribute(fragments_ahead, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         tile::SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        fragments_ahead<<<tile_count(call, tile::M, tile::N), tile::THREADS, tile::SHARED_BYTES>>>(
            *call);
}
/* SPDX-License-Identifier: MIT */
