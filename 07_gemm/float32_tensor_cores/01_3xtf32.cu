/* Step 07: float32 products on tensor cores, faster than float32's own units allow.
 *
 * A float is the sum of two TF32 numbers and a rest of at most 2^-22 of it. high has its first 11
 * bits; low has 11 of the others. high x high + high x low + low x high is the product except for
 * about 2^-22. These are three TF32 products. Tensor cores compute TF32 products more than seven
 * times as fast as the other units compute float32 products.
 *
 * Better: it is twice as fast. Still bad: two kernels first split the operands in global memory,
 * which takes 10% of the time at 4096^3. Infinities, and floats that round up to infinity, become
 * NaN, because infinity - infinity is NaN. Below about 2^-115, low is subnormal and has fewer bits,
 * or none. */
#include "parts/workspace.h"
#include "rungs.h"
#include "tf32/parts/tf32.cuh"

typedef tf32_config<2, 128, 3> config;

/* Stores A's parts in rows of `leading` floats. Each warp splits 256 elements of a row. */
static __global__ void __launch_bounds__(256)
    split_a(const struct gemm call, float *to, const size_t leading)
{
    const size_t pieces = (call.k + 255) / 256;
    const size_t piece = (size_t)blockIdx.x * 8 + threadIdx.x / 32, row = piece / pieces;

    if (row >= call.m)
        return;
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        const size_t p = piece % pieces * 256 + i * 32 + threadIdx.x % 32;
        if (p < call.k)
            put_parts<2>(to + row * leading + p, call.m * leading, call.a[row * call.lda + p]);
    }
}

static __global__ void __launch_bounds__(256)
    split_b(const struct gemm call, float *to, const size_t leading)
{
    transpose<2>(call, to, leading);
}

/* Computes the sums of a tile. Tensor cores truncate sums instead of rounding them, so errors add
 * up. Their sums therefore have only the 32 terms of one k-step; the threads add up the k-steps,
 * with rounding. While a warpgroup adds, the other one's MMAs run. */
static __device__ void sum_in_threads(config::ring &ring, unsigned steps,
                                      float (&sum)[config::TILE_N / 2])
{
    const unsigned first_row = threadIdx.x / WARPGROUP * 64;
    float part[config::TILE_N / 2];

#pragma unroll
    for (unsigned i = 0; i < config::TILE_N / 2; i++)
        sum[i] = 0;
    for (unsigned step = 0; step < steps; step++, ring.advance()) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_step<config>(part, ring.a() + first_row * ROW_BYTES, ring.b(), false);
        wgmma_finish(part);
        release(&ring.free[ring.stage]);
#pragma unroll
        for (unsigned i = 0; i < config::TILE_N / 2; i++)
            sum[i] += part[i];
    }
}

static __global__ void __launch_bounds__(THREADS, 1)
    tensor_3xtf32(const struct gemm call, const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, const struct tile_work work)
{
    divide_work<config::ring>(
        work,
        [&](const config::ring &ring, const struct tile_coord &tile, size_t term,
            phase_barrier *full) { copy_parts<config>(call, ring, &a, &b, tile, term, full); },
        [&](config::ring &ring, const struct tile_coord &tile) {
            float sum[config::TILE_N / 2];
            sum_in_threads(ring, work.steps, sum);
            store_floats(call, tile.row + threadIdx.x / WARPGROUP * 64 + row_in_fragment(),
                         tile.column, sum);
        });
}

static float *room_for_parts(const struct gemm *call)
{
    return workspace_copy(2 * (call->m + call->n) * aligned_floats(call->k));
}

extern "C" void prepare_tensor_3xtf32(const struct gemm *call)
{
    room_for_parts(call);
}

/* Errors in units of 2^-24, relative to the products' magnitudes:
 *   - 4 for each operand's rest, and 4 for low x low, which is left out;
 *   - per k-step, 12 instructions, each with two steps of the tensor cores (gemm_depth_tensor),
 *     whose errors are relative to the k-step's own terms;
 *   - one addition per k-step. */
extern "C" double depth_tensor_3xtf32(const struct gemm *call)
{
    return 12 + 12 * 2 * 12 + (double)((call->k + STEP_K - 1) / STEP_K);
}

extern "C" const char *declines_tma_floats(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0 || fits_coordinates(call))
        return NULL;
    return call->k == 0 ? "requires k > 0" : "requires m, n and k below 715 million";
}

extern "C" void launch_tensor_3xtf32(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    const size_t leading = aligned_floats(call->k);
    const unsigned blocks_of_rows = (unsigned)((call->m * ((call->k + 255) / 256) + 7) / 8);
    float *const a = room_for_parts(call), *const b = a + 2 * call->m * leading;
    const struct tile_work work = work_of(call, TILE_M, config::TILE_N);

    split_a<<<blocks_of_rows, 256>>>(*call, a, leading);
    split_b<<<blocks_of_columns(call), 256>>>(*call, b, leading);
    cudaFuncSetAttribute(tensor_3xtf32, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)config::SHARED_BYTES);
    tensor_3xtf32<<<blocks_for(call, work), THREADS, config::SHARED_BYTES>>>(
        *call,
        map_floats(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, a, 2 * call->m, call->k, leading, TILE_M),
        map_floats(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, b, 2 * call->n, call->k, leading,
                   config::TILE_N),
        work);
}
/* SPDX-License-Identifier: MIT */
