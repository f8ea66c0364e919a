/* Step 05: the threads of a block combine their partial results in shared memory.
 *
 * All kernels here begin and end in the same way. A grid-stride loop leaves each thread with one
 * partial result, however large n is. The thread writes it to shared memory. The block reduces
 * those to one number, which thread 0 stores in out[blockIdx.x]. Rungs differ in the reduction in
 * between. The rungs from last_warp on are in unrolled_tree.cu.
 *
 * Blocks cannot wait for each other within a launch. So every kernel is launched twice: over the
 * input, which leaves one number per block, and then, as a single block, over those numbers.
 *
 * This file is compiled for each operator and type (common/kernel/reduce.cuh). For the dot product
 * of floats, element, second and value are float, term(a, b, i) is a[i] * b[i], combine(x, y) is
 * x + y, and IDENTITY is 0. The second launch has no b, and adds: FINISH(serial) is the kernel
 * serial for the sum. */
#include "kernel/blocks.cuh"
#include "kernel/reduce.cuh"

/* Thread 0 adds up the others' partial results.
 *
 * Better than step 04: no atomics, and always in the same order.
 * Still bad: 255 additions in a row, while 255 threads wait. */
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

/* A tree over neighbours: in the round of `stride`, every thread whose number is a multiple of
 * 2 * stride adds the value `stride` further on. Indices are 64 bits wide: size_t, as for elements.
 *
 * Better: log2(256) = 8 rounds.
 * Still bad: a GPU's registers and adders have 32 bits, so a 64-bit operation is two or more
 * instructions. Divisions are routines. The 64-bit one is so long that every thread first tests, in
 * every round, whether a 32-bit division suffices. */
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

/* The same tree with indices of 32 bits, enough for the threads of a block; those of elements stay
 * 64 bits wide, since n may exceed 2^32.
 *
 * Better: fewer instructions for the same requests.
 * Still bad: divergence. Up to stride 16 all eight warps have active threads. In the fifth round
 * each warp has one, and a warp takes just as long for one lane as for all. */
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

/* The same additions by the first threads: thread t does what thread 2 * stride * t did.
 *
 * Better: the active threads fill whole warps, and the other warps skip the round.
 * Still bad: bank conflicts. Neighbouring threads now access words that are 2 * stride apart. So
 * two, four or eight threads of a warp access different words of one bank, and the bank serves
 * these words one after the other. */
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
 * Better: neighbouring threads access neighbouring words, each in a bank of its own.
 * Still bad: half of the threads are idle from the first round on. */
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

/* The same tree for any number of threads. A round leaves the first half of the values; if their
 * number is odd, the one in the middle waits for the next round.
 *
 * Better: a block may have 96 threads, or 1,000.
 * Still bad: half of the threads are idle, as in sequential. The next rungs go back to powers of
 * two, whose rounds have no value that waits. */
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

/* Two elements per iteration: they are added before anything is written to shared memory.
 *
 * Better: two loads are in flight at a time, and every thread has added something before it falls
 * idle.
 * Still bad: the last six rounds synchronize the whole block for the work of one warp. */
__global__ void first_add(const element *a, const second *b, size_t n, value *out)
{
    __shared__ value partial[MOST_THREADS];
    const unsigned tid = threadIdx.x;

    value mine = IDENTITY;
    size_t i = (size_t)blockIdx.x * 2 * blockDim.x + tid;
    for (; i + blockDim.x < n; i += (size_t)gridDim.x * 2 * blockDim.x)
        mine = combine(mine, combine(term(a, b, i), term(a, b, i + blockDim.x)));
    if (i < n) /* the first of a pair whose second lies past the end */
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
