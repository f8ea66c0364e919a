#include <cuda_pipeline.h>
#include <cuda_runtime.h>

enum { TILE = 16, STAGES = 2 };

/* Starts an asynchronous copy of one number, or stores 0 if there is none. */
static __device__ void fetch(float *to, const float *from, bool exists)
{
    if (exists)
        __pipeline_memcpy_async(to, from, sizeof *to);
    else
        *to = 0;
}

/* C = A B: A is m x k, B is k x n, C is m x n, all row-major. */
__global__ void multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float tile_a[STAGES][TILE][TILE], tile_b[STAGES][TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * TILE + y;
    const int column = blockIdx.x * TILE + x;
    float sum = 0;

    /* Starts copying the tiles that begin at index `first` along k. */
    auto start = [&](int stage, int first) {
        fetch(&tile_a[stage][y][x], &a[row * k + first + x], row < m && first + x < k);
        fetch(&tile_b[stage][y][x], &b[(first + y) * n + column], first + y < k && column < n);
        __pipeline_commit();
    };

    /* ---- your work ---- */
    int stage = 0;

    start(0, 0);
    for (int first = 0; first < k; first += TILE) {
        __pipeline_wait_prior(0);
        __syncthreads(); /* the tile has arrived, and all threads are done with the one before */
        if (first + TILE < k)
            start(1 - stage, first + TILE);
        for (int l = 0; l < TILE; l++)
            sum += tile_a[stage][y][l] * tile_b[stage][l][x];
        stage = 1 - stage;
    }
    /* ---- end of your work ---- */

    if (row < m && column < n)
        c[row * n + column] = sum;
}

extern "C" void gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply<<<grid, dim3(TILE, TILE)>>>(a, b, c, m, n, k);
}
