/* Step 07, bfloat16: producers and consumers. A warp does nothing but bring tiles, two warpgroups
 * do nothing but multiply, 64 rows of the tile each. Each stage has a barrier that says it is full
 * and one that says it is free; there is no __syncthreads in the loop. */
#include "bfloat16/parts/producers.cuh"

/* Better: warps wait only for what they need. Still bad: of what the TMA brings, 128 rows of A
 * serve 128 columns; a tile twice as wide would need three quarters of the traffic. */
static __global__ void __launch_bounds__(THREADS, 1)
    producers(const struct gemm call, const __grid_constant__ CUtensorMap a,
              const __grid_constant__ CUtensorMap b, const unsigned steps)
{
    multiply_block<128, false>(call, &a, &b, steps);
}

extern "C" void launch_producers(const struct gemm *call)
{
    const unsigned bytes = STAGES * tma_ring<TILE_M, 128, STAGES>::STAGE_BYTES;

    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(producers, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    producers<<<tile_count(call, TILE_M, 128), THREADS, bytes>>>(*call, map_a(call, TILE_M),
                                                                 map_b(call), steps_along_k(call));
}
/* SPDX-License-Identifier: MIT */
