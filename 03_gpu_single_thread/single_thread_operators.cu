/* Step 03: the kernels of single_thread.cu for sum, max and min, and for the dot product of halfs,
 * which become floats before they are multiplied. The comments are in single_thread.cu. For the sum
 * of floats, term(a, b, i) is a[i], combine(x, y) is x + y, and IDENTITY is 0
 * (common/kernel/reduce.cuh). */
#include "kernel/reduce.cuh"
#include "single_thread.h"

__global__ void single_thread(const element *a, const second *b, size_t n, value *result)
{
    value sum = IDENTITY;
    for (size_t i = 0; i < n; i++)
        sum = combine(sum, term(a, b, i));
    *result = sum;
}

void launch_single_thread(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;

    single_thread<<<1, 1>>>(a, b, call->n, (value *)call->result);
}

__global__ void accumulators(const element *a, const second *b, size_t n, value *result)
{
    value sum[ACCUMULATORS];
    for (int k = 0; k < ACCUMULATORS; k++)
        sum[k] = IDENTITY;

    size_t i = 0;
    for (; n - i >= ACCUMULATORS; i += ACCUMULATORS)
        for (int k = 0; k < ACCUMULATORS; k++)
            sum[k] = combine(sum[k], term(a, b, i + k));
    for (; i < n; i++)
        sum[0] = combine(sum[0], term(a, b, i));

    for (int k = 1; k < ACCUMULATORS; k++)
        sum[0] = combine(sum[0], sum[k]);
    *result = sum[0];
}

void launch_accumulators(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;

    accumulators<<<1, 1>>>(a, b, call->n, (value *)call->result);
}

__global__ void __launch_bounds__(1)
    loads_in_flight(const element *a, const second *b, size_t n, value *result)
{
    value sum[ACCUMULATORS], terms[ACCUMULATORS];
    for (int k = 0; k < ACCUMULATORS; k++)
        sum[k] = IDENTITY;

    size_t i = 0;
    for (; n - i >= ACCUMULATORS; i += ACCUMULATORS) {
        for (int k = 0; k < ACCUMULATORS; k++)
            terms[k] = term(a, b, i + k);
        for (int k = 0; k < ACCUMULATORS; k++)
            sum[k] = combine(sum[k], terms[k]);
    }
    for (; i < n; i++)
        sum[0] = combine(sum[0], term(a, b, i));

    for (int k = 1; k < ACCUMULATORS; k++)
        sum[0] = combine(sum[0], sum[k]);
    *result = sum[0];
}

void launch_loads_in_flight(const struct reduction *call)
{
    const element *const a = (const element *)call->a;
    const second *const b = (const second *)call->b;

    loads_in_flight<<<1, 1>>>(a, b, call->n, (value *)call->result);
}
/* SPDX-License-Identifier: MIT */
