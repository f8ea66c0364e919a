#include <cuda_runtime.h>

enum { BLOCK = 128 };

/* bins[v] += the number of times that v occurs among the n values. */
__global__ void count_values(const int *values, int n, int *bins)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    /* ---- your work ---- */
    if (i < n)
        bins[values[i]]++;
    /* ---- end of your work ---- */
}

extern "C" void count(const int *values, int n, int *bins)
{
    count_values<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(values, n, bins);
}
