/* A sum in shared memory that begins with whatever was there. */
#include "sum_ones.h"

#define BLOCK 128

__global__ void sum(const float *in, int n, float *result)
{
    __shared__ float partial[BLOCK];
    const int t = threadIdx.x;

#ifdef RIGHT
    partial[t] = 0;
#endif
    for (int i = blockIdx.x * BLOCK + t; i < n; i += gridDim.x * BLOCK)
        partial[t] += in[i];
    __syncthreads();

    if (t == 0) {
        float of_block = 0;
        for (int k = 0; k < BLOCK; k++)
            of_block += partial[k];
        atomicAdd(result, of_block);
    }
}

int main(void)
{
    return sum_ones(sum, 1000, 4, BLOCK);
}
