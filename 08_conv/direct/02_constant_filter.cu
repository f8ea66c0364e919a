/* Step 08: the weights in constant memory. */
#include "parts/conv_device.cuh"
#include "rungs.h"

static const unsigned BLOCK = 256;

static const size_t CONSTANT_FLOATS = 65536 / sizeof(float); /* all of constant memory */
static __constant__ float constant_weights[CONSTANT_FLOATS];

/* The weights that are in constant memory: some whole filters, or some channels of one filter. */
struct chunk {
    size_t first_filter, filters;
    size_t first_channel, channels;
};

/* The weights are in constant memory. Its own cache broadcasts one word to a whole warp. If the
 * filters do not fit in its 64 KB, several launches process them. If a filter's channels are split,
 * later launches add to what the first stored in the output.
 *
 * Better: one load from global memory per product instead of two. Still bad: the load saved was the
 * cheaper one, a single sector per warp. The input is loaded as often as before, with hardly fewer
 * instructions per product. The copies to constant memory are part of the work: this rung is slower
 * if the filters need many launches. */
static __global__ void constant_filter(const struct conv call, const struct chunk chunk)
{
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t x = thread % call.out_width;
    const size_t y = thread / call.out_width % call.out_height;
    const size_t f = thread / (call.out_width * call.out_height) % chunk.filters;
    const size_t b = thread / (call.out_width * call.out_height) / chunk.filters;

    if (b >= call.batch)
        return;
    const float *weight =
        constant_weights + f * chunk.channels * call.kernel_height * call.kernel_width;
    float *const output =
        call.output +
        ((b * call.filters + chunk.first_filter + f) * call.out_height + y) * call.out_width + x;
    float sum = chunk.first_channel == 0 ? 0 : *output;
    for (size_t c = 0; c < chunk.channels; c++) {
        const float *const image =
            call.input + (b * call.channels + chunk.first_channel + c) * call.height * call.width;
        for (size_t r = 0; r < call.kernel_height; r++) {
            const size_t in_y = y * call.stride_height + r * call.dilation - call.pad;
            for (size_t s = 0; s < call.kernel_width; s++, weight++) {
                const size_t in_x = x * call.stride_width + s * call.dilation - call.pad;
                if (in_y < call.height && in_x < call.width)
                    sum += image[in_y * call.width + in_x] * *weight;
            }
        }
    }
    *output = sum;
}

/* Copies a chunk of the filters to constant memory and convolves with it. */
static void convolve_chunk(const struct conv *call, const struct chunk *chunk)
{
    const size_t plane = call->kernel_height * call->kernel_width;
    const size_t threads = call->batch * chunk->filters * call->out_height * call->out_width;
    const float *const weights =
        call->filter + (chunk->first_filter * call->channels + chunk->first_channel) * plane;

    cudaMemcpyToSymbolAsync(constant_weights, weights,
                            chunk->filters * chunk->channels * plane * sizeof(float), 0,
                            cudaMemcpyDeviceToDevice, 0);
    constant_filter<<<(unsigned)((threads + BLOCK - 1) / BLOCK), BLOCK>>>(*call, *chunk);
}

extern "C" const char *declines_constant_filter(const struct conv *call)
{
    if (conv_declines_empty(call) != NULL)
        return conv_declines_empty(call);
    return call->kernel_height * call->kernel_width > CONSTANT_FLOATS
               ? "a channel of a filter does not fit in constant memory"
               : NULL;
}

extern "C" void launch_constant_filter(const struct conv *call)
{
    const size_t plane = call->kernel_height * call->kernel_width;
    const size_t taps = call->channels * plane;
    const size_t outputs = call->batch * call->filters * call->out_height * call->out_width;

    if (outputs == 0)
        return;
    const size_t filters = taps <= CONSTANT_FLOATS ? CONSTANT_FLOATS / taps : 1;
    const size_t channels = taps <= CONSTANT_FLOATS ? call->channels : CONSTANT_FLOATS / plane;
    for (size_t f = 0; f < call->filters; f += filters)
        for (size_t c = 0; c < call->channels; c += channels) {
            const struct chunk chunk = {f, smaller(filters, call->filters - f), c,
                                        smaller(channels, call->channels - c)};
            convolve_chunk(call, &chunk);
        }
}
/* SPDX-License-Identifier: MIT */
