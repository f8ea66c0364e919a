/* cuBLAS operations on vectors, and on a matrix and vectors. */
#include <math.h>

#include "api/cublas.h"
#include "api/cublas_numbers.h"
#include "api/errors.h"
#include "memory/memory.h"

/* The index of element i. If the step is negative, the vector is read from its end. */
static size_t at(int i, int n, int step)
{
    return (size_t)(step < 0 ? (long long)(i - n + 1) * step : (long long)i * step);
}

#define BEGIN(out, ...)                                                                            \
    const struct simt_operand in[] = {__VA_ARGS__};                                                \
    cublasStatus_t status = simt_blas_begin(&call, out, in, sizeof in / sizeof *in);               \
    if (status != CUBLAS_STATUS_SUCCESS) {                                                         \
        return status;                                                                             \
    }
#define VECTOR(name, x, n, step) simt_vector(name, x, n, step, sizeof *(x))
#define MATRIX(name, a, m, n, ld) simt_matrix(name, a, m, n, ld, sizeof *(a))
#define NEEDS(condition)                                                                           \
    if (!(condition)) {                                                                            \
        return CUBLAS_STATUS_INVALID_VALUE;                                                        \
    }

#define T float
#define FUNCTION(name) cublasS##name
#define INDEX_FUNCTION(name) cublasIs##name
#define EXTREME extreme_of_floats
#include "api/cublas_of_type.h"
#undef T
#undef FUNCTION
#undef INDEX_FUNCTION
#undef EXTREME

#define T double
#define FUNCTION(name) cublasD##name
#define INDEX_FUNCTION(name) cublasId##name
#define EXTREME extreme_of_doubles
#include "api/cublas_of_type.h"

/* The combinations of types in NVIDIA's table. */
static bool scales(cudaDataType alpha, cudaDataType x, cudaDataType execution)
{
    const bool half = x == CUDA_R_16F || x == CUDA_R_16BF;
    return (half || x == CUDA_R_32F || x == CUDA_R_64F) && alpha == (half ? CUDA_R_32F : x) &&
           execution == alpha;
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void *alpha,
                            cudaDataType type_alpha, void *x, cudaDataType type, int step,
                            cudaDataType execution)
{
    SIMT_API;
    SIMT_BLAS_CALL(handle);
    const struct simt_operand out = simt_vector("x", x, n, step, simt_number_size(type));
    uint64_t bits = 0;
    double factor;
    if (!scales(type_alpha, type, execution)) {
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    NEEDS(alpha);
    simt_memory_open();
    simt_blas_scalar(&bits, alpha, simt_number_size(type_alpha));
    simt_memory_close();
    factor = simt_number_get(&bits, type_alpha, 0);
    BEGIN(&out, out);
    for (int i = 0; i < n; i++) {
        const size_t to = (size_t)i * (size_t)(step < 0 ? -step : step);
        simt_number_put(x, type, to, factor * simt_number_get(x, type, to));
    }
    return simt_blas_end(&call, &out);
}
/* SPDX-License-Identifier: MIT */
