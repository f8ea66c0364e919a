/* Step 05: the threads of a block combine their partial results in shared memory.
 *
 * All kernels here begin and end in the same way. A grid-stride loop leaves each thread with one
 * partial result, however large n is. The thread stores it to shared memory. The block reduces
 * these to one number, and thread 0 stores that in out[blockIdx.x]. The rungs differ in how the
 * block does it. unrolled_tree.cu has the rungs from last_warp on.
 *
 * Blocks cannot wait for each other within a launch. So every kernel is launched twice: over the
 * input, which leaves one number per block, and then, as a single block, over those numbers.
 *
 * This file is compiled for each operator and type (common/kernel/reduce.cuh). For the dot product
 * of floats, element, second and value are float. term(a, b, i) is a[i] * b[i], combine(x, y) is
 * x + y, and IDENTITY is 0. The second launch has no b and only adds, so FINISH(serial) is the
 * kernel serial for the sum. */
#include "kernel/blocks.cuh"
#include "kernel/reduce.cuh"

/* Thread 0 adds up the partial results of the other threads.
 *
 * Better than step 04: it uses no atomics, and the order of the additions is always the same.
 * Still bad: thread 0 does 255 additions in a row, while 255 threads wait. */
__global__ void serial(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

    if (tid == 0) {
        for (unsigned t = 1; t < blockDim.x; t++)
            mine = combine(mine, partial[t]);
        out[blockIdx.x] = mine;
    }
}

void launch_serial(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)serial);

    serial<<<blocks.count, blocks.threads>>>(a, b, call->n, block_results);
    FINISH(serial)<<<1, blocks.threads>>>(block_results, NULL, blocks.count, result);
}

/* A tree over neighbours. In the round of `stride`, a thread whose number is a multiple of
 * 2 * stride adds the value that is `stride` further on. Indices have 64 bits, as for elements.
 *
 * Better: the tree takes log2(256) = 8 rounds.
 * Still bad: a GPU's registers and adders have 32 bits, so a 64-bit operation takes two or more
 * instructions. A 64-bit division is a long routine. So in every round each thread first tests
 * whether a 32-bit division is enough. */
__global__ void wide_indices(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[MOST_THREADS];
    const size_t tid = threadIdx.x;

    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

    for (size_t stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0)
            partial[tid] = combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

void launch_wide_indices(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)wide_indices);

    wide_indices<<<blocks.count, blocks.threads>>>(a, b, call->n, block_results);
    FINISH(wide_indices)<<<1, blocks.threads>>>(block_results, NULL, blocks.count, result);
}

/* The same tree with 32-bit indices for threads. Indices of elements keep 64 bits, because n may
 * exceed 2^32.
 *
 * Better: the number of requests to shared memory is the same, with fewer instructions.
 * Still bad: divergence. Up to stride 16, all eight warps have active threads. At stride 16 each
 * warp has only one, and a warp takes as long for one lane as for all 32. */
__global__ void interleaved(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (tid % (2 * stride) == 0)
            partial[tid] = combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

void launch_interleaved(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)interleaved);

    interleaved<<<blocks.count, blocks.threads>>>(a, b, call->n, block_results);
    FINISH(interleaved)<<<1, blocks.threads>>>(block_results, NULL, blocks.count, result);
}

/* The same additions by the first threads: thread t does what thread 2 * stride * t did before.
 *
 * Better: the active threads fill whole warps, and the other warps skip the round.
 * Still bad: bank conflicts. Neighbouring threads access words that are 2 * stride apart. So two,
 * four or eight threads of a warp access different words of one bank. The bank serves these words
 * one after the other. */
__global__ void strided(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        const unsigned left = 2 * stride * tid;
        if (left < blockDim.x)
            partial[left] = combine(partial[left], partial[left + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

void launch_strided(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)strided);

    strided<<<blocks.count, blocks.threads>>>(a, b, call->n, block_results);
    FINISH(strided)<<<1, blocks.threads>>>(block_results, NULL, blocks.count, result);
}

/* Halves instead of neighbours: each round adds the next `stride` values to the first `stride`.
 *
 * Better: neighbouring threads access neighbouring words, each of them in its own bank.
 * Still bad: from the first round on, half of the threads are idle. */
__global__ void sequential(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            partial[tid] = combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

void launch_sequential(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)sequential);

    sequential<<<blocks.count, blocks.threads>>>(a, b, call->n, block_results);
    FINISH(sequential)<<<1, blocks.threads>>>(block_results, NULL, blocks.count, result);
}

/* The same tree for any number of threads. A round adds the second half of the values to the first
 * half. If their number is odd, the middle value waits for the next round.
 *
 * Better: a block may have 96 threads, or 1,000.
 * Still bad: half of the threads are idle, as in sequential. The next rungs use powers of two
 * again. */
__global__ void any_size(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + tid; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = combine(mine, term(a, b, i));
    partial[tid] = mine;
    __syncthreads();

    for (unsigned left = blockDim.x; left > 1;) {
        const unsigned half = (left + 1) / 2;
        if (tid + half < left)
            partial[tid] = combine(partial[tid], partial[tid + half]);
        __syncthreads();
        left = half;
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

void launch_any_size(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)any_size);

    any_size<<<blocks.count, blocks.threads>>>(a, b, call->n, block_results);
    FINISH(any_size)<<<1, blocks.threads>>>(block_results, NULL, blocks.count, result);
}

/* Two elements per iteration, which are added before anything is stored to shared memory.
 *
 * Better: each thread has two loads in flight, and it has added something before it becomes idle.
 * Still bad: in the last six rounds the whole block synchronizes for the work of one warp. */
__global__ void first_add(const element *a, const second *b, size_t n, value *out)
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

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (tid < stride)
            partial[tid] = combine(partial[tid], partial[tid + stride]);
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = partial[0];
}

void launch_first_add(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const block_results = (value *)call->workspace, *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)first_add);

    first_add<<<blocks.count, blocks.threads>>>(a, b, call->n, block_results);
    FINISH(first_add)<<<1, blocks.threads>>>(block_results, NULL, blocks.count, result);
}
/* SPDX-License-Identifier: MIT */
