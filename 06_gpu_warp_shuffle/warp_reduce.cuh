/* Step 06: the parts of its kernels. A kernel reads its share of the input and calls reduce_block.
 * Then a second launch, atomics or finish_by_last_block combine the blocks' numbers. Each reduction
 * includes this file after kernel/reduce.cuh. */

enum { WARP = 32 };

static const unsigned ALL_LANES = 0xffffffff;

/* Combines the values of a warp's 32 lanes; lane 0 gets the result. All lanes must call it.
 *
 * In the round of `offset`, each lane adds the value of the lane that is `offset` further on. The
 * lanes need not have converged before, because __shfl_down_sync waits for all lanes of its mask.
 * Nothing is stored to memory. */
static __device__ value reduce_warp(value mine)
{
    for (unsigned offset = WARP / 2; offset > 0; offset /= 2)
        mine = combine(mine, __shfl_down_sync(ALL_LANES, mine, offset));
    return mine;
}

/* Combines the values of a block's threads; thread 0 gets the result. All threads must call it.
 * There must be a barrier between two calls. With at most 1024 threads there are at most 32 warps,
 * so one warp can combine their results.
 *
 * nvcc inlines this function and the next one. So if a kernel passes a constant, the compiler knows
 * it and unrolls the loops. */
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

/* Combines a thread's share of the input, with `loads` packs per iteration, at most MOST_LOADS. The
 * packs are independent, so all of their loads can be in flight before the first one is used. In
 * each iteration a block reads threads * loads packs that lie side by side. */
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
    for (unsigned l = 0; l < loads; l++) /* the last iteration may be incomplete */
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

/* Counts the blocks that have stored their number. The last one sets it to 0 for the next launch.
 * Two launches that use it must not run at the same time. */
static __device__ unsigned ticket;

/* Reduces the blocks' numbers to *result within the launch: the last block to finish does it. In
 * thread 0, `mine` is its block's number. All threads must call it.
 *
 * Each block stores its number, then increments a counter: it draws a ticket. The block that draws
 * the last ticket knows that all numbers are stored. One fence orders the store before the draw,
 * the other the draw before the loads. __ldcg loads from L2, where the other blocks' stores are,
 * because an L1 cache belongs to one SM. The order does not depend on which block is last, so the
 * result has the same bits every time, unlike with atomic additions. */
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
