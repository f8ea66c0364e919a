/* The part of a tile that a warp computes, for implicit_gemm_warp_tile and the rungs after it. */
#ifndef GATHERED_TILE_CUH
#define GATHERED_TILE_CUH

#include "gemm/parts/gather.cuh"
#include "parts/conv_device.cuh"

/* A warp computes 32 filters x 64 pixels, a thread 8 x 8: four squares of 4 x 4. */
static const unsigned WARP_FILTERS = 32, WARP_PIXELS = 64;

static const unsigned THREAD_SUMS = 64;

/* Stores four neighbours of a row of pixels, for four filters of a group. (Indices of elements that
 * exist have 32 bits: gather_declines.) */
static __device__ inline void store_pixels(const struct conv &call, const struct gather_plan &plan,
                                           float *output, unsigned group, unsigned first_filter,
                                           unsigned first_pixel, const float (&sums)[4][4])
{
    const unsigned out_area = (unsigned)(call.out_height * call.out_width);
    const unsigned filters = plan.filters, groups = (unsigned)call.groups;

    if (out_area % 4 == 0 && (size_t)output % sizeof(float4) == 0) {
        const unsigned batch = first_pixel / out_area, position = first_pixel % out_area;
        float *to =
            output + ((batch * groups + group) * filters + first_filter) * out_area + position;
        if (first_pixel >= plan.pixels)
            return;
#pragma unroll
        for (unsigned f = 0; f < 4; f++, to += out_area)
            if (first_filter + f < filters)
                store4(to, sums[f]);
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        const unsigned batch = (first_pixel + i) / out_area,
                       position = (first_pixel + i) % out_area;
        float *to =
            output + ((batch * groups + group) * filters + first_filter) * out_area + position;
        if (first_pixel + i >= plan.pixels)
            return;
#pragma unroll
        for (unsigned f = 0; f < 4; f++, to += out_area)
            if (first_filter + f < filters)
                *to = sums[f][i];
    }
}

/* Adds the products of a stage. */
template <unsigned FILTERS, unsigned PIXELS>
static __device__ inline void multiply_stage(float (&sums)[2][2][4][4], const float *a,
                                             const float *b)
{
#pragma unroll
    for (unsigned p = 0; p < GATHER_DEPTH; p++) {
        float x[2][4], y[2][4];
        load4(x[0], a + p * FILTERS);
        load4(x[1], a + p * FILTERS + 16);
        load4(y[0], b + p * PIXELS);
        load4(y[1], b + p * PIXELS + 32);
#pragma unroll
        for (unsigned i = 0; i < 2; i++)
#pragma unroll
            for (unsigned j = 0; j < 2; j++)
                add_outer_product(sums[i][j], x[i], y[j]);
    }
}

#endif
/* SPDX-License-Identifier: MIT */
