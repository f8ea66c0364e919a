/* Step 08, grouped and depthwise convolution: each group of filters reads its own group of
 * channels. In a depthwise convolution, a group has one channel. */
#include "parts/conv_device.cuh"
#include "rungs.h"

static const unsigned BLOCK = 256, ROWS = 4;

/* A thread computes ROWS outputs, one below the other; neighbouring threads have neighbouring x. A
 * thread loads a row of inputs once, tap by tap, for all of its outputs that need the row.
 *
 * Better: with stride 1, ROWS + SIDE - 1 rows of inputs are loaded for ROWS outputs, instead of
 * ROWS x SIDE. If a filter reads few channels there is little else to gain, because the kernel is
 * bandwidth-bound. Still bad: an input is loaded once for each tap of a row, from the L1 cache.
 * With many channels in a group it is loaded again for each of the group's filters. (The rungs that
 * gather make a matrix product for each group.) */
template <unsigned SIDE, unsigned STRIDE>
static __global__ void __launch_bounds__(BLOCK, SIDE == 3   ? 3
                                                : SIDE == 5 ? 2
                                                            : 1) grouped(const struct conv call)
{
    const unsigned out_width = (unsigned)call.out_width, out_height = (unsigned)call.out_height;
    const unsigned height = (unsigned)call.height, width = (unsigned)call.width;
    const unsigned strips = (out_height + ROWS - 1) / ROWS;
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const unsigned x = (unsigned)(thread % out_width);
    const unsigned first_y = (unsigned)(thread / out_width % strips) * ROWS;
    const size_t f = thread / out_width / strips % call.filters;
    const size_t b = thread / out_width / strips / call.filters;

    if (b >= call.batch)
        return;
    const int top = (int)(first_y * STRIDE) - (int)call.pad,
              left = (int)(x * STRIDE) - (int)call.pad;
    const float *weights = call.filter + f * call.channels * SIDE * SIDE;
    const float *image =
        call.input + (b * call.groups + group_of(call, f)) * call.channels * height * width;
    float sums[ROWS] = {};
#pragma unroll 1
    for (unsigned c = 0; c < call.channels; c++) {
        float weight[SIDE][SIDE];
#pragma unroll
        for (unsigned i = 0; i < SIDE * SIDE; i++)
            weight[i / SIDE][i % SIDE] = weights[i];
#pragma unroll
        for (unsigned row = 0; row < (ROWS - 1) * STRIDE + SIDE; row++) {
            const unsigned y = (unsigned)(top + (int)row);
            float input[SIDE];
#pragma unroll
            for (unsigned s = 0; s < SIDE; s++) {
                const unsigned in_x = (unsigned)(left + (int)s);
                input[s] = y < height && in_x < width ? image[y * (size_t)width + in_x] : 0;
            }
#pragma unroll
            for (unsigned i = 0; i < ROWS; i++)
                if (row >= i * STRIDE && row < i * STRIDE + SIDE) /* known when compiled */
#pragma unroll
                    for (unsigned s = 0; s < SIDE; s++)
                        sums[i] += input[s] * weight[row - i * STRIDE][s];
        }
        weights += SIDE * SIDE;
        image += (size_t)height * width;
    }
#pragma unroll
    for (unsigned i = 0; i < ROWS; i++)
        if (first_y + i < out_height)
            call.output[((b * call.filters + f) * out_height + first_y + i) * out_width + x] =
                sums[i];
}

template <unsigned SIDE>
static void launch_side(const struct conv *call)
{
    const size_t strips = divided_up(call->out_height, ROWS);
    const size_t threads = call->batch * call->filters * strips * call->out_width;
    const unsigned blocks = (unsigned)divided_up(threads, BLOCK);

    if (blocks == 0)
        return;
    if (call->stride_height == 1)
        grouped<SIDE, 1><<<blocks, BLOCK>>>(*call);
    else
        grouped<SIDE, 2><<<blocks, BLOCK>>>(*call);
}

extern "C" void launch_grouped(const struct conv *call)
{
    if (call->kernel_height == 3)
        launch_side<3>(call);
    else if (call->kernel_height == 5)
        launch_side<5>(call);
    else
        launch_side<7>(call);
}

extern "C" const char *declines_grouped(const struct conv *call)
{
    const size_t side = call->kernel_height, most = (size_t)1 << 29;

    if (call->groups == 1 && call->channels > 1)
        return "only with --groups, or one channel";
    if ((side != 3 && side != 5 && side != 7) || call->kernel_width != side ||
        call->stride_height != call->stride_width || call->stride_height > 2 || call->dilation != 1)
        return "only 3x3, 5x5 and 7x7, stride 1 or 2, dilation 1";
    if (call->height > most || call->width > most || call->pad > most / 2 ||
        call->batch * call->filters * call->out_height > INT32_MAX / (call->out_width + 1) * 256)
        return "images too large";
    return NULL;
}
/* SPDX-License-Identifier: MIT */
