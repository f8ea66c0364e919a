/* Step 04: many threads, one result. These are the kernels for the dot product; those for sum, max
 * and min are in atomic_operators.cu. This file is compiled for each element type
 * (common/kernel/reduce.cuh): element is the type of the elements of a, second of those of b, value
 * of the sum. For floats all three are float. */
#include "kernel/blocks.cuh"
#include "kernel/reduce.cuh"

/* The rungs below accumulate in *result, which must be 0 before they start. */
__global__ void set_zero(value *result)
{
    *result = 0;
}

/* A LESSON, wrong on purpose: the threads of one block divide the elements among themselves and all
 * add to the one result.
 *
 * Wrong: `*result += x` is a load, an addition and a store. Between one thread's load and its store
 * other threads load the same old value, and all their stores but the last are lost. */
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

/* The same with an atomic addition: nothing comes between its load and its store.
 *
 * Better: the result is right.
 * Still bad: n atomics on one address execute one after the other, and their order, which decides
 * how the sum rounds, differs from run to run. */
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

/* Each thread first adds up its elements in a register, then does one atomic.
 *
 * Better: as many atomics as there are threads, however large n is.
 * Still bad: one block runs on one SM, and all others are idle. */
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

/* The same by many blocks: a contiguous slice of the elements per block.
 *
 * Better: all SMs work, and together have far more loads in flight.
 * Still bad: a slice starts where the one before it ends, usually in the middle of a sector.
 * Then a warp's 128 bytes touch five sectors instead of four. */
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

/* A grid-stride loop instead of slices: a thread starts at its number in the grid and goes on by
 * the number of threads in the grid.
 *
 * Better: nothing to cut, and a warp starts at a multiple of 32 elements in every iteration.
 * Still bad: 1,024 atomics per SM, all on one address. */
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

/* The threads of a block first combine their numbers by atomics in shared memory.
 *
 * Better: one atomic per block on the result. Those in shared memory stay on the SM,
 * and different blocks do them at the same time.
 * Still bad: within a block the atomics still execute one after the other, and where shared memory
 * has no floating-point addition of its own, each is a loop around a compare-and-swap. */
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
