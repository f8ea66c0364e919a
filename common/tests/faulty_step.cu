/* The kernels of faulty_step.c. */
#include <cuda_runtime.h>

#include "problem/reduction/reduction.h"

__global__ void right(const float *a, const float *b, size_t n, float *result)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    *result = sum;
}

/* Two threads write the same number. */
__global__ void races(const float *a, const float *b, size_t n, float *result)
{
    float sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    *result = sum;
}

__global__ void crashes(const float *a, size_t n, float *result)
{
    const float *const nothing = NULL;
    *result = n > 0 ? nothing[n] + a[0] : 0;
}

__global__ void deadlocks(float *result)
{
    if (threadIdx.x > 0)
        __syncthreads();
    __syncwarp();
    *result = 0;
}

extern "C" void launch_right(const struct reduction *call)
{
    right<<<1, 1>>>((const float *)call->a, (const float *)call->b, call->n, (float *)call->result);
}

extern "C" void launch_races(const struct reduction *call)
{
    races<<<1, 2>>>((const float *)call->a, (const float *)call->b, call->n, (float *)call->result);
}

extern "C" void launch_crashes(const struct reduction *call)
{
    crashes<<<1, 1>>>((const float *)call->a, call->n, (float *)call->result);
}

extern "C" void launch_deadlocks(const struct reduction *call)
{
    deadlocks<<<1, 2>>>((float *)call->result);
}

/* Crashes only with a million elements. Larger problems are counted with a million elements. */
extern "C" void launch_crashes_later(const struct reduction *call)
{
    if (call->n == 1 << 20)
        launch_crashes(call);
    else
        launch_right(call);
}
/* SPDX-License-Identifier: MIT */
