/* Common to register_tile and the rungs after it: a thread's products for 3 x 3 filters at stride
 * 1, and the stores of its sums. */
#ifndef REGISTER_TILE_CUH
#define REGISTER_TILE_CUH

#include "parts/conv_device.cuh"

/* A thread computes STRIP adjacent outputs in each of ROWS rows, for FILTERS filters. */
static const unsigned SIDE = 3, TAPS = SIDE * SIDE;
static const unsigned STRIP = 4, ROWS = 2, FILTERS = 8;
static const unsigned CHUNK = 3, STAGES = 3; /* channels per stage; stages in flight or in use */

/* Adds a channel's nine products to each of the sums. */
template <unsigned BLOCK_FILTERS>
static __device__ void add_channel(float (&sums)[FILTERS][ROWS][STRIP], const float *tile,
                                   unsigned pitch, const float *weights)
{
    float input[ROWS + SIDE - 1][STRIP + SIDE - 1];

#pragma unroll
    for (unsigned r = 0; r < ROWS + SIDE - 1; r++) {
        const float2 last = *(const float2 *)(tile + r * pitch + STRIP);
        load4(input[r], tile + r * pitch);
        input[r][STRIP] = last.x;
        input[r][STRIP + 1] = last.y;
    }
#pragma unroll
    for (unsigned tap = 0; tap < TAPS; tap++) {
        float weight[FILTERS];
#pragma unroll
        for (unsigned f = 0; f < FILTERS; f += 4)
            load4(weight + f, weights + tap * BLOCK_FILTERS + f);
#pragma unroll
        for (unsigned f = 0; f < FILTERS; f++)
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++)
#pragma unroll
                for (unsigned x = 0; x < STRIP; x++)
                    sums[f][r][x] += weight[f] * input[r + tap / SIDE][x + tap % SIDE];
    }
}

/* Stores a thread's sums. Its first output is (x, y) of `first_filter`. */
static __device__ inline void store_sums(const struct conv &call, size_t batch, size_t first_filter,
                                         size_t y, size_t x,
                                         const float (&sums)[FILTERS][ROWS][STRIP])
{
    const size_t out_area = call.out_height * call.out_width;
    float *to =
        call.output + (batch * call.filters + first_filter) * out_area + y * call.out_width + x;

    if (x >= call.out_width)
        return;
    if (call.out_width % STRIP == 0 && (size_t)call.output % sizeof(float4) == 0 &&
        y + ROWS <= call.out_height && first_filter + FILTERS <= call.filters) {
#pragma unroll
        for (unsigned f = 0; f < FILTERS; f++, to += out_area)
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++)
                store4(to + r * call.out_width, sums[f][r]);
        return;
    }
#pragma unroll
    for (unsigned f = 0; f < FILTERS; f++, to += out_area)
#pragma unroll
        for (unsigned r = 0; r < ROWS; r++)
#pragma unroll
            for (unsigned s = 0; s < STRIP; s++)
                if (first_filter + f < call.filters && y + r < call.out_height &&
                    x + s < call.out_width)
                    to[r * call.out_width + s] = sums[f][r][s];
}

#endif
/* SPDX-License-Identifier: MIT */
