/* Step 06: the threads of a warp read each other's registers. Shared memory holds only one number
 * per warp. Like the files of step 05, this one is compiled for each operator and type
 * (common/kernel/reduce.cuh). The first rungs launch their kernel twice: over the input, then over
 * the blocks' numbers. warp_reduce.cuh has what several rungs share. */
#include "kernel/blocks.cuh"
#include "kernel/reduce.cuh"
#include "launch_shape.cuh"
#include "warp_reduce.cuh"

static const unsigned BLOCK = REDUCTION_BLOCK;

/* Every warp reduces its values in a tree by shuffles. Then thread 0 adds up the warps' results.
 *
 * Better than step 05: five rounds need no shared memory and no barrier. One barrier is left,
 * between the stores and the loads of the warps' results.
 * Still bad: one thread does seven additions in a row. */
__global__ void shuffle(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value warp_results[BLOCK / WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;

    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        mine = combine(mine, term(a, b, i));

    mine = reduce_warp(mine);
    if (lane == 0)
        warp_results[warp] = mine;
    __syncthreads();

    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < BLOCK / WARP; w++)
            mine = combine(mine, warp_results[w]);
        out[blockIdx.x] = mine;
    }
}

void launch_shuffle(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const unsigned grid = blocks_of(call, (const void *)shuffle).count;

    shuffle<<<grid, BLOCK>>>(a, b, call->n, block_results);
    FINISH(shuffle)<<<1, BLOCK>>>(block_results, NULL, grid, result);
}

/* Two levels of shuffles: every warp reduces its lanes, then the first warp reduces the warps.
 *
 * Better: five shuffles replace the seven loads and additions of thread 0.
 * Still bad: each load reads only 4 bytes per thread. */
__global__ void two_level(const element *a, const second *b, size_t n, value *out)
{
    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < n; i += (size_t)gridDim.x * BLOCK)
        mine = combine(mine, term(a, b, i));

    mine = reduce_block(mine, BLOCK);
    if (threadIdx.x == 0)
        out[blockIdx.x] = mine;
}

void launch_two_level(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const unsigned grid = blocks_of(call, (const void *)two_level).count;

    two_level<<<grid, BLOCK>>>(a, b, call->n, block_results);
    FINISH(two_level)<<<1, BLOCK>>>(block_results, NULL, grid, result);
}

/* 16-byte loads, as in step 05.
 *
 * Better: a quarter of the load instructions, and four times the bytes in flight.
 * Still bad: a thread waits for one pack before it loads the next. By Little's law an SM of an H200
 * needs 13.6 KB in flight, and more because requests queue (docs/littles_law.md). */
__global__ void vectorized(const element *a, const second *b, size_t n, value *out)
{
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t threads = (size_t)gridDim.x * BLOCK;
    const size_t head = head_of(a, b, n), packs = (n - head) / PACK, tail = head + packs * PACK;

    value mine = IDENTITY;
    for (size_t p = thread; p < packs; p += threads)
        mine = combine(mine, term_of_pack(a, b, head + p * PACK));
    for (size_t i = thread; i < head; i += threads)
        mine = combine(mine, term(a, b, i));
    for (size_t i = tail + thread; i < n; i += threads)
        mine = combine(mine, term(a, b, i));

    mine = reduce_block(mine, BLOCK);
    if (threadIdx.x == 0)
        out[blockIdx.x] = mine;
}

void launch_vectorized(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const unsigned grid = blocks_of(call, (const void *)vectorized).count;

    vectorized<<<grid, BLOCK>>>(a, b, call->n, block_results);
    FINISH(vectorized)<<<1, BLOCK>>>(block_results, NULL, grid, result);
}

/* Four packs per iteration, each added to its own accumulator (reduce_share).
 *
 * Better: four times the bytes are in flight.
 * Still bad: for a small input the second launch takes longer than the first. */
__global__ void in_flight(const element *a, const second *b, size_t n, value *out)
{
    const value mine = reduce_block(reduce_share(a, b, n, BLOCK, 4), BLOCK);
    if (threadIdx.x == 0)
        out[blockIdx.x] = mine;
}

void launch_in_flight(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const unsigned grid = blocks_of(call, (const void *)in_flight).count;

    in_flight<<<grid, BLOCK>>>(a, b, call->n, block_results);
    FINISH(in_flight)<<<1, BLOCK>>>(block_results, NULL, grid, result);
}

/* An atomic adds each block's number to the result, as in tree_atomic of step 05.
 *
 * Better: there is no second launch over the blocks' numbers.
 * Still bad: the result must first be set to the identity, which takes a launch of one thread. The
 * blocks add in the order in which they finish, so the last bits differ from run to run. */
__global__ void write_identity(value *result)
{
    *result = IDENTITY;
}

__global__ void block_atomic(const element *a, const second *b, size_t n, value *result)
{
    const value mine = reduce_block(reduce_share(a, b, n, BLOCK, 4), BLOCK);
    if (threadIdx.x == 0)
        atomic_combine(result, mine);
}

void launch_block_atomic(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const unsigned grid = blocks_of(call, (const void *)block_atomic).count;

    write_identity<<<1, 1>>>(result);
    block_atomic<<<grid, BLOCK>>>(a, b, call->n, result);
}

/* One launch: the last block to finish reduces the blocks' numbers (finish_by_last_block).
 *
 * Better: nothing has to be cleared, and the result has the same bits every time.
 * Still bad: all sizes use one shape. With a small input some blocks have nothing to read, but
 * still draw a ticket. */
__global__ void __launch_bounds__(256)
    one_launch(const element *a, const second *b, size_t n, value *block_results, value *result)
{
    const value mine = reduce_block(reduce_share(a, b, n, BLOCK, 4), BLOCK);
    finish_by_last_block(mine, block_results, result);
}

void launch_one_launch(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const unsigned grid = blocks_of(call, (const void *)one_launch).count;

    one_launch<<<grid, BLOCK>>>(a, b, call->n, block_results, result);
}

/* The same kernel in four shapes. The size of the input chooses one (launch_shape.cuh).
 * __launch_bounds__ gives the block size: with 1024 threads, each can have 64 registers.
 *
 * Better: every block has something to read. A small input needs no ticket at all. A large input
 * has larger blocks, so fewer tickets.
 * Still bad: each launch waits until the one before has ended. */
__global__ void __launch_bounds__(256) one_launch_256x1(const element *a, const second *b, size_t n,
                                                        value *block_results, value *result)
{
    const value mine = reduce_block(reduce_share(a, b, n, 256, 1), 256);
    finish_by_last_block(mine, block_results, result);
}

__global__ void __launch_bounds__(1024)
    one_launch_1024x1(const element *a, const second *b, size_t n, value *block_results,
                      value *result)
{
    const value mine = reduce_block(reduce_share(a, b, n, 1024, 1), 1024);
    finish_by_last_block(mine, block_results, result);
}

__global__ void __launch_bounds__(1024)
    one_launch_1024x2(const element *a, const second *b, size_t n, value *block_results,
                      value *result)
{
    const value mine = reduce_block(reduce_share(a, b, n, 1024, 2), 1024);
    finish_by_last_block(mine, block_results, result);
}

__global__ void __launch_bounds__(1024)
    one_launch_1024x4(const element *a, const second *b, size_t n, value *block_results,
                      value *result)
{
    const value mine = reduce_block(reduce_share(a, b, n, 1024, 4), 1024);
    finish_by_last_block(mine, block_results, result);
}

void launch_shape_by_size(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const cudaStream_t stream = (cudaStream_t)call->stream;
    const struct shape shape = shape_for_size(call);

    if (shape.threads == 256)
        one_launch_256x1<<<shape.blocks, 256, 0, stream>>>(a, b, call->n, block_results, result);
    else if (shape.loads == 1)
        one_launch_1024x1<<<shape.blocks, 1024, 0, stream>>>(a, b, call->n, block_results, result);
    else if (shape.loads == 2)
        one_launch_1024x2<<<shape.blocks, 1024, 0, stream>>>(a, b, call->n, block_results, result);
    else
        one_launch_1024x4<<<shape.blocks, 1024, 0, stream>>>(a, b, call->n, block_results, result);
}
/* SPDX-License-Identifier: MIT */
