// Kernels in a header that two files include.
#pragma once
#include <cuda_runtime.h>

extern __shared__ float smem[];

template <class T>
static __global__ void fromHeader(T *p)
{
    smem[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] += smem[threadIdx.x];
}

inline void launchFromHeader(float *p)
{
    fromHeader<<<1, 32, 32 * sizeof(float)>>>(p);
}

void otherFile(float *p);
