/* Common to implicit_gemm_tiled and the rungs after it: tiles of 64 filters x 128 pixels, and 8 x 4
 * sums per thread. */
#ifndef IMPLICIT_GEMM_TILED_CUH
#define IMPLICIT_GEMM_TILED_CUH

#include "parts/conv_device.cuh"

static const unsigned BLOCK = 256;

/* The block's tiles in the rungs that include this file, and a thread's part of the result. */
static const unsigned BLOCK_FILTERS = 64, BLOCK_PIXELS = 128, DEPTH = 16;
static const unsigned FILTERS = 8, PIXELS = 4;
static const unsigned A_PITCH = BLOCK_FILTERS + 4; /* fewer bank conflicts on stores of columns */

/* For each pair of tiles, a thread loads 4 floats of the filters and 8 rows of a column of the
 * im2col matrix. It is always the same column. */
static const unsigned ROWS_LOADED = DEPTH * BLOCK_PIXELS / BLOCK;
static const unsigned FILTERS_LOADED = DEPTH * BLOCK_FILTERS / BLOCK;

struct tiles {
    float a[DEPTH][A_PITCH]; /* transposed: a thread's 8 filters are contiguous */
    float b[DEPTH][BLOCK_PIXELS];
};

static __device__ inline void load_weights(const struct conv &call, size_t taps,
                                           size_t first_filter, size_t first, float *weights)
{
    const size_t tap = first + threadIdx.x % DEPTH;

#pragma unroll
    for (unsigned i = 0; i < FILTERS_LOADED; i++) {
        const size_t filter = first_filter + threadIdx.x / DEPTH + i * (BLOCK / DEPTH);
        weights[i] = filter < call.filters && tap < taps ? call.filter[filter * taps + tap] : 0;
    }
}

static __device__ inline void store_inputs(struct tiles *tiles, const float *inputs)
{
    const unsigned row = threadIdx.x / BLOCK_PIXELS * ROWS_LOADED;

#pragma unroll
    for (unsigned i = 0; i < ROWS_LOADED; i++)
        tiles->b[row + i][threadIdx.x % BLOCK_PIXELS] = inputs[i];
}

static __device__ inline void store_weights(struct tiles *tiles, const float *weights)
{
#pragma unroll
    for (unsigned i = 0; i < FILTERS_LOADED; i++)
        tiles->a[threadIdx.x % DEPTH][threadIdx.x / DEPTH + i * (BLOCK / DEPTH)] = weights[i];
}

static __device__ inline void multiply_tiles(const struct tiles *tiles,
                                             float (&sums)[FILTERS][PIXELS])
{
    const unsigned lane_y = threadIdx.x / 32, lane_x = threadIdx.x % 32;

#pragma unroll
    for (unsigned p = 0; p < DEPTH; p++) {
        float a[FILTERS], b[PIXELS];
        load4(a, &tiles->a[p][lane_y * FILTERS]);
        load4(a + 4, &tiles->a[p][lane_y * FILTERS + 4]);
        load4(b, &tiles->b[p][lane_x * PIXELS]);
        add_outer_product(sums, a, b);
    }
}

static __device__ inline void store_sums(const struct conv &call, size_t first_filter,
                                         size_t first_pixel, const float (&sums)[FILTERS][PIXELS])
{
    const size_t out_area = call.out_height * call.out_width;
    const size_t filter = first_filter + threadIdx.x / 32 * FILTERS;

#pragma unroll
    for (unsigned x = 0; x < PIXELS; x++) {
        const struct pixel pixel = pixel_of(call, first_pixel + threadIdx.x % 32 * PIXELS + x);
#pragma unroll
        for (unsigned f = 0; f < FILTERS; f++)
            if (filter + f < call.filters && pixel.exists)
                call.output[pixel.output + (filter + f) * out_area] = sums[f][x];
    }
}

static inline unsigned blocks_of(const struct conv *call)
{
    const size_t pixels = call->batch * call->out_height * call->out_width;
    return (unsigned)(divided_up(pixels, BLOCK_PIXELS) * divided_up(call->filters, BLOCK_FILTERS));
}

#endif
/* SPDX-License-Identifier: MIT */
