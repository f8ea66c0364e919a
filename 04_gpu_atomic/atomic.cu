/* Step 04: many threads, one result. These are the kernels for the dot product. atomic_operators.cu
 * has those for sum, max and min. This file is compiled for each element type
 * (common/kernel/reduce.cuh). `element` is the type of a's elements, `second` that of b's elements,
 * and `value` that of the sum. For floats all three are float. */
#include "kernel/blocks.cuh"
#include "kernel/reduce.cuh"

/* The rungs below accumulate in *result, which must be 0 before they start. */
__global__ void set_zero(value *result)
{
    *result = 0;
}

/* A LESSON, wrong on purpose: the threads of one block divide the elements among themselves, and
 * all of them add to the one result.
 *
 * Wrong: `*result += x` is a load, an addition and a store. Between one thread's load and its
 * store, other threads load the same old value. Then all of these stores but the last are lost. */
__global__ void race(const element *a, const second *b, size_t n, value *result)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        *result += a[i] * b[i];
}

void launch_race(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const unsigned threads = threads_of(call, (const void *)race);

    set_zero<<<1, 1>>>(result);
    race<<<1, threads>>>(a, b, call->n, result);
}

/* The same with an atomic addition: no other access comes between its load and its store.
 *
 * Better: the result is right.
 * Still bad: n atomics on one address execute one after the other. Their order differs from run to
 * run, so the sum may round differently each time. */
__global__ void atomic_element(const element *a, const second *b, size_t n, value *result)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(result, a[i] * b[i]);
}

void launch_atomic_element(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const unsigned threads = threads_of(call, (const void *)atomic_element);

    set_zero<<<1, 1>>>(result);
    atomic_element<<<1, threads>>>(a, b, call->n, result);
}

/* Each thread adds up its elements in a register, then does one atomic.
 *
 * Better: there is one atomic per thread, however large n is.
 * Still bad: one block runs on one SM, and all other SMs are idle. */
__global__ void one_block(const element *a, const second *b, size_t n, value *result)
{
    value sum = 0;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        sum += a[i] * b[i];
    atomicAdd(result, sum);
}

void launch_one_block(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const unsigned threads = threads_of(call, (const void *)one_block);

    set_zero<<<1, 1>>>(result);
    one_block<<<1, threads>>>(a, b, call->n, result);
}

/* The same with many blocks. Each block has a contiguous slice of the elements.
 *
 * Better: all SMs work, and together they have far more loads in flight.
 * Still bad: a slice starts where the one before it ends, usually in the middle of a sector (32
 * bytes). Then the 128 bytes of a warp's load touch five sectors instead of four. */
__global__ void slices(const element *a, const second *b, size_t n, size_t slice, value *result)
{
    const size_t first = blockIdx.x * slice, left = first < n ? n - first : 0;
    const size_t end = first + (left < slice ? left : slice);

    value sum = 0;
    for (size_t i = first + threadIdx.x; i < end; i += blockDim.x)
        sum += a[i] * b[i];
    atomicAdd(result, sum);
}

void launch_slices(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)slices);
    const size_t slice = (call->n + blocks.count - 1) / blocks.count;

    set_zero<<<1, 1>>>(result);
    slices<<<blocks.count, blocks.threads>>>(a, b, call->n, slice, result);
}

/* A grid-stride loop instead of slices. A thread starts at its number in the grid. Its step is the
 * number of threads in the grid.
 *
 * Better: there is nothing to cut, and every load of a warp starts at a multiple of 32 elements.
 * Still bad: each SM does 1,024 atomics, all on one address. */
__global__ void atomic_thread(const element *a, const second *b, size_t n, value *result)
{
    value sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    atomicAdd(result, sum);
}

void launch_atomic_thread(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)atomic_thread);

    set_zero<<<1, 1>>>(result);
    atomic_thread<<<blocks.count, blocks.threads>>>(a, b, call->n, result);
}

/* The threads of a block first combine their sums by atomics in shared memory.
 *
 * Better: a block does one atomic on the result. Its other atomics stay in the shared memory of its
 * SM, so blocks on different SMs do theirs at the same time.
 * Still bad: within a block, atomics execute one after the other. If the GPU has no floating-point
 * atomic for shared memory, each is a loop with a compare-and-swap. */
__global__ void atomic_block(const element *a, const second *b, size_t n, value *result)
{
    __shared__ value of_block;
    if (threadIdx.x == 0)
        of_block = 0;
    __syncthreads();

    value sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += a[i] * b[i];
    atomicAdd(&of_block, sum);
    __syncthreads();

    if (threadIdx.x == 0)
        atomicAdd(result, of_block);
}

void launch_atomic_block(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)atomic_block);

    set_zero<<<1, 1>>>(result);
    atomic_block<<<blocks.count, blocks.threads>>>(a, b, call->n, result);
}
/* SPDX-License-Identifier: MIT */
