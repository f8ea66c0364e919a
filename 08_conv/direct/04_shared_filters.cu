/* Step 08: shared_tile for 8 filters per thread. */
#include "direct/parts/shared_tile.cuh"
#include "parts/conv_device.cuh"
#include "parts/conv_limits.cuh"
#include "rungs.h"

static const unsigned THREAD_FILTERS = 8;

/* As shared_tile, but a thread computes its output for 8 filters. Shared memory also holds their
 * weights for a channel; the weights of a tap are neighbours.
 *
 * Better: an input is loaded once for 8 products, and copied once for 8 filters; 8 weights take two
 * loads. Still bad: 8 products take three loads. Neighbouring threads load the same inputs, each
 * for another tap. */
static __global__ void shared_filters(const struct conv call, unsigned rows, unsigned columns)
{
    extern __shared__ float4 shared[];
    const size_t plane = call.kernel_height * call.kernel_width;
    float *const weights = (float *)shared, *const tile = weights + plane * THREAD_FILTERS;
    const size_t across = (call.out_width + TILE_WIDTH - 1) / TILE_WIDTH;
    const size_t down = (call.out_height + TILE_HEIGHT - 1) / TILE_HEIGHT;
    const size_t filter_blocks = (call.filters + THREAD_FILTERS - 1) / THREAD_FILTERS;
    const size_t first_x = blockIdx.x % across * TILE_WIDTH;
    const size_t first_y = blockIdx.x / across % down * TILE_HEIGHT;
    const size_t first_filter = blockIdx.x / (across * down) % filter_blocks * THREAD_FILTERS;
    const size_t b = blockIdx.x / (across * down) / filter_blocks;
    const unsigned down_by = (unsigned)call.stride_height, across_by = (unsigned)call.stride_width;
    const unsigned dilation = (unsigned)call.dilation;
    const unsigned corner = threadIdx.y * down_by * columns + threadIdx.x * across_by;
    const size_t x = first_x + threadIdx.x, y = first_y + threadIdx.y;

    float sums[THREAD_FILTERS] = {};
    for (size_t c = 0; c < call.channels; c++) {
        const float *const image = call.input + (b * call.channels + c) * call.height * call.width;
        for (unsigned r = threadIdx.y; r < rows; r += TILE_HEIGHT)
            for (unsigned s = threadIdx.x; s < columns; s += TILE_WIDTH) {
                const size_t in_y = first_y * down_by + r - call.pad;
                const size_t in_x = first_x * across_by + s - call.pad;
                const bool inside = in_y < call.height && in_x < call.width;
                tile[r * columns + s] = inside ? image[in_y * call.width + in_x] : 0;
            }
        const unsigned thread = threadIdx.y * TILE_WIDTH + threadIdx.x;
        for (unsigned i = thread; i < plane * THREAD_FILTERS; i += TILE_WIDTH * TILE_HEIGHT) {
            const size_t filter = first_filter + i % THREAD_FILTERS;
            const size_t from = (filter * call.channels + c) * plane + i / THREAD_FILTERS;
            weights[i] = filter < call.filters ? call.filter[from] : 0;
        }
        __syncthreads();

        const float *weight = weights;
        for (unsigned r = 0; r < call.kernel_height; r++)
            for (unsigned s = 0; s < call.kernel_width; s++, weight += THREAD_FILTERS) {
                const float input = tile[corner + r * dilation * columns + s * dilation];
                float eight[THREAD_FILTERS];
                load4(eight, weight);
                load4(eight + 4, weight + 4);
#pragma unroll
                for (unsigned f = 0; f < THREAD_FILTERS; f++)
                    sums[f] += input * eight[f];
            }
        __syncthreads(); /* before the next channel overwrites this one */
    }
    if (x >= call.out_width || y >= call.out_height)
        return;
#pragma unroll
    for (unsigned f = 0; f < THREAD_FILTERS; f++)
        if (first_filter + f < call.filters)
            call.output[((b * call.filters + first_filter + f) * call.out_height + y) *
                            call.out_width +
                        x] = sums[f];
}

static size_t shared_filters_blocks(const struct conv *call)
{
    return divided_up(call->out_width, TILE_WIDTH) * divided_up(call->out_height, TILE_HEIGHT) *
           divided_up(call->filters, THREAD_FILTERS) * call->batch;
}

/* Bytes of shared memory per block. */
static size_t shared_filters_bytes(const struct conv *call)
{
    const size_t rows = inputs_under(call, TILE_HEIGHT, call->stride_height, call->kernel_height);
    const size_t columns = inputs_under(call, TILE_WIDTH, call->stride_width, call->kernel_width);
    const size_t weights = THREAD_FILTERS * call->kernel_height * call->kernel_width;

    return (rows * columns + weights) * sizeof(float);
}

extern "C" const char *declines_shared_filters(const struct conv *call)
{
    const char *const why = declines_conv_shared_tile(call);

    if (why != NULL || !has_outputs(call))
        return why;
    if (shared_filters_bytes(call) > MOST_SHARED)
        return "a tile and its weights do not fit in shared memory";
    return conv_declines_launch(shared_filters_blocks(call), shared_filters_bytes(call));
}

extern "C" void launch_shared_filters(const struct conv *call)
{
    const size_t blocks = shared_filters_blocks(call);
    const size_t rows = inputs_under(call, TILE_HEIGHT, call->stride_height, call->kernel_height);
    const size_t columns = inputs_under(call, TILE_WIDTH, call->stride_width, call->kernel_width);

    if (blocks > 0)
        shared_filters<<<(unsigned)blocks, dim3(TILE_WIDTH, TILE_HEIGHT),
                         shared_filters_bytes(call)>>>(*call, (unsigned)rows, (unsigned)columns);
}
/* SPDX-License-Identifier: MIT */
