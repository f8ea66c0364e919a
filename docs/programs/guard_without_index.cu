/* A tree whose test for the end of the input leaves out which word is read. */
#include "sum_ones.h"

#define BLOCK 256

__global__ void sum(const float *in, int n, float *result)
{
    __shared__ float partial[BLOCK];
    const int t = threadIdx.x;
    const int first = blockIdx.x * BLOCK;

    if (first + t < n)
        partial[t] = in[first + t];
    __syncthreads();

    for (int stride = 1; stride < BLOCK; stride *= 2) {
        const int left = 2 * stride * t;

#ifdef RIGHT
        if (left + stride < BLOCK && first + left + stride < n)
#else
        if (left + stride < BLOCK && first + stride < n)
#endif
            partial[left] += partial[left + stride];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(result, partial[0]);
}

int main(void)
{
    return sum_ones(sum, 1000, 4, BLOCK); /* the last block has 232 numbers */
}
