/* Step 08: register_tile with asynchronous copies. */
#include "direct/parts/square_tile.cuh"
#include "kernel/dependent_launch.cuh"
#include "rungs.h"

/* Starts the copies of a stage; there may be none left to copy. */
static __device__ void start_stage(struct tile_stage *stage, const struct conv &call,
                                   const struct block_place &block, const float *packed,
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
 * instead of six. Still bad: a thread computes an address for each copy of 4 bytes and compares it
 * with the image's borders, again for every channel. */
static __global__ void __launch_bounds__(THREADS)
    async_tile(const struct conv call, const float *packed)
{
    __shared__ __align__(16) struct tile_stage stages[STAGES];
    const struct block_place block = place_of_block(call);
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
