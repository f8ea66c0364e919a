/* Step 04: the kernels of atomic.cu for sum, max and min, and for the dot product of halfs, which
 * become floats before they are multiplied. The comments are in atomic.cu. For the sum of floats,
 * term(a, b, i) is a[i], combine(x, y) is x + y, atomic_combine is atomicAdd, and IDENTITY is 0
 * (common/kernel/reduce.cuh). */
#include "kernel/blocks.cuh"
#include "kernel/reduce.cuh"

__global__ void set_identity(value *result)
{
    *result = IDENTITY;
}

__global__ void race(const element *a, const second *b, size_t n, value *result)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        *result = combine(*result, term(a, b, i));
}

void launch_race(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const unsigned threads = threads_of(call, (const void *)race);

    set_identity<<<1, 1>>>(result);
    race<<<1, threads>>>(a, b, call->n, result);
}

__global__ void atomic_element(const element *a, const second *b, size_t n, value *result)
{
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        atomic_combine(result, term(a, b, i));
}

void launch_atomic_element(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const unsigned threads = threads_of(call, (const void *)atomic_element);

    set_identity<<<1, 1>>>(result);
    atomic_element<<<1, threads>>>(a, b, call->n, result);
}

__global__ void one_block(const element *a, const second *b, size_t n, value *result)
{
    value mine = IDENTITY;
    for (size_t i = threadIdx.x; i < n; i += blockDim.x)
        mine = combine(mine, term(a, b, i));
    atomic_combine(result, mine);
}

void launch_one_block(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const unsigned threads = threads_of(call, (const void *)one_block);

    set_identity<<<1, 1>>>(result);
    one_block<<<1, threads>>>(a, b, call->n, result);
}

__global__ void slices(const element *a, const second *b, size_t n, size_t slice, value *result)
{
    const size_t first = blockIdx.x * slice, left = first < n ? n - first : 0;
    const size_t end = first + (left < slice ? left : slice);

    value mine = IDENTITY;
    for (size_t i = first + threadIdx.x; i < end; i += blockDim.x)
        mine = combine(mine, term(a, b, i));
    atomic_combine(result, mine);
}

void launch_slices(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)slices);
    const size_t slice = (call->n + blocks.count - 1) / blocks.count;

    set_identity<<<1, 1>>>(result);
    slices<<<blocks.count, blocks.threads>>>(a, b, call->n, slice, result);
}

__global__ void atomic_thread(const element *a, const second *b, size_t n, value *result)
{
    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = combine(mine, term(a, b, i));
    atomic_combine(result, mine);
}

void launch_atomic_thread(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)atomic_thread);

    set_identity<<<1, 1>>>(result);
    atomic_thread<<<blocks.count, blocks.threads>>>(a, b, call->n, result);
}

__global__ void atomic_block(const element *a, const second *b, size_t n, value *result)
{
    __shared__ value of_block;
    if (threadIdx.x == 0)
        of_block = IDENTITY;
    __syncthreads();

    value mine = IDENTITY;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        mine = combine(mine, term(a, b, i));
    atomic_combine(&of_block, mine);
    __syncthreads();

    if (threadIdx.x == 0)
        atomic_combine(result, of_block);
}

void launch_atomic_block(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;
    value *const result = (value *)call->result;
    const struct blocks blocks = blocks_of(call, (const void *)atomic_block);

    set_identity<<<1, 1>>>(result);
    atomic_block<<<blocks.count, blocks.threads>>>(a, b, call->n, result);
}
/* SPDX-License-Identifier: MIT */
