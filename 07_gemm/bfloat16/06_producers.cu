/* Step 07, bfloat16: producers and consumers. One warp only loads tiles. Two warpgroups only
 * multiply, 64 rows of the tile each. Each stage has an mbarrier that says it is full and one that
 * says it is free. The loop has no __syncthreads. */
#include "bfloat16/parts/producers.cuh"

/* Better: a warp waits only for the data that it needs. Still bad: the TMA loads 128 rows of A for
 * only 128 columns of B. A tile twice as wide would need 25% fewer bytes per MMA. */
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
