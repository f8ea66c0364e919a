/* A tree whose rounds do not wait for each other. */
#include "sum_ones.h"

#define BLOCK 256

__global__ void sum(const float *in, int n, float *result)
{
    __shared__ float partial[BLOCK];
    const int t = threadIdx.x;
    const int i = blockIdx.x * BLOCK + t;

    partial[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int stride = 1; stride < BLOCK; stride *= 2) {
        const int left = 2 * stride * t;

        if (left + stride < BLOCK)
            partial[left] += partial[left + stride];
#ifdef RIGHT
        __syncthreads();
#endif
    }
    if (t == 0)
        atomicAdd(result, partial[0]);
}

int main(void)
{
    return sum_ones(sum, 1000, 4, BLOCK);
}
