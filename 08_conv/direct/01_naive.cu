/* Step 08: the forward 2-D convolution of neural networks. The filter is not flipped, and every
 * output element is a sum of channels x kernel_height x kernel_width products.
 *
 * Input outside the image counts as 0. An input coordinate is output * stride + tap * dilation -
 * pad in unsigned arithmetic. Left of the image it wraps around to a huge number. Therefore one
 * comparison with the size detects both sides. */
#include "parts/conv_device.cuh"
#include "rungs.h"

static const unsigned BLOCK = 256;

/* One thread per output element. Neighbouring threads have neighbouring x. So a warp's loads of the
 * input and its stores are coalesced, and all its threads load the same weight.
 *
 * Still bad: every product takes two loads and about forty instructions, most of them to compute
 * the input's address and to check that it is inside the image. Up to filters x kernel_height x
 * kernel_width threads load each input element, and no thread reuses what it loaded. */
static __global__ void naive(const struct conv call)
{
    const size_t element = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t x = element % call.out_width;
    const size_t y = element / call.out_width % call.out_height;
    const size_t f = element / (call.out_width * call.out_height) % call.filters;
    const size_t b = element / (call.out_width * call.out_height) / call.filters;

    if (b >= call.batch)
        return;
    const float *weight = call.filter + f * call.channels * call.kernel_height * call.kernel_width;
    const size_t first = (b * call.groups + group_of(call, f)) * call.channels;
    float sum = 0;
    for (size_t c = 0; c < call.channels; c++) {
        const float *const image = call.input + (first + c) * call.height * call.width;
        for (size_t r = 0; r < call.kernel_height; r++) {
            const size_t in_y = y * call.stride_height + r * call.dilation - call.pad;
            for (size_t s = 0; s < call.kernel_width; s++, weight++) {
                const size_t in_x = x * call.stride_width + s * call.dilation - call.pad;
                if (in_y < call.height && in_x < call.width)
                    sum += image[in_y * call.width + in_x] * *weight;
            }
        }
    }
    call.output[element] = sum;
}

extern "C" void launch_conv_naive(const struct conv *call)
{
    const size_t elements = call->batch * call->filters * call->out_height * call->out_width;
    /* gridDim.x can be up to 2^31 - 1: more elements than any memory has room for. */
    const size_t blocks = (elements + BLOCK - 1) / BLOCK;

    if (blocks > 0)
        naive<<<(unsigned)blocks, BLOCK>>>(*call);
}
/* SPDX-License-Identifier: MIT */
