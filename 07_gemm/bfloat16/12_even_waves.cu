/* Step 07, bfloat16: no wave quantization. A part of C has tiles of 232 or 208 rows instead of 256.
 * Requires beta = 0, and a C that the TMA can store. */
#include "bfloat16/parts/even_tiles.cuh"

#define EVEN_KERNEL(name, low)                                                                     \
    static __global__ void __launch_bounds__(THREADS, 1)                                           \
        name(const struct gemm call, const __grid_constant__ struct even_maps maps,                \
             const struct even_work work)                                                          \
    {                                                                                              \
        multiply_even<low, 1>(call, maps, work);                                                   \
    }

/* Better: all SMs end at about the same time. Still bad: blocks side by side each load the same
 * rows of A. */
EVEN_KERNEL(even_waves_208, 208)
EVEN_KERNEL(even_waves_232, 232)

extern "C" const char *declines_even_waves(const struct gemm *call)
{
    const char *const reason = declines_tma_loads(call);

    if (call->m == 0 || call->n == 0 || reason != NULL)
        return reason;
    if (!can_be_stored(call->c, call->m, call->n, call->ldc, sizeof(uint16_t)))
        return "requires whole chunks of 16 bytes in the rows of C";
    if (call->beta != 0)
        return "requires beta = 0: a tile is stored after its sums have left";
    return steps_along_k(call) < PARTS ? "requires k > 192: a tile is stored in four steps along k"
                                       : NULL;
}

extern "C" void launch_waves_of(const struct gemm *call, const struct even_plan *plan)
{
    const struct even_work work = even_work_of(call, plan, 1);
    const struct even_maps maps = even_maps_of(call, plan->low_rows, 1);
    const unsigned blocks = even_blocks(call, work, 1);
    const bool is_208 = plan->low_rows == 208;

    cudaFuncSetAttribute(is_208 ? even_waves_208 : even_waves_232,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SHARED_BYTES);
    if (is_208)
        even_waves_208<<<blocks, THREADS, SHARED_BYTES>>>(*call, maps, work);
    else
        even_waves_232<<<blocks, THREADS, SHARED_BYTES>>>(*call, maps, work);
}

extern "C" void launch_even_waves(const struct gemm *call)
{
    const struct even_plan plan = even_plan_of(call, false);

    if (call->m > 0 && call->n > 0)
        launch_waves_of(call, &plan);
}
/* SPDX-License-Identifier: MIT */
