/* Step 07, bfloat16 without wgmma: tiles that lie completely inside C need no bounds checks. Tiles,
 * stages and MMAs are those of swizzled: 64 x 32 elements per warp, 128 x 128 per block. */
#include "bfloat16_mma/parts/pipeline.cuh"
#include "rungs.h"

typedef block_tile<128, 128, 32, 4, 32> tile;

/* Better: a chunk takes one copy and one addition, but swizzled also computes its address and
 * checks the bounds. C is stored in whole sectors. Still bad: a warp loads 96 rows of 16 elements
 * for 16 MMAs. */
static __global__ void __launch_bounds__(tile::THREADS, 2) whole_tiles(const struct gemm call)
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
