// A sparse matrix (CSR) times a vector: one thread per row, then one warp per row.
#include <vector>

#include "check_blas.cuh"

struct Csr {
    int rows;
    const int *offsets, *columns;
    const float *values;
};

__global__ void spmvScalar(Csr m, const float *x, float *y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < m.rows) {
        float sum = 0;
        for (int i = m.offsets[row]; i < m.offsets[row + 1]; i++)
            sum += m.values[i] * x[m.columns[i]];
        y[row] = sum;
    }
}

__global__ void spmvVector(Csr m, const float *x, float *y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int lane = threadIdx.x % warpSize;
    if (row >= m.rows)
        return; // whole warps return
    float sum = 0;
    for (int i = m.offsets[row] + lane; i < m.offsets[row + 1]; i += warpSize)
        sum += m.values[i] * x[m.columns[i]];
    for (int offset = warpSize / 2; offset > 0; offset >>= 1)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0)
        y[row] = sum;
}

int main()
{
    const int n = 300;
    std::vector<int> offsets = {0}, columns;
    std::vector<float> values, x(n), y(n), expected(n, 0.0f);
    for (int i = 0; i < n; i++)
        x[i] = float(i % 9);
    for (int row = 0; row < n; row++) {
        for (int k = 0; k < row * 7 % 50; k++) {
            int column = (row * 13 + k * 17) % n;
            columns.push_back(column);
            values.push_back(float(k % 5 + 1));
            expected[row] += values.back() * x[column];
        }
        offsets.push_back((int)columns.size());
    }
    Csr m = {n, onDevice(offsets), onDevice(columns), onDevice(values)};
    float *d_x = onDevice(x), *d_y = onDevice(y);
    for (int variant = 0; variant < 2; variant++) {
        CHECK(cudaMemset(d_y, 0xff, n * sizeof(float)));
        if (variant == 0)
            spmvScalar<<<(n + 127) / 128, 128>>>(m, d_x, d_y);
        else
            spmvVector<<<(32 * n + 127) / 128, 128>>>(m, d_x, d_y);
        CHECK(cudaMemcpy(y.data(), d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
        EXPECT(y == expected);
    }
    cudaFree((void *)m.offsets);
    cudaFree((void *)m.columns);
    cudaFree((void *)m.values);
    cudaFree(d_x);
    cudaFree(d_y);
    return passed();
}
