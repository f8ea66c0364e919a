/* Step 06: the parts of its kernels. A kernel reads its share of the input in one way or another,
 * calls reduce_block, and leaves the blocks' numbers to a second launch, to atomics or to
 * finish_by_last_block. Included for each reduction, after kernel/reduce.cuh. */

enum { WARP = 32 };

static const unsigned ALL_LANES = 0xffffffff;

/* Combines the values of a warp's 32 lanes; lane 0 gets the result. All lanes must call it.
 *
 * In the round of `offset` each lane adds the register of the lane `offset` further on. The lanes
 * need not have converged before: __shfl_down_sync waits for all that its mask names. Nothing is
 * written to memory. */
static __device__ value reduce_warp(value mine)
{
    for (unsigned offset = WARP / 2; offset > 0; offset /= 2)
        mine = combine(mine, __shfl_down_sync(ALL_LANES, mine, offset));
    return mine;
}

/* Combines the values of a block's threads; thread 0 gets the result. All threads must call it, and
 * between two calls there must be a barrier. There are at most 1024 threads, so that the lanes of
 * one warp can take the results of all warps.
 *
 * nvcc inlines this function and the next. So where a kernel passes a number, the compiler knows
 * it, and unrolls the loops. */
static __device__ value reduce_block(value mine, unsigned threads)
{
    __shared__ value warp_results[MOST_THREADS / WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    mine = reduce_warp(mine);
    if (lane == 0)
        warp_results[warp] = mine;
    __syncthreads();
    if (warp == 0) {
        mine = lane < threads / WARP ? warp_results[lane] : IDENTITY;
        mine = reduce_warp(mine);
    }
    return mine;
}

enum { MOST_LOADS = 4 };

/* Combines a thread's share of the input, `loads` packs per iteration, at most MOST_LOADS. The
 * packs do not depend on each other, so all of their loads can be in flight before the first is
 * used. In each iteration a block reads threads * loads packs that lie side by side. */
static __device__ inline value reduce_share(const element *a, const second *b, size_t n,
                                            unsigned threads, unsigned loads)
{
    const size_t thread = (size_t)blockIdx.x * threads + threadIdx.x;
    const size_t all_threads = (size_t)gridDim.x * threads;
    const size_t head = head_of(a, b, n), packs = (n - head) / PACK, tail = head + packs * PACK;
    value mine[MOST_LOADS];

#pragma unroll
    for (unsigned l = 0; l < loads; l++)
        mine[l] = IDENTITY;

    size_t p = (size_t)blockIdx.x * threads * loads + threadIdx.x;
    for (; p + (loads - 1) * threads < packs; p += all_threads * loads) {
#pragma unroll
        for (unsigned l = 0; l < loads; l++)
            mine[l] = combine(mine[l], term_of_pack(a, b, head + (p + l * threads) * PACK));
    }
#pragma unroll
    for (unsigned l = 0; l < loads; l++) /* the input ends within these */
        if (p + l * threads < packs)
            mine[l] = combine(mine[l], term_of_pack(a, b, head + (p + l * threads) * PACK));
    for (size_t i = thread; i < head; i += all_threads)
        mine[0] = combine(mine[0], term(a, b, i));
    for (size_t i = tail + thread; i < n; i += all_threads)
        mine[0] = combine(mine[0], term(a, b, i));

#pragma unroll
    for (unsigned l = 1; l < loads; l++)
        mine[0] = combine(mine[0], mine[l]);
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
 * the other blocks' stores are: an L1 cache belongs to one SM. The numbers are combined in the same
 * order by any block, so the result has the same bits every time, unlike with atomic additions. */
static __device__ inline void finish_by_last_block(value mine, value *block_results, value *result)
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

    mine = IDENTITY;
    for (unsigned block = lane; block < gridDim.x; block += WARP)
        mine = combine(mine, __ldcg(&block_results[block]));
    mine = reduce_warp(mine);
    if (lane == 0)
        *result = mine;
}
/* SPDX-License-Identifier: MIT */
