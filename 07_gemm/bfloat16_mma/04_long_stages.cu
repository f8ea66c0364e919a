/* Step 07, bfloat16 without wgmma: a stage has 64 elements of k, and as many stages as the shared
 * memory of the GPU has room for, up to three. */
#include "bfloat16_mma/parts/pipeline.cuh"
#include "kernel/launch_limits.cuh"
#include "rungs.h"

typedef block_tile<128, 256, 64, 3> tile_of_three;
typedef block_tile<128, 256, 64, 2> tile_of_two; /* for GPUs with 99 KiB per block */

/* Better: half as many barriers, and a warp that is late keeps the others waiting less often. Still
 * bad: blocks that run at the same time read the same rows of A but all of B from L2, and a block
 * begins with an empty ring. */
template <typename T>
static __global__ void __launch_bounds__(T::THREADS, 1) long_stages(const struct gemm call)
{
    multiply_block<T>(call);
}

template <typename T>
static void launch(const struct gemm *call)
{
    cudaFuncSetAttribute(long_stages<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         T::SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        long_stages<T><<<tile_count(call, T::M, T::N), T::THREADS, T::SHARED_BYTES>>>(*call);
}

extern "C" void launch_long_stages(const struct gemm *call)
{
    if (block_may_have(tile_of_three::SHARED_BYTES))
        launch<tile_of_three>(call);
    else
        launch<tile_of_two>(call);
}
/* SPDX-License-Identifier: MIT */
