/* What cuBLAS and the CUDA runtime return, in the files that call cuBLAS. A rung has no way to
 * report an error: end as the runner would. */
#ifndef RUNGS_CUBLAS_CHECK_H
#define RUNGS_CUBLAS_CHECK_H

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

static inline void check_cuda(cudaError_t status, const char *call)
{
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "cublas: %s: %s (%s)\n", call, cudaGetErrorString(status),
            cudaGetErrorName(status));
    exit(EXIT_DEVICE_ERROR);
}

static inline void check(cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return;
    fprintf(stderr, "cublas: %s: %s\n", call, cublasGetStatusString(status));
    exit(EXIT_DEVICE_ERROR);
}

#endif
