/* Each block sums a slice of its own, n / blocks numbers, rounded up. Where does the last end? */
#include "sum_ones.h"

__global__ void sum(const float *in, int n, float *result)
{
    const int slice = (n - 1) / gridDim.x + 1;
    const int begin = blockIdx.x * slice;
#ifdef RIGHT
    const int end = min(begin + slice, n);
#else
    const int end = begin + slice;
#endif
    float mine = 0;

    for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
        mine += in[i];
    atomicAdd(result, mine);
}

int main(void)
{
    return sum_ones(sum, 1000, 7, 128); /* slices of 143: the last one ends at 1,001 */
}
