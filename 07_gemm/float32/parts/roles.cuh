/* Step 07: rungs whose warps have roles (warp specialization), on Hopper (sm_90a). 4 producer warps
 * copy tiles to a ring buffer in shared memory, and 8 consumer warps multiply them.
 *
 * Instruction issue limits a float32 product on Hopper. A streaming multiprocessor (SM) can issue
 * four instructions per cycle. Each can be a multiply-add, so any other instruction costs a
 * multiply-add. In these rungs, consumers execute little else than multiply-adds and loads from
 * shared memory. */
#ifndef RUNGS_07_ROLES_CUH
#define RUNGS_07_ROLES_CUH

#include "float32/parts/consumers.cuh"
#include "float32/parts/producers.cuh"
#include "rungs.h"

static const unsigned THREADS = Large::CONSUMERS + PRODUCERS;

/* The tile of C that the block computes. Tiles are numbered row by row. */
static __device__ inline struct tile_coord tile_of_block(const struct gemm &call)
{
    struct tile_coord tile;

    tile.row = first_row_of_tile(call.n, Large::M, Large::N);
    tile.column = first_column_of_tile(call.n, Large::N);
    return tile;
}

template <typename B>
static __device__ inline void produce(const struct gemm &call, const B &b, const struct ring &ring)
{
    struct slot slot = {0, 1};

    produce_tile<Large>(call, b, tile_of_block(call), 0, steps_along<Large>(call), ring, &slot);
}

template <enum order ORDER>
static __device__ inline void consume(const struct gemm &call, const struct ring &ring)
{
    const struct thread_coord at = coord_in_tile<Large>();
    struct slot slot = {0, 0};
    float sum[THREAD_M][Large::THREAD_N] = {};

    multiply<Large, ORDER>(ring, at, steps_along<Large>(call), Large::SLICE_DEPTH, &slot, sum);
    store_tile<Large>(call, tile_of_block(call), at, ring.exchange, sum);
}

#endif
/* SPDX-License-Identifier: MIT */
