#include <cuda_runtime.h>

enum { TILE = 32, ROWS = 8 };

/* out[j][i] = in[i][j]: in has `rows` rows and `columns` columns, row-major. */
__global__ void transpose_tiles(const float *in, float *out, int rows, int columns)
{
    const int x = threadIdx.x, y = threadIdx.y;

    /* ---- your work ---- */
    __shared__ float tile[TILE * (TILE + 1)];

    for (int k = y; k < TILE; k += ROWS) {
        const int row = blockIdx.y * TILE + k, column = blockIdx.x * TILE + x;
        if (row < rows && column < columns)
            tile[k * (TILE + 1) + x] = in[row * columns + column];
    }
    for (int k = y; k < TILE; k += ROWS) {
        const int row = blockIdx.y * TILE + x, column = blockIdx.x * TILE + k;
        if (row < rows && column < columns)
            out[column * rows + row] = tile[x * (TILE + 1) + k];
    }
    /* ---- end of your work ---- */
}

extern "C" void transpose(const float *in, float *out, int rows, int columns)
{
    const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose_tiles<<<grid, dim3(TILE, ROWS)>>>(in, out, rows, columns);
}
