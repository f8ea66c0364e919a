/* Shared by several of step 08's sources. */
#ifndef CONV_DEVICE_CUH
#define CONV_DEVICE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "base/integers.h"
#include "problem/conv/conv.h"

/* The group of channels that a filter reads. */
static __device__ inline size_t group_of(const struct conv &call, size_t filter)
{
    return call.groups <= 1 ? 0 : filter / (call.filters / call.groups);
}

/* Stores two or four neighbours at once, at an address aligned to their size. Plain assignments
 * would not do: the compiler merges them with a branch that stores one number at a time, into
 * single stores. Lanes that store 4 bytes at a distance of 16 write to each sector four times. ncu
 * shows that, the source does not. */
static __device__ inline void store2(float *to, float first, float second)
{
    __stcg((float2 *)to, make_float2(first, second));
}

static __device__ inline void store4(float *to, const float *from)
{
    __stcg((float4 *)to, make_float4(from[0], from[1], from[2], from[3]));
}

/* Loads four floats at once, from an address that is a multiple of 16 bytes. */
static __device__ inline void load4(float *to, const float *from)
{
    const float4 four = *(const float4 *)from;
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

/* sums += column * row: ROWS x COLUMNS products from ROWS + COLUMNS numbers in registers. */
template <unsigned ROWS, unsigned COLUMNS>
static __device__ inline void add_outer_product(float (&sums)[ROWS][COLUMNS],
                                                const float (&column)[ROWS],
                                                const float (&row)[COLUMNS])
{
#pragma unroll
    for (unsigned i = 0; i < ROWS; i++)
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++)
            sums[i][j] += column[i] * row[j];
}

/* ---- the im2col matrix ----------------------------------------------------------------------- */

/* The matrix has a row per channel and tap and a column per output pixel of the batch. An element
 * is the input that the pixel needs at that tap. A convolution is the product of the filter matrix
 * (a row per filter, a column per channel and tap) with this matrix. */

/* One output pixel: a column of the matrix. */
struct pixel {
    const float *image; /* the first channel of its image */
    long top, left;     /* the input under the first tap, which may be outside the image */
    size_t output;      /* index of the pixel in the output of the first filter */
    bool exists;
};

static __device__ inline struct pixel pixel_of(const struct conv &call, size_t column)
{
    const size_t out_area = call.out_height * call.out_width;
    const size_t batch = column / out_area, position = column % out_area;
    struct pixel pixel;

    pixel.image = call.input + batch * call.channels * call.height * call.width;
    pixel.top = (long)(position / call.out_width * call.stride_height) - (long)call.pad;
    pixel.left = (long)(position % call.out_width * call.stride_width) - (long)call.pad;
    pixel.output = batch * call.filters * out_area + position;
    pixel.exists = batch < call.batch;
    return pixel;
}

/* An element of the im2col matrix, in a pixel's column: an input, or 0 outside the image. */
static __device__ inline float input_under(const struct conv &call, const struct pixel &pixel,
                                           size_t row)
{
    const size_t plane = call.kernel_height * call.kernel_width;
    const size_t channel = row / plane, tap = row % plane;
    const long y = pixel.top + (long)(tap / call.kernel_width * call.dilation);
    const long x = pixel.left + (long)(tap % call.kernel_width * call.dilation);

    if (!pixel.exists || channel >= call.channels || y < 0 || y >= (long)call.height || x < 0 ||
        x >= (long)call.width)
        return 0;
    return pixel.image[(channel * call.height + y) * call.width + x];
}

#endif
/* SPDX-License-Identifier: MIT */
