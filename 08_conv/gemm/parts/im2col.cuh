/* The im2col matrix: a row per channel and tap, a column per output pixel of the batch; an element
 * is the input that the pixel needs at that tap. A convolution is the product of the matrix of
 * filters (a row per filter, a column per channel and tap) with it. */
#ifndef IM2COL_CUH
#define IM2COL_CUH

#include "parts/conv_device.cuh"

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
    const size_t batch = column / out_area, place = column % out_area;
    struct pixel pixel;

    pixel.image = call.input + batch * call.channels * call.height * call.width;
    pixel.top = (long)(place / call.out_width * call.stride_height) - (long)call.pad;
    pixel.left = (long)(place % call.out_width * call.stride_width) - (long)call.pad;
    pixel.output = batch * call.filters * out_area + place;
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
