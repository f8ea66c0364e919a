// cuBLAS host calls: vectors, matrix times vector, products in all layouts, batches, types.
#include <cmath>
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "check_blas.cuh"

static void testVectors(cublasHandle_t handle)
{
    const std::vector<float> x = {1, -2, 3, -7}, y = {4, 5, 6, 1};
    float *dx = onDevice(x), *dy = onDevice(y), result = 0, two = 2;
    int index = 0;
    BLAS(cublasSdot(handle, 4, dx, 1, dy, 1, &result));
    EXPECT(result == 4 - 10 + 18 - 7);
    BLAS(cublasSasum(handle, 4, dx, 1, &result));
    EXPECT(result == 13);
    BLAS(cublasSnrm2(handle, 4, dx, 1, &result));
    EXPECT(fabsf(result - sqrtf(63)) < 1e-5f);
    BLAS(cublasIsamax(handle, 4, dx, 1, &index));
    EXPECT(index == 4);                               // counted from 1
    BLAS(cublasSaxpy(handle, 2, &two, dx, 2, dy, 1)); // adds to elements 1 and 3
    EXPECT((onHost(dy, 4) == std::vector<float>{6, 11, 6, 1}));
    BLAS(cublasSscal(handle, 4, &two, dx, 1));
    EXPECT((onHost(dx, 4) == std::vector<float>{2, -4, 6, -14}));
    // A result in device memory.
    float *sum;
    CHECK(cudaMalloc(&sum, sizeof(float)));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    BLAS(cublasSdot(handle, 4, dx, 1, dx, 1, sum));
    BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    EXPECT(onHost(sum, 1)[0] == 4 + 16 + 36 + 196);
    CHECK(cudaFree(sum));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
}

static void testMatrixVector(cublasHandle_t handle)
{
    // A column-major 2 x 3 matrix with the rows (1 3 5) and (2 4 6).
    const std::vector<double> a = {1, 2, 3, 4, 5, 6}, x = {1, 1, 2}, y = {10, 20, 30};
    double *da = onDevice(a), *dx = onDevice(x), *dy = onDevice(y), one = 1, zero = 0;
    BLAS(cublasDgemv(handle, CUBLAS_OP_N, 2, 3, &one, da, 2, dx, 1, &one, dy, 1));
    EXPECT((onHost(dy, 3) == std::vector<double>{24, 38, 30}));
    BLAS(cublasDgemv(handle, CUBLAS_OP_T, 2, 3, &one, da, 2, dx, 1, &zero, dy, 1));
    EXPECT((onHost(dy, 3) == std::vector<double>{3, 7, 11}));
    BLAS(cublasDger(handle, 2, 3, &one, dx, 1, dx, 1, da, 2));
    EXPECT((onHost(da, 6) == std::vector<double>{2, 3, 4, 5, 7, 8}));
    // The transpose of the matrix.
    double *dt;
    CHECK(cudaMalloc(&dt, 6 * sizeof(double)));
    BLAS(cublasDgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 2, &one, da, 2, &zero, dt, 3, dt, 3));
    EXPECT((onHost(dt, 6) == std::vector<double>{2, 4, 7, 3, 5, 8}));
    EXPECT(cublasDgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, 6, 1, &one, dt, 6, &one, dt, 5, dt, 6) ==
           CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cudaFree(dt));
    CHECK(cudaFree(da));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));
}

// Column-major, with small whole numbers so that every sum is exact.
static float element(int row, int column)
{
    return (row * 7 + column * 3) % 5 - 2;
}

static void testProducts(cublasHandle_t handle)
{
    const int M = 5, N = 4, K = 7;
    for (int layouts = 0; layouts < 4; layouts++) {
        const bool ta = layouts & 1, tb = layouts & 2;
        const int lda = (ta ? K : M) + 1, ldb = (tb ? N : K) + 2, ldc = M + 3;
        std::vector<float> a(lda * (ta ? M : K)), b(ldb * (tb ? K : N)), c(ldc * N, 1);
        for (int i = 0; i < M; i++)
            for (int l = 0; l < K; l++)
                a[ta ? i * lda + l : l * lda + i] = element(i, l);
        for (int l = 0; l < K; l++)
            for (int j = 0; j < N; j++)
                b[tb ? l * ldb + j : j * ldb + l] = element(l, j);
        float *da = onDevice(a), *db = onDevice(b), *dc = onDevice(c), alpha = 2, beta = 3;
        BLAS(cublasSgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, M,
                         N, K, &alpha, da, lda, db, ldb, &beta, dc, ldc));
        c = onHost(dc, c.size());
        for (int j = 0; j < N; j++) {
            for (int i = 0; i < ldc; i++) {
                float sum = 0;
                for (int l = 0; l < K; l++)
                    sum += element(i, l) * element(l, j);
                EXPECT(c[j * ldc + i] == (i < M ? 2 * sum + 3 : 1));
            }
        }
        CHECK(cudaFree(da));
        CHECK(cudaFree(db));
        CHECK(cudaFree(dc));
    }
}

// Two products of 2 x 2 halves, sums in float.
static void testTypes(cublasHandle_t handle)
{
    std::vector<__half> a(8), b(8);
    for (int i = 0; i < 8; i++) {
        a[i] = __float2half(i);
        b[i] = __float2half(i % 3);
    }
    __half *da = onDevice(a), *db = onDevice(b);
    float *dc, alpha = 1, beta = 0;
    CHECK(cudaMalloc(&dc, 8 * sizeof(float)));
    BLAS(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, da,
                                    CUDA_R_16F, 2, 4, db, CUDA_R_16F, 2, 4, &beta, dc, CUDA_R_32F,
                                    2, 4, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    EXPECT((onHost(dc, 8) == std::vector<float>{2, 3, 0, 2, 16, 19, 6, 7}));
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
}

// Large enough to be cached: repeated with a different C, then with a different A and factor.
static void testAgain(cublasHandle_t handle)
{
    enum { N = 480 };
    std::vector<float> a(N * N), b(N * N), c(N * N, 3);
    float *da, *db, *dc = onDevice(c), factors[] = {1, 0, -2};
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 7 - 3);
        b[i] = (float)(i % 11 - 5);
    }
    da = onDevice(a);
    db = onDevice(b);
    for (int time = 0; time < 4; time++) {
        const float *alpha = &factors[time == 3 ? 2 : 0], *beta = &factors[time == 1 ? 0 : 1];
        if (time == 2) {
            a[1] += 1;
            CHECK(cudaMemcpy(da, a.data(), N * N * sizeof(float), cudaMemcpyHostToDevice));
        }
        BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, N, N, N, alpha, da, N, db, N, beta, dc,
                         N));
        const std::vector<float> found = onHost(dc, N * N);
        for (int at : {0, 1, N + 1, 7 * N + 3, N * N - 1}) {
            float sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[k * N + at % N] * b[at / N * N + k];
            EXPECT(found[at] == *alpha * sum + (time == 1 ? sum : 0));
        }
    }
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
}

static void testScales(cublasHandle_t handle)
{
    const float half = 0.5f;
    __half *small = onDevice(std::vector<__half>{__float2half(6), __float2half(8)});
    BLAS(cublasScalEx(handle, 1, &half, CUDA_R_32F, small, CUDA_R_16F, 1, CUDA_R_32F));
    EXPECT(__half2float(onHost(small, 2)[0]) == 3 && __half2float(onHost(small, 2)[1]) == 8);
    EXPECT(cublasScalEx(handle, 1, &half, CUDA_R_32F, small, CUDA_R_64F, 1, CUDA_R_64F) ==
           CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(cudaFree(small));
}

int main()
{
    cublasHandle_t handle;
    cudaStream_t stream;
    cublasLtHandle_t light;
    BLAS(cublasLtCreate(&light));
    BLAS(cublasLtDestroy(light));
    BLAS(cublasCreate(&handle));
    CHECK(cudaStreamCreate(&stream));
    testVectors(handle);
    BLAS(cublasSetStream(handle, stream));
    testMatrixVector(handle);
    CHECK(cudaStreamSynchronize(stream));
    BLAS(cublasSetStream(handle, nullptr));
    testProducts(handle);
    testTypes(handle);
    testAgain(handle);
    testScales(handle);
    BLAS(cublasDestroy(handle));
    CHECK(cudaStreamDestroy(stream));
    return passed();
}
