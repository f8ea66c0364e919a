// Matrix product: a naive kernel, and a tiled kernel with the tile size as a template argument. The
// matrix size is not a multiple of the tile size.
#include <cstdlib>
#include <iostream>
#include <vector>

#include "check.cuh"

using namespace std;

struct Matrix {
    int width, height;
    float *elements;
};

__global__ void matMulNaive(const Matrix A, const Matrix B, Matrix C)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= C.height || col >= C.width)
        return;
    float value = 0;
    for (int e = 0; e < A.width; ++e)
        value += A.elements[row * A.width + e] * B.elements[e * B.width + col];
    C.elements[row * C.width + col] = value;
}

template <int TILE>
__global__ void matMulTiled(const Matrix A, const Matrix B, Matrix C)
{
    __shared__ float As[TILE][TILE];
    __shared__ float Bs[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
    float sum = 0;
    for (int t = 0; t < (A.width + TILE - 1) / TILE; t++) {
        As[ty][tx] = row < A.height && t * TILE + tx < A.width
                         ? A.elements[row * A.width + t * TILE + tx]
                         : 0.0f;
        Bs[ty][tx] = t * TILE + ty < B.height && col < B.width
                         ? B.elements[(t * TILE + ty) * B.width + col]
                         : 0.0f;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < C.height && col < C.width)
        C.elements[row * C.width + col] = sum;
}

template <typename Launch>
void test(const char *name, int m, int n, int k, Launch launch)
{
    vector<float> a(m * k), b(k * n), c(m * n, -1.0f);
    for (float &v : a)
        v = float(rand() % 8);
    for (float &v : b)
        v = float(rand() % 8);
    Matrix A = {k, m, nullptr}, B = {n, k, nullptr}, C = {n, m, nullptr};
    CHECK(cudaMalloc(&A.elements, a.size() * sizeof(float)));
    CHECK(cudaMalloc(&B.elements, b.size() * sizeof(float)));
    CHECK(cudaMalloc(&C.elements, c.size() * sizeof(float)));
    CHECK(cudaMemcpy(A.elements, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(B.elements, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
    launch(A, B, C);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), C.elements, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            float expected = 0;
            for (int e = 0; e < k; e++)
                expected += a[i * k + e] * b[e * n + j];
            EXPECT(c[i * n + j] == expected);
        }
    }
    cudaFree(A.elements);
    cudaFree(B.elements);
    cudaFree(C.elements);
    cout << name << " " << m << " x " << n << " x " << k << " is right" << endl;
}

int main()
{
    const int sizes[][3] = {{1, 1, 1}, {64, 64, 64}, {33, 65, 17}};
    for (auto &size : sizes) {
        int m = size[0], n = size[1], k = size[2];
        test("naive", m, n, k, [=](Matrix A, Matrix B, Matrix C) {
            dim3 dimBlock(16, 16);
            dim3 dimGrid((n + dimBlock.x - 1) / dimBlock.x, (m + dimBlock.y - 1) / dimBlock.y);
            matMulNaive<<<dimGrid, dimBlock>>>(A, B, C);
        });
        test("tiles of 16", m, n, k, [=](Matrix A, Matrix B, Matrix C) {
            matMulTiled<16><<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(A, B, C);
        });
        test("tiles of 32", m, n, k, [=](Matrix A, Matrix B, Matrix C) {
            matMulTiled<32><<<dim3((n + 31) / 32, (m + 31) / 32), dim3(32, 32)>>>(A, B, C);
        });
    }
    return passed();
}
