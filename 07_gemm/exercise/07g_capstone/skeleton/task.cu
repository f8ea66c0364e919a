#include <cuda_runtime.h>

/* ---- your work ---- */

/* C = A B: A is m x k, B is k x n, C is m x n, all row-major. */
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    const int column = blockIdx.x * blockDim.x + threadIdx.x;

    if (row < m && column < n) {
        float sum = 0;
        for (int l = 0; l < k; l++)
            sum += a[row * k + l] * b[l * n + column];
        c[row * n + column] = sum;
    }
}

extern "C" void gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    const dim3 block(32, 8), grid((n + 31) / 32, (m + 7) / 8);
    multiply<<<grid, block>>>(a, b, c, m, n, k);
}

/* ---- end of your work ---- */
