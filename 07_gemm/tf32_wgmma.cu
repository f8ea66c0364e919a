/* Step 07, TF32: one product of TF32 for each product of floats. */
#include "tf32.cuh"

extern "C" void launch_async_copies(const struct gemm *call);

typedef tf32_plan<1, 256, 4> plan;

static __global__ void __launch_bounds__(256)
    round_a(const struct gemm call, float *to, const size_t leading)
{
    overlap_launches();
    split_rows<1>(call, to, leading);
}

static __global__ void __launch_bounds__(256)
    transpose_b(const struct gemm call, float *to, const size_t leading)
{
    overlap_launches();
    transpose<1>(call, to, leading);
}

/* All that the rungs in bfloat16 have up to `persistent`, half as many terms in a step. The tensor
 * cores ignore the bits that TF32 does not have; to round is more exact. The TMA rounds A on its
 * way, if its rows are aligned, and the threads that transpose B round it. */
static __global__ void __launch_bounds__(THREADS, 1)
    tf32_wgmma(const struct gemm call, const __grid_constant__ CUtensorMap a,
               const __grid_constant__ CUtensorMap b, const struct tf32_work work)
{
    multiply_tiles<plan>(call, &a, &b, work);
}

static struct scratch scratch;

extern "C" void prepare_tf32_wgmma(const struct gemm *call)
{
    provide(&scratch, (call->m + call->n) * row_floats(call) * sizeof(float), "wgmma");
}

extern "C" void launch_tf32_wgmma(const struct gemm *call)
{
    const size_t leading = row_floats(call);
    float *const a = scratch.memory, *const b = a + call->m * leading;
    const bool as_it_is = can_be_mapped(call->a, call->m, call->k, call->lda, sizeof(float));

    if (call->m == 0 || call->n == 0)
        return;
    if (!fits_coordinates(call)) {
        launch_async_copies(call);
        return;
    }
    const struct tf32_work work = work_of<plan>(call);
    cudaFuncSetAttribute(tf32_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)plan::SHARED_BYTES);
    if (!as_it_is)
        launch_dependent(round_a, blocks_of_rows(call), 256, 0, *call, a, leading);
    launch_dependent(transpose_b, blocks_of_columns(call), 256, 0, *call, b, leading);
    launch_dependent(
        tf32_wgmma, min((unsigned)call->multiprocessors, work.row_tiles * work.column_tiles),
        THREADS, plan::SHARED_BYTES, *call,
        map_floats(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, as_it_is ? call->a : a, call->m, call->k,
                   as_it_is ? call->lda : leading, TILE_M),
        map_floats(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, b, call->n, call->k, leading, plan::TILE_N),
        work);
}
