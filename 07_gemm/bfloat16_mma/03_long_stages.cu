/* Step 07, bfloat16 without wgmma: a stage has 64 elements of k, and the ring has three stages, or
 * two if the GPU's shared memory has no room for three. */
#include "bfloat16_mma/parts/pipeline.cuh"
#include "rungs.h"

/* Better: half as many barriers. At each, the first warps wait for the last one. Still bad: the
 * MMAs of a k-step wait for ldmatrix. */
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
    if (has_three_stages())
        launch<tile_of_three_stages>(call);
    else
        launch<tile_of_two_stages>(call);
}
/* SPDX-License-Identifier: MIT */
