/* Step 07, bfloat16: clusters of two blocks side by side. Each block loads half of A's tile for
 * both. The rest is as in even_waves. */
#include "bfloat16/parts/even_tiles.cuh"

#define EVEN_KERNEL(name, low)                                                                     \
    static __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(THREADS, 1)                 \
        name(const struct gemm call, const __grid_constant__ struct even_maps maps,                \
             const struct even_work work)                                                          \
    {                                                                                              \
        multiply_even<low, 2>(call, maps, work);                                                   \
    }

/* Better: L2 delivers 33% fewer bytes. Still bad: tensor cores wait while a tile is rounded. */
EVEN_KERNEL(even_pairs_208, 208)
EVEN_KERNEL(even_pairs_232, 232)

extern "C" const char *declines_even_pairs(const struct gemm *call)
{
    return call->multiprocessors < 2 ? "requires two multiprocessors" : declines_even_waves(call);
}

extern "C" void launch_pairs_of(const struct gemm *call, const struct even_plan *plan)
{
    const struct even_work work = even_work_of(call, plan, 2);
    const struct even_maps maps = even_maps_of(call, plan->low_rows, 2);
    const unsigned blocks = even_blocks(call, work, 2);
    const bool is_208 = plan->low_rows == 208;

    cudaFuncSetAttribute(is_208 ? even_pairs_208 : even_pairs_232,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SHARED_BYTES);
    if (is_208)
        even_pairs_208<<<blocks, THREADS, SHARED_BYTES>>>(*call, maps, work);
    else
        even_pairs_232<<<blocks, THREADS, SHARED_BYTES>>>(*call, maps, work);
}

extern "C" void launch_even_pairs(const struct gemm *call)
{
    const struct even_plan plan = even_plan_of(call, true);

    if (call->m > 0 && call->n > 0)
        launch_pairs_of(call, &plan);
}
/* SPDX-License-Identifier: MIT */
