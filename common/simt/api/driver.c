/* The part of the driver API that programs request through the runtime. */
#include <string.h>

#include "api/api.h"
#include "cuda/cuda.h"

enum { FIRST_VERSION_WITH_TENSOR_MAPS = 12000 };

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                             unsigned int version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found)
{
    SIMT_API;
    bool im2col = name && strcmp(name, "cuTensorMapEncodeIm2col") == 0;
    bool known = im2col || (name && strcmp(name, "cuTensorMapEncodeTiled") == 0);
    enum cudaDriverEntryPointQueryResult result = !known ? cudaDriverEntryPointSymbolNotFound
                                                  : version < FIRST_VERSION_WITH_TENSOR_MAPS
                                                      ? cudaDriverEntryPointVersionNotSufficent
                                                      : cudaDriverEntryPointSuccess;
    (void)flags;
    if (!name || !function) {
        return simt_error(cudaErrorInvalidValue);
    }
    *function = result != cudaDriverEntryPointSuccess ? NULL
                : im2col                              ? (void *)(uintptr_t)cuTensorMapEncodeIm2col
                                                      : (void *)(uintptr_t)cuTensorMapEncodeTiled;
    if (found) {
        *found = result;
    }
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *found)
{
    return cudaGetDriverEntryPointByVersion(name, function, CUDA_VERSION, flags, found);
}
/* SPDX-License-Identifier: MIT */
