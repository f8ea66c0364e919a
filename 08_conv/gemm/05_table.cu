/* Step 08, the implicit product without index arithmetic. A table says where the inputs of a row of
 * the im2col matrix are. In the second rung, the weights are also stored in the order of use.
 * (gemm/parts/gather.cu prepares both.) */
#include "gemm/parts/gather.cuh"
#include "gemm/parts/tiled.cuh"
#include "parts/conv_device.cuh"
#include "rungs.h"

static const unsigned VECTOR = 4; /* weights per copy of a thread */

extern "C" void prepare_one_tile(const struct conv *call)
{
    if (is_empty(call))
        return;
    const struct gather_plan plan = gather_plan_of_one_tile(call);
    prepare_gather(call, &plan);
}

/* As implicit_gemm_double, but a table says for each row of the im2col matrix how far its inputs
 * are from those of the first tap.
 *
 * Better: an input takes one addition and two 32-bit comparisons instead of the arithmetic of
 * channel and tap. Still bad: each weight takes a test and a load of its own, and a thread stores
 * it into a column of the tile. */
static __global__ void __launch_bounds__(BLOCK)
    implicit_gemm_table(const struct conv call, const struct gather_plan plan)
{
    __shared__ __align__(16) struct tiles tiles[2];
    const size_t taps = call.channels * call.kernel_height * call.kernel_width;
    const unsigned first_filter = blockIdx.x % plan.filter_tiles * BLOCK_FILTERS;
    const unsigned first_pixel = blockIdx.x / plan.filter_tiles * BLOCK_PIXELS;
    gatherer<BLOCK_PIXELS, BLOCK, 1> gather;
    float inputs[ROWS_LOADED], weights[FILTERS_LOADED];
    unsigned current = 0;

    begin_gather(&gather, call, plan, threadIdx.x, 0, first_pixel);
    float sums[FILTERS][PIXELS] = {};
    load_stage(gather, call, plan, 0, inputs);
    load_weights(call, taps, first_filter, 0, weights);
    store_inputs(&tiles[current], inputs);
    store_weights(&tiles[current], weights);
    __syncthreads();
    for (unsigned next = 1; next <= plan.stages; next++, current ^= 1) {
        if (next < plan.stages) {
            load_stage(gather, call, plan, next, inputs);
            load_weights(call, taps, first_filter, next * DEPTH, weights);
        }
        multiply_tiles(&tiles[current], sums);
        if (next < plan.stages) {
            store_inputs(&tiles[current ^ 1], inputs);
            store_weights(&tiles[current ^ 1], weights);
        }
        __syncthreads();
    }
    store_sums(call, first_filter, first_pixel, sums);
}

extern "C" void launch_implicit_gemm_table(const struct conv *call)
{
    if (is_empty(call))
        return;
    implicit_gemm_table<<<blocks_of(call), BLOCK>>>(*call, gather_plan_of_one_tile(call));
}

/* Loads a thread's four weights of a stage. */
static __device__ inline void load_packed(const struct gather_plan &plan, unsigned first_filter,
                                          unsigned stage, float *weights)
{
    const size_t row = stage * DEPTH + threadIdx.x / (BLOCK_FILTERS / VECTOR);
    const unsigned column = threadIdx.x % (BLOCK_FILTERS / VECTOR) * VECTOR;

    load4(weights, plan.weights + row * plan.filter_tiles * BLOCK_FILTERS + first_filter + column);
}

static __device__ inline void store_packed(struct tiles *tiles, const float *weights)
{
    const unsigned column = threadIdx.x % (BLOCK_FILTERS / VECTOR) * VECTOR;

    *(float4 *)&tiles->a[threadIdx.x / (BLOCK_FILTERS / VECTOR)][column] =
        make_float4(weights[0], weights[1], weights[2], weights[3]);
}

/* The weights are stored in the order in which blocks read them, [row][filter], with zeros in the
 * padding.
 *
 * Better: four weights take one load and one store, without a test. Still bad: 32 products take
 * three loads from shared memory, as before. */
static __global__ void __launch_bounds__(BLOCK)
    implicit_gemm_packed(const struct conv call, const struct gather_plan plan)
{
    __shared__ __align__(16) struct tiles tiles[2];
    const unsigned first_filter = blockIdx.x % plan.filter_tiles * BLOCK_FILTERS;
    const unsigned first_pixel = blockIdx.x / plan.filter_tiles * BLOCK_PIXELS;
    gatherer<BLOCK_PIXELS, BLOCK, 1> gather;
    float inputs[ROWS_LOADED], weights[VECTOR];
    unsigned current = 0;

    begin_gather(&gather, call, plan, threadIdx.x, 0, first_pixel);
    float sums[FILTERS][PIXELS] = {};
    load_stage(gather, call, plan, 0, inputs);
    load_packed(plan, first_filter, 0, weights);
    store_inputs(&tiles[current], inputs);
    store_packed(&tiles[current], weights);
    __syncthreads();
    for (unsigned next = 1; next <= plan.stages; next++, current ^= 1) {
        if (next < plan.stages) {
            load_stage(gather, call, plan, next, inputs);
            load_packed(plan, first_filter, next, weights);
        }
        multiply_tiles(&tiles[current], sums);
        if (next < plan.stages) {
            store_inputs(&tiles[current ^ 1], inputs);
            store_packed(&tiles[current ^ 1], weights);
        }
        __syncthreads();
    }
    store_sums(call, first_filter, first_pixel, sums);
}

extern "C" void launch_implicit_gemm_packed(const struct conv *call)
{
    if (is_empty(call))
        return;
    implicit_gemm_packed<<<blocks_of(call), BLOCK>>>(*call, gather_plan_of_one_tile(call));
}
/* SPDX-License-Identifier: MIT */
