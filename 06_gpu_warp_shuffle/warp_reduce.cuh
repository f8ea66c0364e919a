/* Step 06: the parts of its kernels. A kernel reads its share of the input in one way or another,
 * calls reduce_block, and leaves the blocks' numbers to a second launch or to
 * finish_by_last_block. */
#ifndef WARP_REDUCE_CUH
#define WARP_REDUCE_CUH

#include "kernel/reduce_objects.cuh"

static const unsigned WARP = 32;
static const unsigned ALL_LANES = 0xffffffff;

/* Combines the values of a warp's 32 lanes; lane 0 gets the result. All lanes must call it.
 *
 * In the round of `offset` each lane adds the register of the lane `offset` further on. The lanes
 * need not have converged before: __shfl_down_sync waits for all that its mask names. Nothing is
 * written to memory. */
template <typename R>
__device__ typename R::value reduce_warp(typename R::value mine)
{
    for (unsigned offset = WARP / 2; offset > 0; offset /= 2)
        mine = R::combine(mine, __shfl_down_sync(ALL_LANES, mine, offset));
    return mine;
}

/* Combines the values of a block's threads; thread 0 gets the result. All threads must call it, and
 * between two calls there must be a barrier. THREADS is at most 1024, so that the lanes of one warp
 * can take the results of all warps. */
template <unsigned THREADS, typename R>
__device__ typename R::value reduce_block(typename R::value mine)
{
    __shared__ typename R::value warp_results[THREADS / WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    mine = reduce_warp<R>(mine);
    if (THREADS == WARP)
        return mine;
    if (lane == 0)
        warp_results[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        mine = lane < THREADS / WARP ? warp_results[lane] : R::identity();
        mine = reduce_warp<R>(mine);
    }
    return mine;
}

/* Combines a thread's share of the input, LOADS packs an iteration. The packs do not depend on each
 * other, so all of their loads can be in flight before the first is used. In each iteration a block
 * reads THREADS * LOADS packs that lie side by side. */
template <unsigned THREADS, unsigned LOADS, typename R>
__device__ typename R::value reduce_share(const R &in, size_t n)
{
    const size_t thread = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t threads = (size_t)gridDim.x * THREADS;
    const size_t head = in.head(n), packs = (n - head) / R::PACK, tail = head + packs * R::PACK;
    typename R::value mine[LOADS];

#pragma unroll
    for (unsigned l = 0; l < LOADS; l++)
        mine[l] = R::identity();

    size_t p = (size_t)blockIdx.x * THREADS * LOADS + threadIdx.x;
    for (; p + (LOADS - 1) * THREADS < packs; p += threads * LOADS) {
#pragma unroll
        for (unsigned l = 0; l < LOADS; l++)
            mine[l] = R::combine(mine[l], in.pack(head + (p + l * THREADS) * R::PACK));
    }
#pragma unroll
    for (unsigned l = 0; l < LOADS; l++) /* the input ends within these */
        if (p + l * THREADS < packs)
            mine[l] = R::combine(mine[l], in.pack(head + (p + l * THREADS) * R::PACK));
    for (size_t i = thread; i < head; i += threads)
        mine[0] = R::combine(mine[0], in.term(i));
    for (size_t i = tail + thread; i < n; i += threads)
        mine[0] = R::combine(mine[0], in.term(i));

#pragma unroll
    for (unsigned l = 1; l < LOADS; l++)
        mine[0] = R::combine(mine[0], mine[l]);
    return mine[0];
}

/* How many blocks have stored their number. The last one sets it back to 0, so nothing has to be
 * cleared before a launch. Two launches that use it must not run at the same time. */
static __device__ unsigned ticket;

/* Reduces the blocks' numbers to *result within the launch: the last block to finish does it. In
 * thread 0 `mine` is its block's number; all threads must call it.
 *
 * Which block will be last is not known, so each stores its number and then draws a ticket: the one
 * that draws the last ticket knows that all numbers are stored. The fence before the draw orders it
 * after the store, the one after it orders the reads after the draw. __ldcg reads from L2, where
 * the other blocks' stores are: an L1 cache belongs to one multiprocessor. Whichever block does it,
 * the numbers are combined in the same order, so the result has the same bits every time, unlike
 * with atomic additions. */
template <typename R>
__device__ void finish_by_last_block(typename R::value mine, typename R::value *block_results,
                                     typename R::value *result)
{
    const unsigned lane = threadIdx.x;

    if (gridDim.x == 1) {
        if (threadIdx.x == 0)
            *result = mine;
        return;
    }
    if (threadIdx.x >= WARP) /* one warp is enough for the rest */
        return;
    unsigned drawn = 0;
    if (lane == 0) {
        block_results[blockIdx.x] = mine;
        __threadfence();
        drawn = atomicInc(&ticket, gridDim.x - 1);
        __threadfence();
    }
    if (__shfl_sync(ALL_LANES, drawn, 0) != gridDim.x - 1)
        return;
    __syncwarp(); /* orders the other lanes' reads after lane 0's fence: a shuffle does not */

    mine = R::identity();
    for (unsigned block = lane; block < gridDim.x; block += WARP)
        mine = R::combine(mine, __ldcg(&block_results[block]));
    mine = reduce_warp<R>(mine);
    if (lane == 0)
        *result = mine;
}

#endif
