/* The blocks of a launch in steps 04 to 06: how many, and how many threads per block. */
#ifndef RUNGS_BLOCKS_CUH
#define RUNGS_BLOCKS_CUH

#include <cuda_runtime.h>

#include "problem/reduction/reduction.h"

struct blocks {
    unsigned count, threads; /* threads per block */
};

/* The threads per block that call->block asks for. By occupancy, it is the largest power of two,
 * which trees need, up to the number that CUDA recommends. */
static inline unsigned threads_of(const struct reduction *call, const void *kernel)
{
    int grid = 0, best = REDUCTION_BLOCK;
    unsigned threads = MOST_THREADS;

    if (call->block != BY_OCCUPANCY)
        return call->block == 0 ? (unsigned)REDUCTION_BLOCK : call->block;
    cudaOccupancyMaxPotentialBlockSize(&grid, &best, kernel, 0, 0);
    while (threads > (unsigned)best)
        threads /= 2;
    return threads;
}

/* Enough blocks to fill the GPU, but no more than the elements need; or the number that call->grid
 * and call->block ask for. */
static inline struct blocks blocks_of(const struct reduction *call, const void *kernel)
{
    const unsigned threads = threads_of(call, kernel);
    int resident = 1;

    if (call->grid == BY_OCCUPANCY)
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, (int)threads, 0);
    const struct blocks blocks = {reduction_blocks(call, threads, (unsigned)resident), threads};
    return blocks;
}

#endif
/* SPDX-License-Identifier: MIT */
