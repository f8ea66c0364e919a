/* A tree for any block size, which halves with rounding up. Of an odd number of values, the one in
 * the middle has no partner. */
#include "sum_ones.h"

#define MOST 256

__global__ void sum(const float *in, int n, float *result)
{
    __shared__ float partial[MOST];
    const int t = threadIdx.x;

    partial[t] = t < n ? in[t] : 0;
    __syncthreads();

    for (int left = blockDim.x; left > 1;) {
        const int half = (left - 1) / 2 + 1;
#ifdef RIGHT
        if (t < half && t + half < left)
#else
        if (t < half)
#endif
            partial[t] += partial[t + half];
        __syncthreads();
        left = half;
    }
    if (t == 0)
        atomicAdd(result, partial[0]);
}

int main(void)
{
    int wrong = 0;

    for (int threads = 64; threads <= MOST; threads += 32)
        wrong += sum_ones(sum, threads, 1, threads);
    return wrong ? 1 : 0;
}
