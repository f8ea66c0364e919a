/* Step 08: 2-D convolution, forward, as neural networks mean it: the filter slides over the picture
 * unflipped, and every output element sums up channels x kernel_height x kernel_width products.
 *
 * Input outside the picture counts as 0. An input coordinate is place * stride + tap * dilation -
 * pad in unsigned arithmetic: left of the picture it wraps around to a huge number, so that one
 * comparison with the size catches both sides. */
#include <cuda_runtime.h>

#include "conv.h"

static const unsigned BLOCK = 256;

/* One thread an output element. Neighbouring threads have neighbouring x, so that what a warp reads
 * of the input and writes of the output coalesces, while all its threads read the same weight.
 *
 * Still bad: every product takes two loads and some forty instructions, most of them to find out
 * where in the input a tap lies and whether it lies there at all. Each input element is asked for
 * by up to filters x kernel_height x kernel_width threads: no thread keeps what it has read. */
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
    float sum = 0;
    for (size_t c = 0; c < call.channels; c++) {
        const float *const picture =
            call.input + (b * call.channels + c) * call.height * call.width;
        for (size_t r = 0; r < call.kernel_height; r++) {
            const size_t in_y = y * call.stride + r * call.dilation - call.pad;
            for (size_t s = 0; s < call.kernel_width; s++, weight++) {
                const size_t in_x = x * call.stride + s * call.dilation - call.pad;
                if (in_y < call.height && in_x < call.width)
                    sum += picture[in_y * call.width + in_x] * *weight;
            }
        }
    }
    call.output[element] = sum;
}

extern "C" void launch_naive(const struct conv *call)
{
    const size_t elements = call->batch * call->filters * call->out_height * call->out_width;
    /* gridDim.x goes up to 2^31 - 1: more elements than fit in any memory. */
    const size_t blocks = (elements + BLOCK - 1) / BLOCK;

    if (blocks > 0)
        naive<<<(unsigned)blocks, BLOCK>>>(*call);
}

static const size_t CONSTANT_FLOATS = 65536 / sizeof(float); /* all of constant memory */
static __constant__ float constant_weights[CONSTANT_FLOATS];

/* What of the filters is in constant memory: some filters whole, or some channels of one. */
struct chunk {
    size_t first_filter, filters;
    size_t first_channel, channels;
};

/* The weights come from constant memory, which has a cache of its own that hands one word to a
 * whole warp. Filters that do not fit in its 64 KB take turns, in as many launches; where a
 * filter's channels come in parts, the second part adds to what the first left in the output.
 *
 * Better: one load a product from global memory, where there were two.
 * Still bad: it was the cheaper of the two, a single sector for a warp. The input is read as often
 * as before, and the instructions around a product are hardly fewer. The copies to constant memory
 * are part of the work: with filters that need many turns this rung loses. */
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
        const float *const picture =
            call.input + (b * call.channels + chunk.first_channel + c) * call.height * call.width;
        for (size_t r = 0; r < call.kernel_height; r++) {
            const size_t in_y = y * call.stride + r * call.dilation - call.pad;
            for (size_t s = 0; s < call.kernel_width; s++, weight++) {
                const size_t in_x = x * call.stride + s * call.dilation - call.pad;
                if (in_y < call.height && in_x < call.width)
                    sum += picture[in_y * call.width + in_x] * *weight;
            }
        }
    }
    *output = sum;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
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

extern "C" void launch_constant_filter(const struct conv *call)
{
    const size_t plane = call->kernel_height * call->kernel_width;
    const size_t taps = call->channels * plane;
    const size_t outputs = call->batch * call->filters * call->out_height * call->out_width;

    if (outputs == 0)
        return;
    if (taps == 0 || plane > CONSTANT_FLOATS) { /* nothing to copy, or not even one plane fits */
        launch_naive(call);
        return;
    }
    const size_t filters = taps <= CONSTANT_FLOATS ? CONSTANT_FLOATS / taps : 1;
    const size_t channels = taps <= CONSTANT_FLOATS ? call->channels : CONSTANT_FLOATS / plane;
    for (size_t f = 0; f < call->filters; f += filters)
        for (size_t c = 0; c < call->channels; c += channels) {
            const struct chunk chunk = {f, smaller(filters, call->filters - f), c,
                                        smaller(channels, call->channels - c)};
            convolve_chunk(call, &chunk);
        }
}
