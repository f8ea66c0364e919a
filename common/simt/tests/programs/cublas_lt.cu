// cuBLASLt: products with explicit layouts, row-major and column-major, batches, biases and
// activation functions.
#include <cmath>
#include <cublasLt.h>
#include <cuda_fp16.h>

#include "check_blas.cuh"

template <class T>
cudaDataType typeOf();
template <>
cudaDataType typeOf<float>()
{
    return CUDA_R_32F;
}
template <>
cudaDataType typeOf<__half>()
{
    return CUDA_R_16F;
}

// A matrix of small integers: element (i, j) of batch b.
static float element(int seed, int b, int i, int j)
{
    return (float)((seed * 7 + b * 5 + i * 3 + j * 2) % 5 - 2);
}

struct Matrix {
    int rows, columns, ld, batches;
    bool byRows;
    int seed;

    int stride() const
    {
        return ld * (byRows ? rows : columns) + 3;
    }
    size_t at(int b, int i, int j) const
    {
        return (size_t)b * stride() + (byRows ? i * ld + j : j * ld + i);
    }
    template <class T>
    std::vector<T> values() const
    {
        std::vector<T> all((size_t)stride() * batches);
        for (int b = 0; b < batches; b++) {
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < columns; j++)
                    all[at(b, i, j)] = T(element(seed, b, i, j));
        }
        return all;
    }
    template <class T>
    cublasLtMatrixLayout_t layout() const
    {
        cublasLtMatrixLayout_t made;
        const cublasLtOrder_t order = CUBLASLT_ORDER_ROW;
        const int64_t offset = stride();
        BLAS(cublasLtMatrixLayoutCreate(&made, typeOf<T>(), rows, columns, ld));
        if (byRows) {
            BLAS(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                                  sizeof order));
        }
        if (batches > 1) {
            BLAS(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                                                  &batches, sizeof batches));
            BLAS(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                  &offset, sizeof offset));
        }
        return made;
    }
};

static float applied(cublasLtEpilogue_t epilogue, float value, float bias)
{
    value += epilogue & CUBLASLT_EPILOGUE_BIAS ? bias : 0;
    if (epilogue & CUBLASLT_EPILOGUE_RELU)
        return value < 0 ? 0 : value;
    if (epilogue & CUBLASLT_EPILOGUE_GELU) {
        const float inner = 0.7978845608f * (value + 0.044715f * value * value * value);
        return 0.5f * value * (1 + tanhf(inner));
    }
    return value;
}

// D = epilogue(2 op(A) op(B) - C), in a stream, with the algorithm that the heuristic proposes. m =
// 5, n = 6, k = 7.
template <class T>
static void testProduct(cublasLtHandle_t handle, bool transposedA, bool transposedB, bool byRows,
                        int batches, cublasLtEpilogue_t epilogue, bool inPlace)
{
    const int m = 5, n = 6, k = 7;
    const auto matrix = [&](int rows, int columns, int seed) {
        return Matrix{rows, columns, (byRows ? columns : rows) + seed, batches, byRows, seed};
    };
    const Matrix a = transposedA ? matrix(k, m, 1) : matrix(m, k, 1);
    const Matrix b = transposedB ? matrix(n, k, 2) : matrix(k, n, 2);
    const Matrix c = matrix(m, n, 3), d = inPlace ? c : matrix(m, n, 4);
    const cublasOperation_t operations[] = {transposedA ? CUBLAS_OP_T : CUBLAS_OP_N,
                                            transposedB ? CUBLAS_OP_T : CUBLAS_OP_N};
    T *da = onDevice(a.values<T>()), *db = onDevice(b.values<T>()), *dc = onDevice(c.values<T>());
    T *dd = inPlace ? dc : onDevice(d.values<T>());
    std::vector<T> biases;
    for (int i = 0; i < m; i++)
        biases.push_back(T(float(i - 2)));
    T *bias = onDevice(biases);
    cublasLtMatrixLayout_t layouts[] = {a.layout<T>(), b.layout<T>(), c.layout<T>(), d.layout<T>()};
    cublasLtMatmulDesc_t desc;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result = {};
    int results = 0;
    const float alpha = 2, beta = -1;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));

    BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &operations[0],
                                        sizeof operations[0]));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &operations[1],
                                        sizeof operations[1]));
    BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                        sizeof epilogue));
    if (epilogue & CUBLASLT_EPILOGUE_BIAS) {
        BLAS(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
                                            sizeof bias));
    }
    BLAS(cublasLtMatmulPreferenceCreate(&preference));
    BLAS(cublasLtMatmulAlgoGetHeuristic(handle, desc, layouts[0], layouts[1], layouts[2],
                                        layouts[3], preference, 1, &result, &results));
    EXPECT(results == 1 && result.state == CUBLAS_STATUS_SUCCESS && result.workspaceSize == 0);
    BLAS(cublasLtMatmul(handle, desc, &alpha, da, layouts[0], db, layouts[1], &beta, dc, layouts[2],
                        dd, layouts[3], &result.algo, NULL, 0, stream));
    CHECK(cudaStreamSynchronize(stream));

    const std::vector<T> found = onHost(dd, (size_t)d.stride() * batches);
    bool equal = true;
    for (int batch = 0; batch < batches; batch++) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                float sum = 0;
                for (int p = 0; p < k; p++) {
                    sum += (transposedA ? element(1, batch, p, i) : element(1, batch, i, p)) *
                           (transposedB ? element(2, batch, j, p) : element(2, batch, p, j));
                }
                const float wanted =
                    applied(epilogue, 2 * sum - element(3, batch, i, j), float(i - 2));
                const float error = fabsf(float(found[d.at(batch, i, j)]) - wanted);
                equal = equal && error <= (epilogue & CUBLASLT_EPILOGUE_GELU ? 0.03f : 0);
            }
        }
    }
    EXPECT(equal);
    for (cublasLtMatrixLayout_t layout : layouts)
        BLAS(cublasLtMatrixLayoutDestroy(layout));
    BLAS(cublasLtMatmulPreferenceDestroy(preference));
    BLAS(cublasLtMatmulDescDestroy(desc));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    CHECK(cudaFree(bias));
    if (!inPlace)
        CHECK(cudaFree(dd));
}

// Descriptions that do not fit together, and queries.
static void testDescriptions(cublasLtHandle_t handle)
{
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, c;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t result;
    const float alpha = 1, beta = 0;
    int results = 7;
    uint64_t rows = 0;
    size_t written = 0;
    float *memory;
    CHECK(cudaMalloc(&memory, 3 * 64 * sizeof(float)));

    BLAS(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    BLAS(cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, 8, 4, 8));
    BLAS(cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, 5, 8, 5)); // only 4 rows would fit
    BLAS(cublasLtMatrixLayoutCreate(&c, CUDA_R_32F, 8, 8, 8));
    BLAS(cublasLtMatmulPreferenceCreate(&preference));
    BLAS(cublasLtMatrixLayoutGetAttribute(b, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows,
                                          &written));
    EXPECT(rows == 5 && written == sizeof rows);
    BLAS(cublasLtMatrixLayoutGetAttribute(b, CUBLASLT_MATRIX_LAYOUT_LD, NULL, 0, &written));
    EXPECT(written == 8);
    EXPECT(cublasLtMatrixLayoutSetAttribute(b, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 1) ==
           CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasLtMatmul(handle, desc, &alpha, memory, a, memory + 64, b, &beta, memory + 128, c,
                          memory + 128, c, NULL, NULL, 0, 0) == CUBLAS_STATUS_INVALID_VALUE);
    EXPECT(cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, c, c, preference, 1, &result,
                                          &results) != CUBLAS_STATUS_SUCCESS);
    rows = 4;
    BLAS(cublasLtMatrixLayoutSetAttribute(b, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows));
    BLAS(
        cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, c, c, preference, 1, &result, &results));
    EXPECT(results == 1);
    BLAS(cublasLtMatmul(handle, desc, &alpha, memory, a, memory + 64, b, &beta, memory + 128, c,
                        memory + 128, c, NULL, NULL, 0, 0));
    CHECK(cudaDeviceSynchronize());
    BLAS(cublasLtMatmulPreferenceDestroy(preference));
    BLAS(cublasLtMatmulDescDestroy(desc));
    BLAS(cublasLtMatrixLayoutDestroy(a));
    BLAS(cublasLtMatrixLayoutDestroy(b));
    BLAS(cublasLtMatrixLayoutDestroy(c));
    CHECK(cudaFree(memory));
}

int main()
{
    cublasLtHandle_t handle;
    BLAS(cublasLtCreate(&handle));
    for (int which = 0; which < 8; which++) {
        testProduct<float>(handle, which & 1, which & 2, which & 4, 1, CUBLASLT_EPILOGUE_DEFAULT,
                           false);
    }
    testProduct<float>(handle, true, false, false, 3, CUBLASLT_EPILOGUE_DEFAULT, false);
    testProduct<float>(handle, false, true, true, 3, CUBLASLT_EPILOGUE_DEFAULT, true);
    for (cublasLtEpilogue_t epilogue :
         {CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS,
          CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS}) {
        testProduct<float>(handle, true, false, false, 1, epilogue, false);
        testProduct<__half>(handle, true, false, false, 1, epilogue, true);
    }
    testDescriptions(handle);
    BLAS(cublasLtDestroy(handle));
    return passed();
}
