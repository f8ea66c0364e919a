/* Checks the status of the CUDA runtime's calls, in the files that call a library. A rung cannot
 * return an error, so the program ends here, with the runner's exit code. */
#ifndef RUNGS_CUDA_CHECK_H
#define RUNGS_CUDA_CHECK_H

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/gpu.h"

/* `call` also names the library: "cublas: cudaMalloc". */
static inline void check_cuda(cudaError_t status, const char *call)
{
    if (status == cudaSuccess || gpu_spoils_record(call))
        return;
    fprintf(stderr, "%s: %s (%s)\n", call, cudaGetErrorString(status), cudaGetErrorName(status));
    exit(EXIT_DEVICE_ERROR);
}

#endif
/* SPDX-License-Identifier: MIT */
