/* Step 07, bfloat16: blocks that stay. */
#include "bf16_persistent.cuh"

extern "C" void launch_swizzled(const struct gemm *call);

typedef plan<256, 4, 1, false> persistent_plan;

/* Better: the producer is a ring ahead, across the end of a tile; and tiles that are computed at
 * the same time share rows and columns in L2. Still bad: two multiprocessors that need the same
 * tile of B both fetch it from L2, and consumers wait until their stores have left. */
static __global__ void __launch_bounds__(THREADS, 1)
    persistent(const struct gemm call, const __grid_constant__ struct maps maps,
               const struct bf16_work work)
{
    multiply_units<persistent_plan>(call, maps, work);
}

extern "C" void launch_persistent(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    if (!tma_can_load(call)) {
        launch_swizzled(call);
        return;
    }
    const struct bf16_work work = work_of<persistent_plan>(call);
    const struct maps maps = maps_of<persistent_plan>(call, work);

    cudaFuncSetAttribute(persistent, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)persistent_plan::SHARED_BYTES);
    launch_dependent(persistent, blocks_for<persistent_plan>(call, work), THREADS,
                     persistent_plan::SHARED_BYTES, *call, maps, work);
}
