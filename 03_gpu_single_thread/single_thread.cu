/* Step 03: the CPU's loop, unchanged, on one thread of a GPU. These are the kernels for the dot
 * product. single_thread_operators.cu has those for sum, max and min. This file is compiled for
 * each element type (common/kernel/reduce.cuh). `element` is the type of a's elements, `second`
 * that of b's elements, and `value` that of the sum. For floats all three are float. */
#include "kernel/reduce.cuh"
#include "single_thread.h"

/* One thread and one accumulator, as on the CPU.
 *
 * The result is right, but this is not how to use a GPU. A load from memory takes hundreds of
 * cycles, and the thread has nothing to do in that time. A GPU hides this latency if it has
 * thousands of other threads to run. Here there are none.
 * Still bad: each addition waits for the one before. */
__global__ void single_thread(const element *a, const second *b, size_t n, value *result)
{
    value sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    *result = sum;
}

void launch_single_thread(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;

    single_thread<<<1, 1>>>(a, b, call->n, (value *)call->result);
}

/* Sixteen accumulators, used in turn.
 *
 * Better: no addition waits for the one before. Sixteen short sums also round less than a long one.
 * Still bad: to save registers, the compiler mixes loads and additions. So an addition waits for
 * its load while few other loads are in flight. */
__global__ void accumulators(const element *a, const second *b, size_t n, value *result)
{
    value sum[ACCUMULATORS];
    for (int k = 0; k < ACCUMULATORS; k++)
        sum[k] = 0;

    size_t i = 0;
    for (; n - i >= ACCUMULATORS; i += ACCUMULATORS)
        for (int k = 0; k < ACCUMULATORS; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];

    for (int k = 1; k < ACCUMULATORS; k++)
        sum[0] += sum[k];
    *result = sum[0];
}

void launch_accumulators(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;

    accumulators<<<1, 1>>>(a, b, call->n, (value *)call->result);
}

/* All loads of an iteration come before its first addition.
 *
 * Better: the thread waits for memory once per sixteen elements.
 * Still bad: a few dozen loads are in flight, but a GPU's memory is busy only with tens of
 * thousands. One thread does not have the registers for that.
 *
 * __launch_bounds__(1) says that a block has one thread. Without it the compiler saves registers
 * for other threads, and loads wait until a register is free. */
__global__ void __launch_bounds__(1)
    loads_in_flight(const element *a, const second *b, size_t n, value *result)
{
    value sum[ACCUMULATORS], product[ACCUMULATORS];
    for (int k = 0; k < ACCUMULATORS; k++)
        sum[k] = 0;

    size_t i = 0;
    for (; n - i >= ACCUMULATORS; i += ACCUMULATORS) {
        for (int k = 0; k < ACCUMULATORS; k++)
            product[k] = a[i + k] * b[i + k];
        for (int k = 0; k < ACCUMULATORS; k++)
            sum[k] += product[k];
    }
    for (; i < n; i++)
        sum[0] += a[i] * b[i];

    for (int k = 1; k < ACCUMULATORS; k++)
        sum[0] += sum[k];
    *result = sum[0];
}

void launch_loads_in_flight(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;

    loads_in_flight<<<1, 1>>>(a, b, call->n, (value *)call->result);
}
/* SPDX-License-Identifier: MIT */
