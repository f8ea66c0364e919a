/* Step 08: the inputs of a block in shared memory. */
#include "direct/parts/shared_tile.cuh"
#include "parts/conv_limits.cuh"
#include "rungs.h"

/* A block computes 32 x 8 outputs of one filter. For each channel in turn, it copies the inputs of
 * all of them to shared memory: a tile with its halo, the inputs right of it and below it that the
 * filter's other taps need.
 *
 * Better: a block loads an input once, not once per tap, and checks only then whether it is inside
 * the image. Still bad: each product takes one load from shared memory and one of a weight, and
 * there is little work between barriers. Every filter copies the same inputs again. */
static __global__ void shared_tile(const struct conv call, unsigned rows, unsigned columns)
{
    extern __shared__ float tile[];
    const size_t across = (call.out_width + TILE_WIDTH - 1) / TILE_WIDTH;
    const size_t down = (call.out_height + TILE_HEIGHT - 1) / TILE_HEIGHT;
    const size_t first_x = blockIdx.x % across * TILE_WIDTH;
    const size_t first_y = blockIdx.x / across % down * TILE_HEIGHT;
    const size_t f = blockIdx.x / (across * down) % call.filters;
    const size_t b = blockIdx.x / (across * down) / call.filters;
    const unsigned down_by = (unsigned)call.stride_height, across_by = (unsigned)call.stride_width;
    const unsigned dilation = (unsigned)call.dilation;
    const unsigned corner = threadIdx.y * down_by * columns + threadIdx.x * across_by;
    const size_t x = first_x + threadIdx.x, y = first_y + threadIdx.y;

    const float *weight = call.filter + f * call.channels * call.kernel_height * call.kernel_width;
    float sum = 0;
    for (size_t c = 0; c < call.channels; c++) {
        const float *const image = call.input + (b * call.channels + c) * call.height * call.width;
        for (unsigned r = threadIdx.y; r < rows; r += TILE_HEIGHT)
            for (unsigned s = threadIdx.x; s < columns; s += TILE_WIDTH) {
                const size_t in_y = first_y * down_by + r - call.pad;
                const size_t in_x = first_x * across_by + s - call.pad;
                const bool inside = in_y < call.height && in_x < call.width;
                tile[r * columns + s] = inside ? image[in_y * call.width + in_x] : 0;
            }
        __syncthreads();

        for (unsigned r = 0; r < call.kernel_height; r++)
            for (unsigned s = 0; s < call.kernel_width; s++, weight++)
                sum += tile[corner + r * dilation * columns + s * dilation] * *weight;
        __syncthreads(); /* before the next channel overwrites this one */
    }
    if (x < call.out_width && y < call.out_height)
        call.output[((b * call.filters + f) * call.out_height + y) * call.out_width + x] = sum;
}

static size_t shared_tile_blocks(const struct conv *call)
{
    return divided_up(call->out_width, TILE_WIDTH) * divided_up(call->out_height, TILE_HEIGHT) *
           call->filters * call->batch;
}

extern "C" const char *declines_conv_shared_tile(const struct conv *call)
{
    const size_t rows = inputs_under(call, TILE_HEIGHT, call->stride_height, call->kernel_height);
    const size_t columns = inputs_under(call, TILE_WIDTH, call->stride_width, call->kernel_width);

    if (!has_outputs(call))
        return NULL;
    if (rows > MOST_SHARED / sizeof(float) / columns)
        return "a tile does not fit in shared memory";
    return conv_declines_launch(shared_tile_blocks(call), rows * columns * sizeof(float));
}

extern "C" void launch_conv_shared_tile(const struct conv *call)
{
    const size_t blocks = shared_tile_blocks(call);
    const size_t rows = inputs_under(call, TILE_HEIGHT, call->stride_height, call->kernel_height);
    const size_t columns = inputs_under(call, TILE_WIDTH, call->stride_width, call->kernel_width);

    if (blocks > 0)
        shared_tile<<<(unsigned)blocks, dim3(TILE_WIDTH, TILE_HEIGHT),
                      rows * columns * sizeof(float)>>>(*call, (unsigned)rows, (unsigned)columns);
}
/* SPDX-License-Identifier: MIT */
