/* Step 08: register_tile with asynchronous copies. */
#include "direct/parts/register_tile.cuh"
#include "kernel/overlap.cuh"
#include "parts/tile_copies.cuh"
#include "rungs.h"

/* As in register_tile, a block has 8 x 16 threads, for 32 x 32 outputs of FILTERS filters. */
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

/* Starts the copies of a stage, if any channels are left to copy. */
static __device__ void start_stage(struct tile_stage *stage, const struct conv &call,
                                   const struct block_coord &block, const float *packed,
                                   size_t chunk)
{
    const size_t first = chunk * CHUNK;

    for (unsigned c = 0; c < CHUNK && first + c < call.channels; c++) {
        const float *const image =
            call.input + (block.batch * call.channels + first + c) * call.height * call.width;
        for (unsigned i = threadIdx.x; i < TILE_ROWS * TILE_COLUMNS; i += THREADS) {
            const unsigned row = i / TILE_COLUMNS, column = i % TILE_COLUMNS;
            const size_t y = block.y + row - call.pad, x = block.x + column - call.pad;
            const bool inside = y < call.height && x < call.width;
            __pipeline_memcpy_async(&stage->inputs[c][row * PITCH + column],
                                    inside ? &image[y * call.width + x] : call.input, sizeof(float),
                                    inside ? 0 : sizeof(float)); /* or zeros */
        }
    }
    if (first < call.channels) {
        const size_t chunks = (call.channels + CHUNK - 1) / CHUNK;
        copy_floats<CHUNK * TILE_WEIGHTS, THREADS>(
            packed + (block.filter / FILTERS * chunks + chunk) * CHUNK * TILE_WEIGHTS,
            stage->weights);
    }
    __pipeline_commit();
}

/* Copies go to shared memory without registers in between, so no thread waits for them to arrive.
 * While the channels of one stage are multiplied, two more stages are in flight. The filters are
 * copied 16 bytes at a time; prepare_planned_copies puts them in that order.
 *
 * Better: multiplications hide the latency of the copies, and three channels take one barrier
 * instead of six. Still bad: for each copy of 4 bytes, a thread computes an address and compares it
 * with the image's borders, again for every channel. */
static __global__ void __launch_bounds__(THREADS)
    async_tile(const struct conv call, const float *packed)
{
    __shared__ __align__(16) struct tile_stage stages[STAGES];
    const struct block_coord block = coord_of_block(call);
    const unsigned strip = threadIdx.x % STRIPS, band = threadIdx.x / STRIPS;
    float sums[FILTERS][ROWS][STRIP] = {};

    overlap_launches();
    for (unsigned stage = 0; stage < STAGES - 1; stage++)
        start_stage(&stages[stage], call, block, packed, stage);
    for (size_t chunk = 0; chunk * CHUNK < call.channels; chunk++) {
        __pipeline_wait_prior(STAGES - 2);
        __syncthreads(); /* the stage to read is complete; no thread reads the one to write */
        start_stage(&stages[(chunk + STAGES - 1) % STAGES], call, block, packed,
                    chunk + STAGES - 1);
        const struct tile_stage *const ready = &stages[chunk % STAGES];
        for (unsigned c = 0; c < CHUNK && chunk * CHUNK + c < call.channels; c++)
            add_channel<FILTERS>(sums, ready->inputs[c] + band * ROWS * PITCH + strip * STRIP,
                                 PITCH, ready->weights + c * TILE_WEIGHTS);
    }
    store_sums(call, block.batch, block.filter, block.y + band * ROWS, block.x + strip * STRIP,
               sums);
}

extern "C" void launch_async_tile(const struct conv *call)
{
    if (has_outputs(call))
        launch_dependent(async_tile, (unsigned)blocks_of(call), THREADS, 0, *call,
                         (const float *)call->workspace);
}
/* SPDX-License-Identifier: MIT */
