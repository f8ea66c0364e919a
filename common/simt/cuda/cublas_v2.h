/* Drop-in for cuBLAS's header of the same name: the most used functions on real vectors and
 * matrices, as plain loops on the CPU. Matrices are column-major. */
#ifndef SIMT_CUBLAS_V2_H
#define SIMT_CUBLAS_V2_H
/* The real header defines this, and NVIDIA's samples test it. */
#define CUBLAS_API_H_
#define CUBLAS_V2_H_

#include <stdint.h>

#include "cuda_runtime_api.h"
#include "library_types.h"
#ifdef __cplusplus
#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
extern "C" {
#endif

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VERSION 130000

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
    CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_TENSOR_OP_MATH = 1,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3,
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 } cublasGemmAlgo_t;
#define CUBLAS_GEMM_DFALT CUBLAS_GEMM_DEFAULT
#define CUBLAS_GEMM_DFALT_TENSOR_OP CUBLAS_GEMM_DEFAULT_TENSOR_OP
typedef enum {
    CUBLAS_COMPUTE_16F = 64,
    CUBLAS_COMPUTE_16F_PEDANTIC = 65,
    CUBLAS_COMPUTE_32F = 68,
    CUBLAS_COMPUTE_32F_PEDANTIC = 69,
    CUBLAS_COMPUTE_64F = 70,
    CUBLAS_COMPUTE_64F_PEDANTIC = 71,
    CUBLAS_COMPUTE_32I = 72,
    CUBLAS_COMPUTE_32I_PEDANTIC = 73,
    CUBLAS_COMPUTE_32F_FAST_16F = 74,
    CUBLAS_COMPUTE_32F_FAST_16BF = 75,
    CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef cudaDataType cublasDataType_t;

typedef struct cublasContext *cublasHandle_t;

cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t size);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);

cublasStatus_t cublasSetVector(int n, int size, const void *from, int from_step, void *to,
                               int to_step);
cublasStatus_t cublasGetVector(int n, int size, const void *from, int from_step, void *to,
                               int to_step);
cublasStatus_t cublasSetMatrix(int rows, int columns, int size, const void *from, int from_ld,
                               void *to, int to_ld);
cublasStatus_t cublasGetMatrix(int rows, int columns, int size, const void *from, int from_ld,
                               void *to, int to_ld);
cublasStatus_t cublasSetVectorAsync(int n, int size, const void *from, int from_step, void *to,
                                    int to_step, cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int size, const void *from, int from_step, void *to,
                                    int to_step, cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int columns, int size, const void *from, int from_ld,
                                    void *to, int to_ld, cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int columns, int size, const void *from, int from_ld,
                                    void *to, int to_ld, cudaStream_t stream);

#define SIMT_BLAS(S, s, T)                                                                         \
    cublasStatus_t cublas##S##dot(cublasHandle_t handle, int n, const T *x, int x_step,            \
                                  const T *y, int y_step, T *result);                              \
    cublasStatus_t cublas##S##nrm2(cublasHandle_t handle, int n, const T *x, int x_step,           \
                                   T *result);                                                     \
    cublasStatus_t cublas##S##asum(cublasHandle_t handle, int n, const T *x, int x_step,           \
                                   T *result);                                                     \
    cublasStatus_t cublas##S##axpy(cublasHandle_t handle, int n, const T *alpha, const T *x,       \
                                   int x_step, T *y, int y_step);                                  \
    cublasStatus_t cublas##S##scal(cublasHandle_t handle, int n, const T *alpha, T *x,             \
                                   int x_step);                                                    \
    cublasStatus_t cublas##S##copy(cublasHandle_t handle, int n, const T *x, int x_step, T *y,     \
                                   int y_step);                                                    \
    cublasStatus_t cublas##S##swap(cublasHandle_t handle, int n, T *x, int x_step, T *y,           \
                                   int y_step);                                                    \
    cublasStatus_t cublas##S##rot(cublasHandle_t handle, int n, T *x, int x_step, T *y,            \
                                  int y_step, const T *c, const T *s);                             \
    cublasStatus_t cublas##S##gemv(cublasHandle_t handle, cublasOperation_t operation, int m,      \
                                   int n, const T *alpha, const T *a, int lda, const T *x,         \
                                   int x_step, const T *beta, T *y, int y_step);                   \
    cublasStatus_t cublas##S##symv(cublasHandle_t handle, cublasFillMode_t fill, int n,            \
                                   const T *alpha, const T *a, int lda, const T *x, int x_step,    \
                                   const T *beta, T *y, int y_step);                               \
    cublasStatus_t cublas##S##ger(cublasHandle_t handle, int m, int n, const T *alpha, const T *x, \
                                  int x_step, const T *y, int y_step, T *a, int lda);              \
    cublasStatus_t cublas##S##trsv(cublasHandle_t handle, cublasFillMode_t fill,                   \
                                   cublasOperation_t operation, cublasDiagType_t diagonal, int n,  \
                                   const T *a, int lda, T *x, int x_step);                         \
    cublasStatus_t cublas##S##gemm(cublasHandle_t handle, cublasOperation_t operation_a,           \
                                   cublasOperation_t operation_b, int m, int n, int k,             \
                                   const T *alpha, const T *a, int lda, const T *b, int ldb,       \
                                   const T *beta, T *c, int ldc);                                  \
    cublasStatus_t cublas##S##gemmStridedBatched(                                                  \
        cublasHandle_t handle, cublasOperation_t operation_a, cublasOperation_t operation_b,       \
        int m, int n, int k, const T *alpha, const T *a, int lda, long long stride_a, const T *b,  \
        int ldb, long long stride_b, const T *beta, T *c, int ldc, long long stride_c,             \
        int batches);                                                                              \
    cublasStatus_t cublas##S##gemmBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t operation_a, cublasOperation_t operation_b,       \
        int m, int n, int k, const T *alpha, const T *const a[], int lda, const T *const b[],      \
        int ldb, const T *beta, T *const c[], int ldc, int batches);                               \
    cublasStatus_t cublas##S##geam(cublasHandle_t handle, cublasOperation_t operation_a,           \
                                   cublasOperation_t operation_b, int m, int n, const T *alpha,    \
                                   const T *a, int lda, const T *beta, const T *b, int ldb, T *c,  \
                                   int ldc);                                                       \
    cublasStatus_t cublasI##s##amax(cublasHandle_t handle, int n, const T *x, int x_step,          \
                                    int *result);                                                  \
    cublasStatus_t cublasI##s##amin(cublasHandle_t handle, int n, const T *x, int x_step,          \
                                    int *result);
SIMT_BLAS(S, s, float)
SIMT_BLAS(D, d, double)
#undef SIMT_BLAS

/* All types are equal, or x has halves and alpha is a float. */
cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType type_alpha, void *x, cudaDataType type, int step,
                            cudaDataType execution);

/* Supports f32, f64, f16 and bf16; and int8 and int32 with accumulators of type int. */
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t operation_a,
                            cublasOperation_t operation_b, int m, int n, int k, const void *alpha,
                            const void *a, cudaDataType type_a, int lda, const void *b,
                            cudaDataType type_b, int ldb, const void *beta, void *c,
                            cudaDataType type_c, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t operation_a,
                                          cublasOperation_t operation_b, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType type_a,
                                          int lda, long long stride_a, const void *b,
                                          cudaDataType type_b, int ldb, long long stride_b,
                                          const void *beta, void *c, cudaDataType type_c, int ldc,
                                          long long stride_c, int batches,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t operation_a,
                             cublasOperation_t operation_b, int m, int n, int k, const float *alpha,
                             const void *a, cudaDataType type_a, int lda, const void *b,
                             cudaDataType type_b, int ldb, const float *beta, void *c,
                             cudaDataType type_c, int ldc);

#ifdef __cplusplus
}

inline cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t operation_a,
                                  cublasOperation_t operation_b, int m, int n, int k,
                                  const __half *alpha, const __half *a, int lda, const __half *b,
                                  int ldb, const __half *beta, __half *c, int ldc)
{
    return cublasGemmEx(handle, operation_a, operation_b, m, n, k, alpha, a, CUDA_R_16F, lda, b,
                        CUDA_R_16F, ldb, beta, c, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F,
                        CUBLAS_GEMM_DEFAULT);
}

inline cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle,
                                                cublasOperation_t operation_a,
                                                cublasOperation_t operation_b, int m, int n, int k,
                                                const __half *alpha, const __half *a, int lda,
                                                long long stride_a, const __half *b, int ldb,
                                                long long stride_b, const __half *beta, __half *c,
                                                int ldc, long long stride_c, int batches)
{
    return cublasGemmStridedBatchedEx(handle, operation_a, operation_b, m, n, k, alpha, a,
                                      CUDA_R_16F, lda, stride_a, b, CUDA_R_16F, ldb, stride_b, beta,
                                      c, CUDA_R_16F, ldc, stride_c, batches, CUBLAS_COMPUTE_16F,
                                      CUBLAS_GEMM_DEFAULT);
}

/* CUDA's overload for older programs, which give the accumulator type as a data type. */
inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t operation_a,
                                   cublasOperation_t operation_b, int m, int n, int k,
                                   const void *alpha, const void *a, cudaDataType type_a, int lda,
                                   const void *b, cudaDataType type_b, int ldb, const void *beta,
                                   void *c, cudaDataType type_c, int ldc, cudaDataType sums,
                                   cublasGemmAlgo_t algorithm)
{
    return cublasGemmEx(handle, operation_a, operation_b, m, n, k, alpha, a, type_a, lda, b, type_b,
                        ldb, beta, c, type_c, ldc,
                        sums == CUDA_R_64F   ? CUBLAS_COMPUTE_64F
                        : sums == CUDA_R_16F ? CUBLAS_COMPUTE_16F
                        : sums == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                                             : CUBLAS_COMPUTE_32F,
                        algorithm);
}
#endif

#define cublasCreate_v2 cublasCreate
#define cublasDestroy_v2 cublasDestroy
#define cublasSetStream_v2 cublasSetStream
#define cublasSgemm_v2 cublasSgemm
#define cublasDgemm_v2 cublasDgemm

#endif
