/* Checks the status of cuBLAS's calls, as cuda_check.h does for the CUDA runtime. */
#ifndef RUNGS_CUBLAS_CHECK_H
#define RUNGS_CUBLAS_CHECK_H

#include <cublas_v2.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/gpu.h"
#include "library/cuda_check.h"

static inline void check(cublasStatus_t status, const char *call)
{
    if (status == CUBLAS_STATUS_SUCCESS || gpu_spoils_record(call))
        return;
    fprintf(stderr, "cublas: %s: %s\n", call, cublasGetStatusString(status));
    exit(EXIT_DEVICE_ERROR);
}

#endif
/* SPDX-License-Identifier: MIT */
