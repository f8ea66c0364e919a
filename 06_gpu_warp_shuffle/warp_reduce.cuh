/* Step 06: what its kernels are made of. A kernel is a way to read the input, then reduce_block,
 * then either a second launch or finish_by_last_block. */
#ifndef WARP_REDUCE_CUH
#define WARP_REDUCE_CUH

#include "kernel/reduce.cuh"

static const unsigned WARP = 32;
static const unsigned ALL_LANES = 0xffffffff;

/* Combines the values of a warp's 32 lanes; lane 0 gets the result. All lanes must call it.
 *
 * In round `offset` each lane takes in the register of the lane `offset` further on. The lanes need
 * not be in step before (__shfl_down_sync waits for all that its mask names), and nothing is
 * written to memory. */
template <typename R>
__device__ typename R::value reduce_warp(typename R::value mine)
{
    for (unsigned offset = WARP / 2; offset > 0; offset /= 2)
        mine = R::combine(mine, __shfl_down_sync(ALL_LANES, mine, offset));
    return mine;
}

/* Combines the values of a block's threads; thread 0 gets the result. All threads must call it, and
 * a second call must not follow without a barrier between. THREADS is at most 1024, so that the
 * warps' results fit the lanes of one warp. */
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

/* A thread's share of the input, LOADS packs at a time. The packs are independent of each other, so
 * that all of their loads can be under way before the first is used. A block's LOADS packs lie side
 * by side. */
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

/* How many blocks have left their number. Goes back to 0 by itself, so nothing need be cleared
 * before a launch; launches that use it must not overlap. */
static __device__ unsigned ticket;

/* Reduces the blocks' numbers to *result within the launch: the last block to finish does it.
 * Thread 0 brings its block's number; all threads must call it.
 *
 * Nobody knows which block will be last, so each, having stored its number, draws a ticket; who
 * draws the last knows that all numbers are there. The fence before the draw orders it after the
 * store; the one behind it, the reads after the draw. __ldcg reads from L2, where the others'
 * stores are: the first-level cache is the multiprocessor's own. The numbers are combined in the
 * order of the blocks, whoever does it, so the result is the same to the last bit every time,
 * unlike with an atomic addition. */
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
    if (threadIdx.x >= WARP) /* one warp suffices for the rest */
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
    __syncwarp(); /* the other lanes' reads come after lane 0's fence: a shuffle orders no memory */

    mine = R::identity();
    for (unsigned block = lane; block < gridDim.x; block += WARP)
        mine = R::combine(mine, __ldcg(&block_results[block]));
    mine = reduce_warp<R>(mine);
    if (lane == 0)
        *result = mine;
}

#endif
