/* Step 08, the matrix product without the im2col matrix in memory: for each element, index
 * arithmetic finds the input. */
#include "parts/conv_device.cuh"
#include "rungs.h"

static const unsigned TILE = 32;

/* Like step 07's shared_tile, with 32 x 32 tiles in shared memory, but the im2col matrix is never
 * in memory. When a tile is loaded, index arithmetic finds the input for each element.
 *
 * Better: no matrix in memory. Still bad: the index arithmetic takes two divisions by numbers that
 * are not known at compile time, and every block of filters repeats it. Every product takes two
 * loads from shared memory. */
static __global__ void implicit_gemm(const struct conv call)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t taps = call.channels * call.kernel_height * call.kernel_width;
    const size_t filter_blocks = (call.filters + TILE - 1) / TILE;
    const size_t filter = blockIdx.x % filter_blocks * TILE + y;
    const struct pixel pixel = pixel_of(call, blockIdx.x / filter_blocks * TILE + x);

    float sum = 0;
    for (size_t first = 0; first < taps; first += TILE) {
        const bool inside = filter < call.filters && first + x < taps;
        tile_a[y][x] = inside ? call.filter[filter * taps + first + x] : 0;
        tile_b[y][x] = input_under(call, pixel, first + y);
        __syncthreads();

        for (unsigned p = 0; p < TILE; p++)
            sum += tile_a[y][p] * tile_b[p][x];
        __syncthreads(); /* before the next tiles overwrite these */
    }
    if (filter < call.filters && pixel.exists)
        call.output[pixel.output + filter * call.out_height * call.out_width] = sum;
}

extern "C" void launch_implicit_gemm(const struct conv *call)
{
    const size_t pixels = call->batch * call->out_height * call->out_width;
    const size_t blocks = divided_up(pixels, TILE) * divided_up(call->filters, TILE);

    if (blocks > 0)
        implicit_gemm<<<(unsigned)blocks, dim3(TILE, TILE)>>>(*call);
}
/* SPDX-License-Identifier: MIT */
