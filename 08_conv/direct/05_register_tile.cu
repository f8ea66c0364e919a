/* Step 08, for 3 x 3 filters at stride 1: a thread's outputs are neighbours, so their inputs
 * overlap. In registers, each input serves up to nine taps. */
#include "direct/parts/register_tile.cuh"
#include "parts/conv_limits.cuh"
#include "rungs.h"

/* A block has 8 x 16 threads, for 32 x 32 outputs of FILTERS filters. */
static const unsigned STRIPS = 8, BANDS = 16, THREADS = STRIPS * BANDS;
static const unsigned TILE_COLUMNS = STRIPS * STRIP + SIDE - 1;
static const unsigned TILE_ROWS = BANDS * ROWS + SIDE - 1;
static const unsigned PITCH = STRIPS * STRIP + STRIP; /* so that rows are aligned to 16 bytes */
static const unsigned TILE_SIZE = TILE_ROWS * PITCH;
static const unsigned TILE_WEIGHTS = TAPS * FILTERS; /* per channel */

/* The first of a block's outputs and filters. */
struct block_coord {
    size_t batch, filter, y, x;
};

static inline size_t blocks_of(const struct conv *call)
{
    return divided_up(call->out_width, STRIPS * STRIP) *
           divided_up(call->out_height, BANDS * ROWS) * divided_up(call->filters, FILTERS) *
           call->batch;
}

static inline __device__ struct block_coord coord_of_block(const struct conv &call)
{
    const size_t across = (call.out_width + STRIPS * STRIP - 1) / (STRIPS * STRIP);
    const size_t down = (call.out_height + BANDS * ROWS - 1) / (BANDS * ROWS);
    const size_t filter_blocks = (call.filters + FILTERS - 1) / FILTERS;
    struct block_coord at;

    at.x = blockIdx.x % across * STRIPS * STRIP;
    at.y = blockIdx.x / across % down * BANDS * ROWS;
    at.filter = blockIdx.x / (across * down) % filter_blocks * FILTERS;
    at.batch = blockIdx.x / (across * down) / filter_blocks;
    return at;
}

/* A stage of async_tile: the inputs and the weights of CHUNK channels. */
struct tile_stage {
    float inputs[CHUNK][TILE_SIZE];
    float weights[CHUNK * TILE_WEIGHTS];
};

/* A thread computes 4 x 2 outputs of 8 filters. For each channel it loads the 6 x 4 inputs that
 * these need from shared memory to registers. There, a tap is only another index.
 *
 * Better: 26 loads for 576 products instead of 3 for 8. Still bad: while a block's inputs are in
 * flight, none of its threads multiplies. It supports only 3 x 3 filters at stride 1. */
static __global__ void __launch_bounds__(THREADS) register_tile(const struct conv call)
{
    __shared__ __align__(16) float tile[TILE_SIZE], weights[TILE_WEIGHTS];
    const struct block_coord block = coord_of_block(call);
    const unsigned strip = threadIdx.x % STRIPS, band = threadIdx.x / STRIPS;
    float sums[FILTERS][ROWS][STRIP] = {};

    for (size_t c = 0; c < call.channels; c++) {
        const float *const image =
            call.input + (block.batch * call.channels + c) * call.height * call.width;
        for (unsigned i = threadIdx.x; i < TILE_ROWS * TILE_COLUMNS; i += THREADS) {
            const unsigned row = i / TILE_COLUMNS, column = i % TILE_COLUMNS;
            const size_t y = block.y + row - call.pad, x = block.x + column - call.pad;
            const bool inside = y < call.height && x < call.width;
            tile[row * PITCH + column] = inside ? image[y * call.width + x] : 0;
        }
        if (threadIdx.x < TILE_WEIGHTS) {
            const size_t filter = block.filter + threadIdx.x % FILTERS;
            const size_t tap = c * TAPS + threadIdx.x / FILTERS;
            weights[threadIdx.x] =
                filter < call.filters ? call.filter[filter * call.channels * TAPS + tap] : 0;
        }
        __syncthreads();
        add_channel<FILTERS>(sums, tile + band * ROWS * PITCH + strip * STRIP, PITCH, weights);
        __syncthreads(); /* before the next channel overwrites this one */
    }
    store_sums(call, block.batch, block.filter, block.y + band * ROWS, block.x + strip * STRIP,
               sums);
}

extern "C" void launch_conv_register_tile(const struct conv *call)
{
    if (has_outputs(call))
        register_tile<<<(unsigned)blocks_of(call), THREADS>>>(*call);
}

/* async_tile uses this function also. */
extern "C" const char *declines_register_tile(const struct conv *call)
{
    const char *const why = conv_declines_3x3(call);

    if (why != NULL || !has_outputs(call))
        return why;
    return conv_declines_launch(blocks_of(call), sizeof(struct tile_stage[STAGES]));
}
/* SPDX-License-Identifier: MIT */
