/* The last six rounds of a tree by one warp, without synchronization, as if lanes ran in step. */
#include "sum_ones.h"

#define BLOCK 64

#ifdef RIGHT
#define MEET() __syncwarp()
#else
#define MEET()
#endif

__global__ void sum(const float *in, int n, float *result)
{
    __shared__ float partial[BLOCK];
    const int t = threadIdx.x;
    const int i = blockIdx.x * BLOCK + t;

    partial[t] = i < n ? in[i] : 0;
    __syncthreads();

    if (t < 32) {
        for (int stride = 32; stride > 0; stride /= 2) {
            const float both = partial[t] + partial[t + stride];

            MEET(); /* all have read ... */
            partial[t] = both;
            MEET(); /* ... and all have written */
        }
        if (t == 0)
            atomicAdd(result, partial[0]);
    }
}

int main(void)
{
    return sum_ones(sum, 1000, 16, BLOCK);
}
