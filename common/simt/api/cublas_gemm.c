/* cuBLAS's matrix products. Both matrices are packed, as floats or, for sums in double or int, as
 * doubles; sums are made in that type, in the order of k. */
#include <math.h>
#include <stdlib.h>

#include "api/cublas.h"
#include "api/errors.h"
#include "cuda/simt_ptx_runtime.h"
#include "memory/memory.h"

/* ---- numbers ---- */

static size_t size_of(cudaDataType type)
{
    switch (type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_R_64F:
        return 8;
    default:
        return 0; /* not known */
    }
}

/* Of 16 bits, as PTX's conversions have them. */
static unsigned int small_type(cudaDataType type)
{
    return type == CUDA_R_16F ? SIMT_PTX_F16 : SIMT_PTX_BF16;
}

static double get(const void *from, cudaDataType type, size_t index)
{
    switch (type) {
    case CUDA_R_8I:
        return ((const int8_t *)from)[index];
    case CUDA_R_32I:
        return ((const int32_t *)from)[index];
    case CUDA_R_32F:
        return (double)((const float *)from)[index];
    case CUDA_R_64F:
        return ((const double *)from)[index];
    default: {
        const uint64_t bits =
            simt_ptx_convert(SIMT_PTX_F32, small_type(type), 0, ((const uint16_t *)from)[index], 0);
        float value;
        memcpy(&value, &(uint32_t){(uint32_t)bits}, sizeof value);
        return (double)value;
    }
    }
}

static void put(void *to, cudaDataType type, size_t index, double value)
{
    switch (type) {
    case CUDA_R_8I:
        ((int8_t *)to)[index] = (int8_t)fmax(-128, fmin(127, nearbyint(value)));
        break;
    case CUDA_R_32I:
        ((int32_t *)to)[index] = (int32_t)value;
        break;
    case CUDA_R_32F:
        ((float *)to)[index] = (float)value;
        break;
    case CUDA_R_64F:
        ((double *)to)[index] = value;
        break;
    default: {
        const float rounded = (float)value;
        uint32_t bits;
        memcpy(&bits, &rounded, sizeof bits);
        ((uint16_t *)to)[index] =
            (uint16_t)simt_ptx_convert(small_type(type), SIMT_PTX_F32, m_rn, bits, 0);
    }
    }
}

/* ---- the product ---- */

struct gemm {
    bool transposed_a, transposed_b;
    int m, n, k;
    cudaDataType type_a, type_b, type_c;
    int lda, ldb, ldc;
    bool exact; /* sums in double */
    double alpha, beta;
};

static size_t index_of(int row, int column, int ld, bool transposed)
{
    return transposed ? (size_t)row * (size_t)ld + (size_t)column
                      : (size_t)column * (size_t)ld + (size_t)row;
}

#define COLUMN(T)                                                                                  \
    static void add_column_##T(const struct gemm *g, const T *a, const void *b, int column,        \
                               T *sums)                                                            \
    {                                                                                              \
        for (int i = 0; i < g->m; i++) {                                                           \
            sums[i] = 0;                                                                           \
        }                                                                                          \
        for (int l = 0; l < g->k; l++) {                                                           \
            const T factor = (T)get(b, g->type_b, index_of(l, column, g->ldb, g->transposed_b));   \
            const T *from = a + (size_t)l * (size_t)g->m;                                          \
            for (int i = 0; i < g->m; i++) {                                                       \
                sums[i] += factor * from[i];                                                       \
            }                                                                                      \
        }                                                                                          \
    }
COLUMN(float)
COLUMN(double)

/* A by columns, then room for a column of C. */
static void *packed(const struct gemm *g, const void *a)
{
    const size_t m = (size_t)g->m, k = (size_t)g->k;
    void *to = malloc((m * k + m + 1) * (g->exact ? sizeof(double) : sizeof(float)));
    for (size_t l = 0; to && l < k; l++) {
        for (size_t i = 0; i < m; i++) {
            const double value =
                get(a, g->type_a, index_of((int)i, (int)l, g->lda, g->transposed_a));
            put(to, g->exact ? CUDA_R_64F : CUDA_R_32F, l * m + i, value);
        }
    }
    return to;
}

static bool multiply(const struct gemm *g, const void *a, const void *b, void *c)
{
    const size_t m = (size_t)g->m, sums_at = m * (size_t)g->k;
    void *from = packed(g, a);
    if (!from) {
        return false;
    }
    for (int j = 0; j < g->n; j++) {
        if (g->exact) {
            add_column_double(g, from, b, j, (double *)from + sums_at);
        } else {
            add_column_float(g, from, b, j, (float *)from + sums_at);
        }
        for (size_t i = 0; i < m; i++) {
            const size_t at = (size_t)j * (size_t)g->ldc + i;
            const double sum =
                g->exact ? ((double *)from)[sums_at + i] : (double)((float *)from)[sums_at + i];
            put(c, g->type_c, at,
                g->alpha * sum + (g->beta == 0 ? 0 : g->beta * get(c, g->type_c, at)));
        }
    }
    free(from);
    return true;
}

/* ---- batches ---- */

struct batches {
    int count;
    long long stride_a, stride_b, stride_c; /* in elements */
    const void *const *a, *const *b;        /* or pointers, in memory of the device */
    void *const *c;
};

struct operands {
    const void *a, *b;
    void *c;
};

static struct operands operands_of(const struct gemm *g, const struct operands *given,
                                   const struct batches *batches, int batch)
{
    if (batches->a) {
        struct operands pointed;
        simt_memory_open();
        pointed = (struct operands){batches->a[batch], batches->b[batch], batches->c[batch]};
        simt_memory_close();
        return pointed;
    }
    return (struct operands){
        (const char *)given->a + batch * batches->stride_a * (long long)size_of(g->type_a),
        (const char *)given->b + batch * batches->stride_b * (long long)size_of(g->type_b),
        (char *)given->c + batch * batches->stride_c * (long long)size_of(g->type_c)};
}

static bool is_valid(const struct gemm *g)
{
    return g->m >= 0 && g->n >= 0 && g->k >= 0 && g->lda >= (g->transposed_a ? g->k : g->m) &&
           g->ldb >= (g->transposed_b ? g->n : g->k) && g->ldc >= g->m;
}

static cublasStatus_t run(const struct simt_blas_call *call, const struct gemm *g,
                          const struct operands *given, const struct batches *batches)
{
    if (!simt_blas_exists(call->handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (!size_of(g->type_a) || !size_of(g->type_b) || !size_of(g->type_c)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (!is_valid(g) || batches->count < 0) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    for (int batch = 0; batch < batches->count && g->m > 0 && g->n > 0; batch++) {
        const struct operands at = operands_of(g, given, batches, batch);
        const struct simt_operand out =
            simt_matrix("C", at.c, g->m, g->n, g->ldc, size_of(g->type_c));
        const struct simt_operand in[] = {
            simt_matrix("A", at.a, g->transposed_a ? g->k : g->m, g->transposed_a ? g->m : g->k,
                        g->lda, size_of(g->type_a)),
            simt_matrix("B", at.b, g->transposed_b ? g->n : g->k, g->transposed_b ? g->k : g->n,
                        g->ldb, size_of(g->type_b))};
        cublasStatus_t status = simt_blas_begin(call, &out, in, 2);
        if (status != CUBLAS_STATUS_SUCCESS) {
            return status;
        }
        status = multiply(g, at.a, at.b, at.c) ? status : CUBLAS_STATUS_ALLOC_FAILED;
        simt_blas_end(call, &out);
        if (status != CUBLAS_STATUS_SUCCESS) {
            return status;
        }
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* The factors, of the type of the sums. */
static bool read_factors(struct gemm *g, const void *alpha, const void *beta, cudaDataType type)
{
    uint64_t bits[2] = {0, 0};
    if (!alpha || !beta) {
        return false;
    }
    simt_memory_open();
    simt_blas_scalar(&bits[0], alpha, size_of(type));
    simt_blas_scalar(&bits[1], beta, size_of(type));
    simt_memory_close();
    g->alpha = get(&bits[0], type, 0);
    g->beta = get(&bits[1], type, 0);
    return true;
}

/* ---- what programs call ---- */

static const struct batches one = {.count = 1};

#define SHAPE(type)                                                                                \
    struct gemm g = {operation_a != CUBLAS_OP_N,                                                   \
                     operation_b != CUBLAS_OP_N,                                                   \
                     m,                                                                            \
                     n,                                                                            \
                     k,                                                                            \
                     type,                                                                         \
                     type,                                                                         \
                     type,                                                                         \
                     lda,                                                                          \
                     ldb,                                                                          \
                     ldc,                                                                          \
                     type == CUDA_R_64F,                                                           \
                     0,                                                                            \
                     0};                                                                           \
    SIMT_BLAS_CALL(handle);                                                                        \
    if (!read_factors(&g, alpha, beta, type)) {                                                    \
        return CUBLAS_STATUS_INVALID_VALUE;                                                        \
    }

#define PRODUCTS(S, T, type)                                                                       \
    cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t operation_a,           \
                                   cublasOperation_t operation_b, int m, int n, int k,             \
                                   const T *alpha, const T *a, int lda, const T *b, int ldb,       \
                                   const T *beta, T *c, int ldc)                                   \
    {                                                                                              \
        SIMT_API;                                                                                  \
        SHAPE(type)                                                                                \
        return run(&call, &g, &(struct operands){a, b, c}, &one);                                  \
    }                                                                                              \
    cublasStatus_t cublas##S##gemmStridedBatched(                                                  \
        cublasHandle_t handle, cublasOperation_t operation_a, cublasOperation_t operation_b,       \
        int m, int n, int k, const T *alpha, const T *a, int lda, long long stride_a, const T *b,  \
        int ldb, long long stride_b, const T *beta, T *c, int ldc, long long stride_c,             \
        int batches)                                                                               \
    {                                                                                              \
        const struct batches all = {batches, stride_a, stride_b, stride_c, NULL, NULL, NULL};      \
        SIMT_API;                                                                                  \
        SHAPE(type)                                                                                \
        return run(&call, &g, &(struct operands){a, b, c}, &all);                                  \
    }                                                                                              \
    cublasStatus_t cublas##S##gemmBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t operation_a, cublasOperation_t operation_b,       \
        int m, int n, int k, const T *alpha, const T *const a[], int lda, const T *const b[],      \
        int ldb, const T *beta, T *const c[], int ldc, int batches)                                \
    {                                                                                              \
        const struct batches all = {                                                               \
            batches, 0, 0, 0, (const void *const *)a, (const void *const *)b, (void *const *)c};   \
        SIMT_API;                                                                                  \
        SHAPE(type)                                                                                \
        return run(&call, &g, NULL, &all);                                                         \
    }
PRODUCTS(S, float, CUDA_R_32F)
PRODUCTS(D, double, CUDA_R_64F)

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t operation_a,
                                          cublasOperation_t operation_b, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType type_a,
                                          int lda, long long stride_a, const void *b,
                                          cudaDataType type_b, int ldb, long long stride_b,
                                          const void *beta, void *c, cudaDataType type_c, int ldc,
                                          long long stride_c, int batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    const bool halves = compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC;
    const bool whole = compute == CUBLAS_COMPUTE_32I || compute == CUBLAS_COMPUTE_32I_PEDANTIC;
    const bool doubles = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
    struct gemm g = {operation_a != CUBLAS_OP_N,
                     operation_b != CUBLAS_OP_N,
                     m,
                     n,
                     k,
                     type_a,
                     type_b,
                     type_c,
                     lda,
                     ldb,
                     ldc,
                     whole || doubles,
                     0,
                     0};
    const struct batches all = {batches, stride_a, stride_b, stride_c, NULL, NULL, NULL};
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    (void)algorithm;
    if (!read_factors(&g, alpha, beta,
                      halves    ? CUDA_R_16F
                      : whole   ? CUDA_R_32I
                      : doubles ? CUDA_R_64F
                                : CUDA_R_32F)) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    return run(&call, &g, &(struct operands){a, b, c}, &all);
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t operation_a,
                            cublasOperation_t operation_b, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType type_a, int lda, const void *b,
                            cudaDataType type_b, int ldb, const void *beta, void *c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm)
{
    SIMT_API;
    return cublasGemmStridedBatchedEx(handle, operation_a, operation_b, m, n, k, alpha, a, type_a,
                                      lda, 0, b, type_b, ldb, 0, beta, c, type_c, ldc, 0, 1,
                                      compute, algorithm);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t operation_a,
                             cublasOperation_t operation_b, int m, int n, int k, const float *alpha,
                             const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const float *beta, void *c,
                             cudaDataType type_c, int ldc)
{
    SIMT_API;
    return cublasGemmEx(handle, operation_a, operation_b, m, n, k, alpha, a, type_a, lda, b, type_b,
                        ldb, beta, c, type_c, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}
