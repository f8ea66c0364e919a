#include <cuda_runtime.h>

enum { TILE = 16 };

/* C = A B: A is m x k, B is k x n, C is m x n, all row-major. */
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;
    float sum = 0;

    /* ---- your work ---- */
    if (row < m && column < n)
        for (int l = 0; l < k; l++)
            sum += a[row * k + l] * b[l * n + column];
    /* ---- end of your work ---- */

    if (row < m && column < n)
        c[row * n + column] = sum;
}

extern "C" void gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply<<<grid, dim3(TILE, TILE)>>>(a, b, c, m, n, k);
}
