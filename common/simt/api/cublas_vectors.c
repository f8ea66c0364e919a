/* cuBLAS on vectors, and on a matrix and vectors. */
#include <math.h>

#include "api/cublas.h"
#include "api/errors.h"
#include "memory/memory.h"

/* The element of a vector, which a negative step reads from its end. */
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
/* SPDX-License-Identifier: MIT */
