/* Step 07, bfloat16: a wider tile. Its consumers take registers from the producers. */
#include "bfloat16/parts/producers.cuh"

/* Better: the tile is 128 x 256. A consumer thread has 128 accumulators, and more registers than an
 * equal share. Still bad: a block does not multiply while it stores its tile, and no second block
 * fits on the SM. */
static __global__ void __launch_bounds__(THREADS, 1)
    wide_tile(const struct gemm call, const __grid_constant__ CUtensorMap a,
              const __grid_constant__ CUtensorMap b, const unsigned steps)
{
    multiply_block<256, true>(call, &a, &b, steps);
}

extern "C" void launch_wide_tile_bf16(const struct gemm *call)
{
    const unsigned bytes = STAGES * tma_ring<TILE_M, 256, STAGES>::STAGE_BYTES;

    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(wide_tile, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    wide_tile<<<tile_count(call, TILE_M, 256), THREADS, bytes>>>(*call, map_a(call, TILE_M),
                                                                 map_b(call), steps_along_k(call));
}
/* SPDX-License-Identifier: MIT */
