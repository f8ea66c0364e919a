/* Step 08, the implicit matrix product with several sums per thread. */
#include "gemm/parts/tiled.cuh"
#include "parts/conv_device.cuh"
#include "rungs.h"

/* The channel and tap of the next row that a thread loads: incremented, without divisions. */
struct tap {
    unsigned channel, y, x;
};

static __device__ struct tap tap_of(const struct conv &call, unsigned row)
{
    const unsigned width = (unsigned)call.kernel_width;
    const unsigned plane = (unsigned)call.kernel_height * width;
    struct tap tap;

    tap.channel = row / plane;
    tap.y = row % plane / width;
    tap.x = row % width;
    return tap;
}

static __device__ void next_tap(const struct conv &call, struct tap *tap)
{
    if (++tap->x < call.kernel_width)
        return;
    tap->x = 0;
    if (++tap->y < call.kernel_height)
        return;
    tap->y = 0;
    tap->channel++;
}

/* Loads rows first to first + 7 of a column of the im2col matrix. */
static __device__ void load_inputs(const struct conv &call, const struct pixel &pixel,
                                   unsigned first, float *inputs)
{
    struct tap tap = tap_of(call, first);

#pragma unroll
    for (unsigned i = 0; i < ROWS_LOADED; i++, next_tap(call, &tap)) {
        const long y = pixel.top + (long)(tap.y * call.dilation);
        const long x = pixel.left + (long)(tap.x * call.dilation);
        const bool inside = pixel.exists && tap.channel < call.channels && y >= 0 &&
                            y < (long)call.height && x >= 0 && x < (long)call.width;
        inputs[i] = inside ? pixel.image[(tap.channel * call.height + y) * call.width + x] : 0;
    }
}

/* Tiles of 64 filters x 128 pixels, 16 channels and taps per k-step; 8 x 4 sums per thread, in
 * registers.
 *
 * Better: three 16-byte loads from shared memory for 32 products instead of 64 loads. Channel and
 * tap are incremented from row to row, with two divisions for eight rows. Still bad: a block loads,
 * waits at a barrier, multiplies and waits again, so while it loads, it does not multiply. */
static __global__ void __launch_bounds__(BLOCK) implicit_gemm_tiled(const struct conv call)
{
    __shared__ __align__(16) struct tiles tiles;
    const size_t taps = call.channels * call.kernel_height * call.kernel_width;
    const size_t filter_blocks = (call.filters + BLOCK_FILTERS - 1) / BLOCK_FILTERS;
    const size_t first_filter = blockIdx.x % filter_blocks * BLOCK_FILTERS;
    const size_t first_pixel = blockIdx.x / filter_blocks * BLOCK_PIXELS;
    const struct pixel pixel = pixel_of(call, first_pixel + threadIdx.x % BLOCK_PIXELS);
    const unsigned row = threadIdx.x / BLOCK_PIXELS * ROWS_LOADED;
    float inputs[ROWS_LOADED], weights[FILTERS_LOADED];

    float sums[FILTERS][PIXELS] = {};
    for (size_t first = 0; first < taps; first += DEPTH) {
        load_inputs(call, pixel, (unsigned)first + row, inputs);
        load_weights(call, taps, first_filter, first, weights);
        store_inputs(&tiles, inputs);
        store_weights(&tiles, weights);
        __syncthreads();

        multiply_tiles(&tiles, sums);
        __syncthreads(); /* before the next tiles overwrite these */
    }
    store_sums(call, first_filter, first_pixel, sums);
}

extern "C" void launch_implicit_gemm_tiled(const struct conv *call)
{
    if (has_outputs(call))
        implicit_gemm_tiled<<<blocks_of(call), BLOCK>>>(*call);
}

/* Double buffering: while one pair of tiles is multiplied, the next is loaded into registers and
 * then stored in the other buffer.
 *
 * Better: multiplications hide the latency of the loads, and one barrier per k-step is enough. Yet
 * on an H200 it is 1 to 3% slower. In the rung above, the three blocks on an SM hide each other's
 * latency. Here the loads in flight take so many registers that only two blocks fit. Still bad: the
 * index arithmetic, for 8 elements per 512 products of a thread, takes issue slots from the
 * multiplications. */
static __global__ void __launch_bounds__(BLOCK) implicit_gemm_double(const struct conv call)
{
    __shared__ __align__(16) struct tiles tiles[2];
    const size_t taps = call.channels * call.kernel_height * call.kernel_width;
    const size_t filter_blocks = (call.filters + BLOCK_FILTERS - 1) / BLOCK_FILTERS;
    const size_t first_filter = blockIdx.x % filter_blocks * BLOCK_FILTERS;
    const size_t first_pixel = blockIdx.x / filter_blocks * BLOCK_PIXELS;
    const struct pixel pixel = pixel_of(call, first_pixel + threadIdx.x % BLOCK_PIXELS);
    const unsigned row = threadIdx.x / BLOCK_PIXELS * ROWS_LOADED;
    float inputs[ROWS_LOADED], weights[FILTERS_LOADED];
    unsigned current = 0;

    float sums[FILTERS][PIXELS] = {};
    load_inputs(call, pixel, row, inputs);
    load_weights(call, taps, first_filter, 0, weights);
    store_inputs(&tiles[current], inputs);
    store_weights(&tiles[current], weights);
    __syncthreads();
    for (size_t next = DEPTH; next < taps + DEPTH; next += DEPTH, current ^= 1) {
        if (next < taps) {
            load_inputs(call, pixel, (unsigned)next + row, inputs);
            load_weights(call, taps, first_filter, next, weights);
        }
        multiply_tiles(&tiles[current], sums);
        if (next < taps) {
            store_inputs(&tiles[current ^ 1], inputs);
            store_weights(&tiles[current ^ 1], weights);
        }
        __syncthreads();
    }
    store_sums(call, first_filter, first_pixel, sums);
}

extern "C" void launch_implicit_gemm_double(const struct conv *call)
{
    if (has_outputs(call))
        implicit_gemm_double<<<blocks_of(call), BLOCK>>>(*call);
}

/* Row indices of the im2col matrix have 32 bits. */
extern "C" const char *declines_implicit_gemm(const struct conv *call)
{
    const size_t plane = call->kernel_height * call->kernel_width;

    return call->channels > 0 && plane > 0x7FFFFFFF / call->channels ? "too many taps" : NULL;
}
/* SPDX-License-Identifier: MIT */
