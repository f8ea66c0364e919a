/* Calls of the host API that cannot work here. The first call of each prints its name. All calls
 * return a CUDA error. */
#include <stdio.h>

#include "api/errors.h"
#include "program/source.h"

/* The definitions name parameters that they do not use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static cudaError_t refuse(const char *function, bool *told, const void *caller, cudaError_t error,
                          const char *why)
{
    if (!*told) {
        const struct simt_source *source = simt_source_of(simt_place_of(caller));
        fflush(stdout);
        fprintf(stderr, "simt: %s()", function);
        if (source->line > 0) {
            fprintf(stderr, " at %s:%d", source->file, source->line);
        }
        fprintf(stderr, " is not available on the CPU back end: %s\n", why);
        *told = true;
    }
    return simt_call_failed(function, caller, error, "%s", why);
}

#define REFUSES(name, parameters, error, why)                                                      \
    cudaError_t name parameters                                                                    \
    {                                                                                              \
        static bool told;                                                                          \
        SIMT_CALL;                                                                                 \
        return refuse(__func__, &told, __builtin_return_address(0), error, why);                   \
    }

/* ---- other processes ---- */

static const char one_process[] = "device memory and events belong to one process";

REFUSES(cudaIpcGetEventHandle, (cudaIpcEventHandle_t * handle, cudaEvent_t event),
        cudaErrorNotSupported, one_process)
REFUSES(cudaIpcOpenEventHandle, (cudaEvent_t * event, cudaIpcEventHandle_t handle),
        cudaErrorNotSupported, one_process)
REFUSES(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void *memory), cudaErrorNotSupported,
        one_process)
REFUSES(cudaIpcOpenMemHandle, (void **memory, cudaIpcMemHandle_t handle, unsigned int flags),
        cudaErrorNotSupported, one_process)
REFUSES(cudaIpcCloseMemHandle, (void *memory), cudaErrorNotSupported, one_process)
/* ---- arrays ---- */

static const char no_mipmaps[] = "mipmapped arrays are not known here";

REFUSES(cudaMallocMipmappedArray,
        (cudaMipmappedArray_t * array, const struct cudaChannelFormatDesc *format,
         struct cudaExtent extent, unsigned int levels, unsigned int flags),
        cudaErrorNotSupported, no_mipmaps)
REFUSES(cudaFreeMipmappedArray, (cudaMipmappedArray_t array), cudaErrorInvalidResourceHandle,
        no_mipmaps)
REFUSES(cudaGetMipmappedArrayLevel,
        (cudaArray_t * level, cudaMipmappedArray_const_t array, unsigned int number),
        cudaErrorInvalidResourceHandle, no_mipmaps)
REFUSES(cudaMipmappedArrayGetMemoryRequirements,
        (struct cudaArrayMemoryRequirements * needs, cudaMipmappedArray_t array, int device),
        cudaErrorInvalidResourceHandle, no_mipmaps)
/* SPDX-License-Identifier: MIT */
