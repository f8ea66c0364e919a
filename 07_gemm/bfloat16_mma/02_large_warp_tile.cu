/* Step 07, bfloat16 without wgmma: a warp computes 64 x 64 elements of C, a block 128 x 256. */
#include "bfloat16_mma/parts/pipeline.cuh"
#include "rungs.h"

typedef block_tile<128, 256, 32, 4> tile;

/* Better: a warp loads 128 rows of 16 elements for 32 MMAs. Still bad: the accumulators take 128
 * registers per lane, so an SM has only 8 warps. A stage has two k-steps, so the warps wait at a
 * barrier after every 64 MMAs. */
static __global__ void __launch_bounds__(tile::THREADS, 1) large_warp_tile(const struct gemm call)
{
    multiply_block<tile>(call);
}

extern "C" void launch_large_warp_tile(const struct gemm *call)
{
    cudaFuncSetAttribute(large_warp_tile, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         tile::SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        large_warp_tile<<<tile_count(call, tile::M, tile::N), tile::THREADS, tile::SHARED_BYTES>>>(
            *call);
}
/* SPDX-License-Identifier: MIT */
