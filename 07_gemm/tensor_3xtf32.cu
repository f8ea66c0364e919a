/* Step 07: float32 products on tensor cores, faster than float32's own units allow.
 *
 * A float is the sum of two numbers of TF32 and a rest of at most 2^-22 of it: high, with its
 * first 11 bits, and low, with 11 of what is left. high x high + high x low + low x high is the
 * product but for some 2^-22: three products of TF32, which the tensor cores do more than seven
 * times as fast as the other units a product of float32.
 *
 * Better: twice as fast. Still bad: both operands are split in global memory first, which takes
 * a tenth of the time of 4096^3; infinities become NaN, since high - infinity is none, and so
 * does what rounds up to infinity; below 2^-115 or so, low is subnormal and has fewer bits, or
 * none. */
#include "tf32.cuh"

extern "C" void launch_async_copies(const struct gemm *call);

typedef tf32_plan<2, 128, 3> plan;

static __global__ void __launch_bounds__(256)
    split_a(const struct gemm call, float *to, const size_t leading)
{
    overlap_launches();
    split_rows<2>(call, to, leading);
}

static __global__ void __launch_bounds__(256)
    split_b(const struct gemm call, float *to, const size_t leading)
{
    overlap_launches();
    transpose<2>(call, to, leading);
}

static __global__ void __launch_bounds__(THREADS, 1)
    tensor_3xtf32(const struct gemm call, const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, const struct tf32_work work)
{
    multiply_tiles<plan>(call, &a, &b, work);
}

static struct scratch scratch;

extern "C" void prepare_tensor_3xtf32(const struct gemm *call)
{
    provide(&scratch, 2 * (call->m + call->n) * row_floats(call) * sizeof(float), "tensor_3xtf32");
}

/* Errors in units of 2^-24, relative to the products' magnitudes:
 *   - 4 for each operand's rest, and 4 for low x low, which is left out;
 *   - in a step, 12 instructions, each with two steps of the tensor cores (gemm_depth_tensor),
 *     whose errors are relative to the step's own terms;
 *   - an addition for each step. */
extern "C" double depth_tensor_3xtf32(const struct gemm *call)
{
    return 12 + 12 * 2 * 12 + (double)((call->k + STEP_K - 1) / STEP_K);
}

extern "C" void launch_tensor_3xtf32(const struct gemm *call)
{
    const size_t leading = row_floats(call);
    float *const a = scratch.memory, *const b = a + 2 * call->m * leading;

    if (call->m == 0 || call->n == 0)
        return;
    if (!fits_coordinates(call)) {
        launch_async_copies(call);
        return;
    }
    const struct tf32_work work = work_of<plan>(call);
    cudaFuncSetAttribute(tensor_3xtf32, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)plan::SHARED_BYTES);
    launch_dependent(split_a, blocks_of_rows(call), 256, 0, *call, a, leading);
    launch_dependent(split_b, blocks_of_columns(call), 256, 0, *call, b, leading);
    launch_dependent(
        tensor_3xtf32, min((unsigned)call->multiprocessors, work.row_tiles * work.column_tiles),
        THREADS, plan::SHARED_BYTES, *call,
        map_floats(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, a, 2 * call->m, call->k, leading, TILE_M),
        map_floats(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, b, 2 * call->n, call->k, leading, plan::TILE_N),
        work);
}
