#include <cuda_runtime.h>

enum { TILE_ROWS = 8, TILE_COLUMNS = 32 };

/* C = A B: A is m x k, B is k x n, C is m x n, all row-major. */
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    const int thread = threadIdx.x;
    const int first_row = blockIdx.y * TILE_ROWS;
    const int first_column = blockIdx.x * TILE_COLUMNS;

    /* ---- your work ---- */
    const int row = first_row + thread % TILE_COLUMNS;
    const int column = first_column + thread / TILE_COLUMNS;
    /* ---- end of your work ---- */

    if (row < m && column < n) {
        float sum = 0;
        for (int l = 0; l < k; l++)
            sum += a[row * k + l] * b[l * n + column];
        c[row * n + column] = sum;
    }
}

extern "C" void gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    const dim3 grid((n + TILE_COLUMNS - 1) / TILE_COLUMNS, (m + TILE_ROWS - 1) / TILE_ROWS);
    multiply<<<grid, TILE_ROWS * TILE_COLUMNS>>>(a, b, c, m, n, k);
}
