/* Drop-in for cuBLASLt's header: handles alone, for programs that make one and need no more.
 * simtcc refuses products by name. */
#ifndef SIMT_CUBLAS_LT_H
#define SIMT_CUBLAS_LT_H

#include "cublas_v2.h"

/* As in CUDA, a handle of cuBLAS is one of cuBLASLt, too. */
typedef cublasHandle_t cublasLtHandle_t;

static inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    return cublasCreate(handle);
}

static inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    return cublasDestroy(handle);
}

#endif
