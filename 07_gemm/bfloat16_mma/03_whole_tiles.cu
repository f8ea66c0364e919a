/* Step 07, bfloat16 without wgmma: a whole tile of C needs no conditions. */
#include "bfloat16_mma/parts/pipeline.cuh"
#include "rungs.h"

typedef block_tile<128, 256, 32, 4> tile;

/* Better: a chunk costs the instruction that copies it and an addition, and C is stored in whole
 * sectors. Still bad: a stage has two k-steps, so that the warps meet at a barrier after every 64
 * MMAs. */
static __global__ void __launch_bounds__(tile::THREADS, 1) whole_tiles(const struct gemm call)
{
    multiply_block<tile>(call);
}

extern "C" void launch_whole_tiles(const struct gemm *call)
{
    cudaFuncSetAttribute(whole_tiles, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         tile::SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        whole_tiles<<<tile_count(call, tile::M, tile::N), tile::THREADS, tile::SHARED_BYTES>>>(
            *call);
}
/* SPDX-License-Identifier: MIT */
