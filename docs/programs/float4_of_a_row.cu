/* Sums the rows of a matrix with loads of four floats, a warp a row. May every row be read so? */
#include "check.h"

#define ROWS 2
#define COLUMNS 130 /* not a multiple of 4: row 1 begins 520 bytes after row 0 */

__device__ float sum_of_lanes(float mine)
{
    for (int offset = 16; offset > 0; offset /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, offset);
    return mine;
}

__global__ void sum_rows(const float *matrix, float *sums)
{
    const float *row = matrix + blockIdx.x * COLUMNS;
    const int lane = threadIdx.x;
    float mine = 0;
    int first = 0;

#ifdef RIGHT
    while ((size_t)(row + first) % sizeof(float4) != 0)
        first++; /* the floats before the first address that is a multiple of 16 */
#endif
    if (lane < first)
        mine = row[lane];
    int i = first + 4 * lane;
    for (; i + 3 < COLUMNS; i += 4 * 32) {
        const float4 four = *(const float4 *)(row + i);
        mine += four.x + four.y + four.z + four.w;
    }
    for (; i < COLUMNS; i++) /* one lane's: the rest, at most three */
        mine += row[i];
    mine = sum_of_lanes(mine);
    if (lane == 0)
        sums[blockIdx.x] = mine;
}

int main(void)
{
    float matrix[ROWS * COLUMNS], sums[ROWS], *device_matrix, *device_sums;

    for (int i = 0; i < ROWS * COLUMNS; i++)
        matrix[i] = 1;
    CHECK(cudaMalloc((void **)&device_matrix, sizeof(matrix)));
    CHECK(cudaMalloc((void **)&device_sums, sizeof(sums)));
    CHECK(cudaMemcpy(device_matrix, matrix, sizeof(matrix), cudaMemcpyHostToDevice));
    sum_rows<<<ROWS, 32>>>(device_matrix, device_sums);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, device_sums, sizeof(sums), cudaMemcpyDeviceToHost));
    printf("rows of %d ones: %g, %g\n", COLUMNS, sums[0], sums[1]);
    CHECK(cudaFree(device_matrix));
    CHECK(cudaFree(device_sums));
    return sums[0] == COLUMNS && sums[1] == COLUMNS ? 0 : 1;
}
