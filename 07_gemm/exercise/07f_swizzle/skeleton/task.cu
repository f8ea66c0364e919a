#include <cuda_runtime.h>

enum { TILE = 32, ROWS = 8 };

/* The place in the tile of the element in that row and column: a number below TILE * TILE,
 * different for each element. */
static __device__ int place(int row, int column)
{
    /* ---- your work ---- */
    return row * TILE + column;
    /* ---- end of your work ---- */
}

/* out[j][i] = in[i][j]: in has `rows` rows and `columns` columns, row-major. */
__global__ void transpose_tiles(const float *in, float *out, int rows, int columns)
{
    __shared__ float tile[TILE * TILE];
    const int x = threadIdx.x, y = threadIdx.y;

    for (int k = y; k < TILE; k += ROWS) {
        const int row = blockIdx.y * TILE + k, column = blockIdx.x * TILE + x;
        if (row < rows && column < columns)
            tile[place(k, x)] = in[row * columns + column];
    }
    __syncthreads();
    for (int k = y; k < TILE; k += ROWS) {
        const int row = blockIdx.y * TILE + x, column = blockIdx.x * TILE + k;
        if (row < rows && column < columns)
            out[column * rows + row] = tile[place(x, k)];
    }
}

extern "C" void transpose(const float *in, float *out, int rows, int columns)
{
    const dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose_tiles<<<grid, dim3(TILE, ROWS)>>>(in, out, rows, columns);
}
