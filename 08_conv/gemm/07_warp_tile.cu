/* Step 08, the implicit product with more sums per thread, otherwise as implicit_gemm_packed. */
#include "gemm/parts/gathered_tile.cuh"
#include "parts/conv_device.cuh"
#include "rungs.h"

static const unsigned FILTERS = 64, PIXELS = 128, BLOCK = FILTERS * PIXELS / THREAD_SUMS;
static const unsigned ROWS_LOADED = GATHER_DEPTH * PIXELS / BLOCK;
static const unsigned A_ROWS =
    BLOCK / (FILTERS / 4); /* rows of weights that the block copies at once */
static const unsigned A_COPIES = GATHER_DEPTH / A_ROWS;

struct tiles {
    float a[GATHER_DEPTH][FILTERS], b[GATHER_DEPTH][PIXELS];
};

static __device__ inline void load_packed(const struct gather_plan &plan, unsigned first_filter,
                                          unsigned stage, float (&weights)[A_COPIES][4])
{
    const unsigned filters = plan.filter_tiles * FILTERS;
    const size_t row = stage * GATHER_DEPTH + threadIdx.x / (FILTERS / 4);
    const float *const from =
        plan.weights + row * filters + first_filter + threadIdx.x % (FILTERS / 4) * 4;

#pragma unroll
    for (unsigned i = 0; i < A_COPIES; i++)
        load4(weights[i], from + (size_t)i * A_ROWS * filters);
}

static __device__ inline void store_stage(struct tiles *tiles, const float *inputs,
                                          const float (&weights)[A_COPIES][4])
{
    const unsigned row = threadIdx.x / (FILTERS / 4), column = threadIdx.x % (FILTERS / 4) * 4;

#pragma unroll
    for (unsigned i = 0; i < ROWS_LOADED; i++)
        tiles->b[i][threadIdx.x] = inputs[i];
#pragma unroll
    for (unsigned i = 0; i < A_COPIES; i++)
        *(float4 *)&tiles->a[row + i * A_ROWS][column] =
            make_float4(weights[i][0], weights[i][1], weights[i][2], weights[i][3]);
}

/* A warp computes 32 filters x 64 pixels, with its lanes in four rows of eight. A thread computes 8
 * x 8 sums: four squares of 4 x 4.
 *
 * Better: four loads from shared memory for 64 products instead of three for 32, and no bank
 * conflicts within a warp. Still bad: the loads in flight to shared memory take 24 registers. */
static __global__ void __launch_bounds__(BLOCK, 3)
    implicit_gemm_warp_tile(const struct conv call, const struct gather_plan plan)
{
    __shared__ __align__(16) struct tiles tiles[2];
    const unsigned first_filter = blockIdx.x % plan.filter_tiles * FILTERS;
    const unsigned first_pixel = blockIdx.x / plan.filter_tiles * PIXELS;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned row = warp % (FILTERS / WARP_FILTERS) * WARP_FILTERS + lane / 8 * 4;
    const unsigned column = warp / (FILTERS / WARP_FILTERS) * WARP_PIXELS + lane % 8 * 4;
    gatherer<PIXELS, BLOCK, 1> gather;
    float inputs[ROWS_LOADED], weights[A_COPIES][4];
    unsigned current = 0;

    begin_gather(&gather, call, plan, threadIdx.x, 0, first_pixel);
    float sums[2][2][4][4] = {};
    load_stage(gather, call, plan, 0, inputs);
    load_packed(plan, first_filter, 0, weights);
    store_stage(&tiles[current], inputs, weights);
    __syncthreads();
#pragma unroll 1
    for (unsigned next = 1; next <= plan.stages; next++, current ^= 1) {
        if (next < plan.stages) {
            load_stage(gather, call, plan, next, inputs);
            load_packed(plan, first_filter, next, weights);
        }
        multiply_stage<FILTERS, PIXELS>(sums, &tiles[current].a[0][row],
                                        &tiles[current].b[0][column]);
        if (next < plan.stages)
            store_stage(&tiles[current ^ 1], inputs, weights);
        __syncthreads();
    }
#pragma unroll
    for (unsigned i = 0; i < 2; i++)
#pragma unroll
        for (unsigned j = 0; j < 2; j++)
            store_pixels(call, plan, call.output, 0, first_filter + row + 16 * i,
                         first_pixel + column + 32 * j, sums[i][j]);
}

extern "C" void launch_implicit_gemm_warp_tile(const struct conv *call)
{
    if (is_empty(call))
        return;
    const struct gather_plan plan = gather_plan_of_one_tile(call);
    implicit_gemm_warp_tile<<<plan.filter_tiles * plan.pixel_tiles, BLOCK>>>(*call, plan);
}
/* SPDX-License-Identifier: MIT */
