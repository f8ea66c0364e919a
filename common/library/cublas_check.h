/* Checks what cuBLAS and the CUDA runtime return, in the files that call cuBLAS. A rung cannot
 * return an error, so the program ends here, with the runner's exit code. */
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
