#include <cuda_runtime.h>

/* A block of 16 x 16 threads computes 64 x 64 elements of C, 16 values of k at a time. A thread
 * computes 16 elements: rows y, y + 16, y + 32, y + 48 of the tile, columns x, x + 16, ... */
enum { TILE = 64, DEPTH = 16, THREADS = 16, EACH = TILE / THREADS };

/* C = A B: A is m x k, B is k x n, C is m x n, all row-major. */
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float tile_a[TILE][DEPTH], tile_b[DEPTH][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    float sum[EACH][EACH] = {};

    for (int first = 0; first < k; first += DEPTH) {
        for (int i = 0; i < EACH; i++) {
            const int r = y + i * THREADS, s = x + i * THREADS;
            tile_a[r][x] = row + r < m && first + x < k ? a[(row + r) * k + first + x] : 0;
            tile_b[y][s] = first + y < k && column + s < n ? b[(first + y) * n + column + s] : 0;
        }
        __syncthreads();

        /* ---- your work ---- */
        for (int l = 0; l < DEPTH; l++)
            for (int i = 0; i < EACH; i++) {
                const float left = tile_a[y + i * THREADS][l];
                for (int j = 0; j < EACH; j++) {
                    volatile float *const right = &tile_b[l][x + j * THREADS];
                    sum[i][j] += left * *right;
                }
            }
        /* ---- end of your work ---- */

        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            if (row + y + i * THREADS < m && column + x + j * THREADS < n)
                c[(row + y + i * THREADS) * n + column + x + j * THREADS] = sum[i][j];
}

extern "C" void gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply<<<grid, dim3(THREADS, THREADS)>>>(a, b, c, m, n, k);
}
