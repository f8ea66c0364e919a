#include <cuda_runtime.h>

/* ---- your work ---- */

enum { TILE = 32 };

/* C = A B: A is m x k, B is k x n, C is m x n, all row-major. */
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;
    float sum = 0;

    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];

    for (int first = 0; first < k; first += TILE) {
        tile_a[y][x] = row < m && first + x < k ? a[row * k + first + x] : 0;
        tile_b[y][x] = first + y < k && column < n ? b[(first + y) * n + column] : 0;
        __syncthreads();
        for (int l = 0; l < TILE; l++)
            sum += tile_a[y][l] * tile_b[l][x];
        __syncthreads();
    }

    if (row < m && column < n)
        c[row * n + column] = sum;
}

extern "C" void gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply<<<grid, dim3(TILE, TILE)>>>(a, b, c, m, n, k);
}

/* ---- end of your work ---- */
