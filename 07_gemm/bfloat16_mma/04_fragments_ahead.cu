/* Step 07, bfloat16 without wgmma: the fragments of the next k-step are loaded during this one's
 * MMAs. */
#include "bfloat16_mma/parts/pipeline.cuh"
#include "rungs.h"

/* Better: MMAs use fragments that were loaded a k-step earlier, and a warp reaches the barrier with
 * MMAs in flight. Still bad: a block starts with an empty ring and copies nothing at its end.
 * Blocks that run at the same time need few rows of A but all columns of B. */
template <typename T>
static __global__ void __launch_bounds__(T::THREADS, 1) fragments_ahead(const struct gemm call)
{
    multiply_block_ahead<T>(call);
}

template <typename T>
static void launch(const struct gemm *call)
{
    cudaFuncSetAttribute(fragments_ahead<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         T::SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        fragments_ahead<T><<<tile_count(call, T::M, T::N), T::THREADS, T::SHARED_BYTES>>>(*call);
}

extern "C" void launch_fragments_ahead(const struct gemm *call)
{
    if (has_three_stages())
        launch<tile_of_three_stages>(call);
    else
        launch<tile_of_two_stages>(call);
}
/* SPDX-License-Identifier: MIT */
