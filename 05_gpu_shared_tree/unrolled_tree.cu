/* Step 05, continued: the last rounds in one warp, a block size known at compile time, wider loads,
 * and an atomic instead of the second launch. shared_tree.cu has the rungs before, and explains
 * what all of them share. */
#include "kernel/blocks.cuh"
#include "kernel/reduce.cuh"

/* Threads per block, as a compile-time constant. */
static const unsigned BLOCK = REDUCTION_BLOCK;
static const unsigned WARP = 32;

/* The last six rounds in one warp.
 *
 * Before Volta (2017) the lanes of a warp ran in lockstep. Programs did this without
 * synchronization and with a volatile pointer. Now each thread has its own program counter, so one
 * lane may store before another lane loads. volatile stops only the compiler from reordering. So in
 * every round each lane loads, synchronizes, stores, and synchronizes again. Lanes past the middle
 * store values that are not used. That is cheaper than a condition.
 *
 * Better: six rounds need no barrier for the whole block.
 * Still bad: the other rounds are a loop, with a comparison, a shift and a branch per round. */
static __device__ void reduce_last_warp(value *partial, unsigned tid)
{
    value mine = partial[tid];

    mine = combine(mine, partial[tid + 32]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = combine(mine, partial[tid + 16]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = combine(mine, partial[tid + 8]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = combine(mine, partial[tid + 4]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = combine(mine, partial[tid + 2]);
    __syncwarp();
    partial[tid] = mine;
    __syncwarp();
    mine = combine(mine, partial[tid + 1]);
    __syncwarp();
    partial[tid] = mine;
}

__global__ void last_warp(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    value mine = IDENTITY;
    size_t i = (size_t)blockIdx.x * 2 * blockDim.x + tid;
    for (; i + blockDim.x < n; i += (size_t)gridDim.x * 2 * blockDim.x)
        mine = combine(mine, combine(term(a, b, i), term(a, b, i + blockDim.x)));
    if (i < n) /* the second of this pair is past the end */
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > WARP; stride /= 2) {
        if (tid < stride)
            partial[tid] = combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid < WARP)
        reduce_last_warp(partial, tid);
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

void launch_last_warp(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)last_warp);

    last_warp<<<blocks.count, blocks.threads>>>(a, b, call->n, block_results);
    FINISH(last_warp)<<<1, blocks.threads>>>(block_results, NULL, blocks.count, result);
}

/* The block size is a constant, so the compiler can unroll the loop over the rounds.
 *
 * Better: only the tree's loads, additions, stores and barriers remain.
 * Still bad: the tree took little of the time. Each load still reads only 4 bytes per thread. */
__global__ void unrolled_tree(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[BLOCK];
    const unsigned tid = threadIdx.x;

    value mine = IDENTITY;
    size_t i = (size_t)blockIdx.x * 2 * BLOCK + tid;
    for (; i + BLOCK < n; i += (size_t)gridDim.x * 2 * BLOCK)
        mine = combine(mine, combine(term(a, b, i), term(a, b, i + BLOCK)));
    if (i < n) /* the second of this pair is past the end */
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

#pragma unroll
    for (unsigned stride = BLOCK / 2; stride > WARP; stride /= 2) {
        if (tid < stride)
            partial[tid] = combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid < WARP)
        reduce_last_warp(partial, tid);
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

void launch_unrolled_tree(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)unrolled_tree);

    unrolled_tree<<<blocks.count, BLOCK>>>(a, b, call->n, block_results);
    FINISH(unrolled_tree)<<<1, BLOCK>>>(block_results, NULL, blocks.count, result);
}

/* 16 bytes per load: four floats or two doubles. The address must be a multiple of 16. So the few
 * elements before the first such address and after the last one are loaded one by one. If a and b
 * are not aligned in the same way, this is so for all elements.
 *
 * Better: a quarter of the load instructions, and more bytes in flight.
 * Still bad: each thread has one load per operand in flight. The tree uses shared memory, although
 * registers would do (step 06). */
__global__ void vectorized(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[BLOCK];
    const unsigned tid = threadIdx.x;
    const size_t thread = (size_t)blockIdx.x * BLOCK + tid, threads = (size_t)gridDim.x * BLOCK;
    const size_t head = head_of(a, b, n), packs = (n - head) / PACK, tail = head + packs * PACK;

    value mine = IDENTITY;
    for (size_t p = thread; p < packs; p += threads)
        mine = combine(mine, term_of_pack(a, b, head + p * PACK));
    for (size_t i = thread; i < head; i += threads)
        mine = combine(mine, term(a, b, i));
    for (size_t i = tail + thread; i < n; i += threads)
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

#pragma unroll
    for (unsigned stride = BLOCK / 2; stride > WARP; stride /= 2) {
        if (tid < stride)
            partial[tid] = combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid < WARP)
        reduce_last_warp(partial, tid);
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

void launch_vectorized(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)vectorized);

    vectorized<<<blocks.count, BLOCK>>>(a, b, call->n, block_results);
    FINISH(vectorized)<<<1, BLOCK>>>(block_results, NULL, blocks.count, result);
}

/* An atomic adds the block's number to the result, so no block waits for the others.
 *
 * Better: there is no second launch, and one atomic per block. (atomic_block of step 04 also has
 * 256 per block in shared memory.)
 * Still bad: the result must first be set to the identity. That takes a launch of a single thread.
 * The blocks add in the order in which they finish, so the last bits differ from run to run. */
__global__ void write_identity(value *result)
{
    *result = IDENTITY;
}

__global__ void tree_atomic(const element *a, const second *b, size_t n, value *result)
{
    __shared__ value partial[BLOCK];
    const unsigned tid = threadIdx.x;
    const size_t thread = (size_t)blockIdx.x * BLOCK + tid, threads = (size_t)gridDim.x * BLOCK;
    const size_t head = head_of(a, b, n), packs = (n - head) / PACK, tail = head + packs * PACK;

    value mine = IDENTITY;
    for (size_t p = thread; p < packs; p += threads)
        mine = combine(mine, term_of_pack(a, b, head + p * PACK));
    for (size_t i = thread; i < head; i += threads)
        mine = combine(mine, term(a, b, i));
    for (size_t i = tail + thread; i < n; i += threads)
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

#pragma unroll
    for (unsigned stride = BLOCK / 2; stride > WARP; stride /= 2) {
        if (tid < stride)
            partial[tid] = combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid < WARP)
        reduce_last_warp(partial, tid);
    if (tid == 0)
        atomic_combine(result, partial[0]);
}

void launch_tree_atomic(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)tree_atomic);

    write_identity<<<1, 1>>>(result);
    tree_atomic<<<blocks.count, BLOCK>>>(a, b, call->n, result);
}
/* SPDX-License-Identifier: MIT */
