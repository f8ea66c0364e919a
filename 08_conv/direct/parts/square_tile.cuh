/* Common to register_tile and async_tile: a block's 32 x 32 outputs, and their place. */
#ifndef RUNGS_08_SQUARE_TILE_CUH
#define RUNGS_08_SQUARE_TILE_CUH

#include "direct/parts/register_tile.cuh"

/* A block has 8 x 16 threads, for 32 x 32 outputs of FILTERS filters. */
static const unsigned STRIPS = 8, BANDS = 16, THREADS = STRIPS * BANDS;
static const unsigned TILE_COLUMNS = STRIPS * STRIP + SIDE - 1;
static const unsigned TILE_ROWS = BANDS * ROWS + SIDE - 1;
static const unsigned PITCH = STRIPS * STRIP + STRIP; /* so that rows begin at multiples of 16 */
static const unsigned TILE_SIZE = TILE_ROWS * PITCH;
static const unsigned TILE_WEIGHTS = TAPS * FILTERS; /* of a channel */

/* The first of a block's outputs and filters. */
struct block_place {
    size_t batch, filter, y, x;
};

static inline size_t blocks_of(const struct conv *call)
{
    return divided_up(call->out_width, STRIPS * STRIP) *
           divided_up(call->out_height, BANDS * ROWS) * divided_up(call->filters, FILTERS) *
           call->batch;
}

static inline __device__ struct block_place place_of_block(const struct conv &call)
{
    const size_t across = (call.out_width + STRIPS * STRIP - 1) / (STRIPS * STRIP);
    const size_t down = (call.out_height + BANDS * ROWS - 1) / (BANDS * ROWS);
    const size_t filter_blocks = (call.filters + FILTERS - 1) / FILTERS;
    struct block_place place;

    place.x = blockIdx.x % across * STRIPS * STRIP;
    place.y = blockIdx.x / across % down * BANDS * ROWS;
    place.filter = blockIdx.x / (across * down) % filter_blocks * FILTERS;
    place.batch = blockIdx.x / (across * down) / filter_blocks;
    return place;
}

/* A stage of async_tile: the inputs and the weights of CHUNK channels. */
struct tile_stage {
    float inputs[CHUNK][TILE_SIZE];
    float weights[CHUNK * TILE_WEIGHTS];
};

#endif
/* SPDX-License-Identifier: MIT */
