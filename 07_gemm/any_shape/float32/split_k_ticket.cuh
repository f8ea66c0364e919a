/* Step 07: split-K. Blocks share a tile's values of p, and do not wait for one another. */
#ifndef RUNGS_07_SPLITS_CUH
#define RUNGS_07_SPLITS_CUH

#include "parts/matrix.cuh"
#include "parts/workspace.h"

static const unsigned SPLIT_THREADS = 256, SPLIT_WARPS = SPLIT_THREADS / 32;

/* Adds partial sums in shared memory, [part][element]: total[i] is that of element
 * threadIdx.x + i * THREADS. There are THREADS * COUNT elements. */
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

/* `splits` blocks share a tile of C. Each has an equal range of the values of p, and leaves its
 * partial sums in `parts`. The tile's ticket tells which block finishes last. That block adds all
 * partial sums in the order of p. */
struct split_work {
    unsigned splits;
    float *parts;      /* [tile][split][element] */
    unsigned *tickets; /* per tile, how many have finished; all 0 between launches */
};

static inline struct split_work split_into(unsigned splits)
{
    if (splits == 1)
        return {1, NULL, NULL};
    return {splits, workspace_parts(), workspace_flags()};
}

/* A block's tile and its range of k, [begin, end). `begin` is a multiple of what the kernel takes
 * at a time, which is a multiple of 4. (A row of 2^34 floats fits on no GPU.) */
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

/* Whether this block finishes its tile. If so, the others' partial sums are visible to it. */
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

/* Adds the partial sums of a tile's blocks. total[i] is that of element threadIdx.x + i * THREADS,
 * if there is one: first the block's, then the tile's. False: another block will do it. */
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
            /* Unconditional loads need not wait for one another. */
            const unsigned element = min(threadIdx.x + i * THREADS, elements - 1);
            total[i] += __ldcg(&part[element]); /* L1 may be stale */
        }
    }
    return true;
}

#endif
/* SPDX-License-Identifier: MIT */
