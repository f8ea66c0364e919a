#include <cuda_runtime.h>

/* ---- your work ---- */

/* A block computes 128 x 128 elements of C. A thread computes 8 x 8 of them: two groups of 4 rows
 * and two of 4 columns, 64 apart. The tile of A is stored transposed, so both are read with 16
 * bytes per lane. Two stages: global memory is loaded into registers while this tile is used. */
enum { TILE = 128, DEPTH = 8, THREADS = 256, ROW = TILE + 4 };

/* Loads four neighbours in a row; 0 for those outside. */
static __device__ float4 four_of(const float *row, int first, int end, bool exists)
{
    float4 four = {0, 0, 0, 0};

    if (!exists || first >= end)
        return four;
    if (first + 4 <= end && (size_t)(row + first) % 16 == 0)
        return *(const float4 *)(row + first);
    four.x = row[first];
    four.y = first + 1 < end ? row[first + 1] : 0;
    four.z = first + 2 < end ? row[first + 2] : 0;
    four.w = first + 3 < end ? row[first + 3] : 0;
    return four;
}

__global__ void __launch_bounds__(THREADS)
    multiply(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ __align__(16) float tile_a[2][DEPTH][ROW], tile_b[2][DEPTH][TILE];
    const int t = threadIdx.x, x = t % 16, y = t / 16;
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    /* What this thread loads: four numbers of a row of A and of B. */
    const int a_row = t / 2, a_first = t % 2 * 4, b_row = t / 32, b_first = t % 32 * 4;
    float sum[8][8] = {};
    int stage = 0;

    auto load_a = [&](int l) {
        return four_of(a + (size_t)(row + a_row) * k, l + a_first, k, row + a_row < m);
    };
    auto load_b = [&](int l) {
        return four_of(b + (size_t)(l + b_row) * n, column + b_first, n, l + b_row < k);
    };
    auto store = [&](int to, float4 left, float4 right) {
        tile_a[to][a_first + 0][a_row] = left.x;
        tile_a[to][a_first + 1][a_row] = left.y;
        tile_a[to][a_first + 2][a_row] = left.z;
        tile_a[to][a_first + 3][a_row] = left.w;
        *(float4 *)&tile_b[to][b_row][b_first] = right;
    };

    store(0, load_a(0), load_b(0));
    __syncthreads();
    for (int first = 0; first < k; first += DEPTH) {
        const float4 next_a = load_a(first + DEPTH), next_b = load_b(first + DEPTH);

#pragma unroll
        for (int l = 0; l < DEPTH; l++) {
            float left[8], right[8];
            *(float4 *)&left[0] = *(const float4 *)&tile_a[stage][l][y * 4];
            *(float4 *)&left[4] = *(const float4 *)&tile_a[stage][l][y * 4 + 64];
            *(float4 *)&right[0] = *(const float4 *)&tile_b[stage][l][x * 4];
            *(float4 *)&right[4] = *(const float4 *)&tile_b[stage][l][x * 4 + 64];
#pragma unroll
            for (int i = 0; i < 8; i++)
#pragma unroll
                for (int j = 0; j < 8; j++)
                    sum[i][j] += left[i] * right[j];
        }
        stage = 1 - stage;
        if (first + DEPTH < k)
            store(stage, next_a, next_b);
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            const int to_row = row + y * 4 + i % 4 + i / 4 * 64;
            const int to_column = column + x * 4 + j % 4 + j / 4 * 64;
            if (to_row < m && to_column < n)
                c[(size_t)to_row * n + to_column] = sum[i][j];
        }
}

extern "C" void gemm(const float *a, const float *b, float *c, int m, int n, int k)
{
    const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    multiply<<<grid, THREADS>>>(a, b, c, m, n, k);
}

/* ---- end of your work ---- */
