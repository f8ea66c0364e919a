/* Step 07: split-K, blocks that share a tile's values of p without waiting for one another. */
#ifndef RUNGS_07_SPLITS_CUH
#define RUNGS_07_SPLITS_CUH

#include "parts/matrix.cuh"
#include "parts/workspace.h"

static const unsigned SPLIT_THREADS = 256, SPLIT_WARPS = SPLIT_THREADS / 32;

/* Adds up sums that lie in shared memory, [part][element]: total[i] is that of element threadIdx.x
 * + i * THREADS. There are as many elements as totals. */
template <unsigned PARTS, unsigned COUNT, unsigned THREADS = SPLIT_THREADS>
static __device__ void add_parts_of_block(const float *sums, float total[COUNT])
{
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        total[i] = 0;
#pragma unroll
        for (unsigned part = 0; part < PARTS; part++)
            total[i] += sums[(part * COUNT + i) * THREADS + threadIdx.x];
    }
}

/* The blocks of a tile of C, `splits` of them, each take an equal range of the values of p. They
 * leave their sums in `parts`; the last to finish, which the tile's ticket tells, adds them up in
 * the order of p. */
struct split_work {
    unsigned splits;
    float *parts;      /* [tile][split][element] */
    unsigned *tickets; /* for each tile, how many have finished; all 0 between launches */
};

static inline struct split_work split_into(unsigned splits)
{
    if (splits == 1)
        return {1, NULL, NULL};
    return {splits, workspace_parts(), workspace_flags()};
}

/* A block's tile and its range of k: [begin, end), which begins at a multiple of what the kernel
 * takes at a time, itself a multiple of 4. (A row of 2^34 floats fits on no GPU.) */
struct k_range {
    unsigned tile, split;
    size_t begin, end;
};

static __device__ struct k_range range_of_block(const struct split_work &work, size_t k,
                                                unsigned at_a_time)
{
    const unsigned turns = (unsigned)((k + at_a_time - 1) / at_a_time);
    const unsigned each = turns / work.splits, more = turns % work.splits;
    struct k_range range;

    range.tile = blockIdx.x / work.splits;
    range.split = blockIdx.x % work.splits;
    range.begin = (size_t)(range.split * each + min(range.split, more)) * at_a_time;
    range.end = min(k, range.begin + (size_t)(each + (range.split < more)) * at_a_time);
    return range;
}

/* Whether this block is the last of its tile: then the others' parts are visible to it. */
static __device__ bool is_last_of_tile(const struct split_work &work, unsigned tile)
{
    __shared__ bool is_last;

    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); /* releases what all have stored */
        is_last = atomicAdd(&work.tickets[tile], 1) == work.splits - 1;
        if (is_last)
            work.tickets[tile] = 0; /* for the next launch */
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

/* Adds up the sums of a tile's blocks: total[i] is the block's for element threadIdx.x + i *
 * THREADS, then the tile's, if it has such an element. False: a block that is not done yet will do
 * it. */
template <unsigned COUNT, unsigned THREADS = SPLIT_THREADS>
static __device__ bool add_splits(const struct split_work &work, const struct k_range &range,
                                  unsigned elements, float total[COUNT])
{
    float *const parts = work.parts + (size_t)range.tile * work.splits * elements;

    if (work.splits == 1)
        return true;
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned element = threadIdx.x + i * THREADS;
        if (element < elements)
            parts[(size_t)range.split * elements + element] = total[i];
    }
    if (!is_last_of_tile(work, range.tile))
        return false;
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++)
        total[i] = 0;
#pragma unroll(COUNT < 4 ? 8 : 4)
    for (unsigned s = 0; s < work.splits; s++) {
        const float *const part = parts + (size_t)s * elements;
#pragma unroll
        for (unsigned i = 0; i < COUNT; i++) {
            /* Unconditional, so that loads need not wait for one another. */
            const unsigned element = min(threadIdx.x + i * THREADS, elements - 1);
            total[i] += __ldcg(&part[element]); /* L1 may be stale */
        }
    }
    return true;
}

#endif
/* SPDX-License-Identifier: MIT */
