/* Calls of the host API that cannot work here: each says so by its name, once, and returns CUDA's
 * error for what a device cannot do. */
#include <stdio.h>

#include "api/errors.h"
#include "program/source.h"

/* Parameters have names, which nobody uses. */
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
REFUSES(cudaMemPoolExportToShareableHandle,
        (void *handle, cudaMemPool_t pool, enum cudaMemAllocationHandleType type,
         unsigned int flags),
        cudaErrorNotSupported, one_process)
REFUSES(cudaMemPoolImportFromShareableHandle,
        (cudaMemPool_t * pool, void *handle, enum cudaMemAllocationHandleType type,
         unsigned int flags),
        cudaErrorNotSupported, one_process)
REFUSES(cudaMemPoolExportPointer, (struct cudaMemPoolPtrExportData * data, void *pointer),
        cudaErrorNotSupported, one_process)
REFUSES(cudaMemPoolImportPointer,
        (void **pointer, cudaMemPool_t pool, struct cudaMemPoolPtrExportData *data),
        cudaErrorNotSupported, one_process)

/* ---- other interfaces ---- */

static const char no_other[] = "there is no Vulkan, Direct3D or NvSci device to share with";

REFUSES(cudaImportExternalMemory,
        (cudaExternalMemory_t * memory, const struct cudaExternalMemoryHandleDesc *description),
        cudaErrorNotSupported, no_other)
REFUSES(cudaDestroyExternalMemory, (cudaExternalMemory_t memory), cudaErrorInvalidResourceHandle,
        no_other)
REFUSES(cudaExternalMemoryGetMappedBuffer,
        (void **pointer, cudaExternalMemory_t memory,
         const struct cudaExternalMemoryBufferDesc *description),
        cudaErrorInvalidResourceHandle, no_other)
REFUSES(cudaExternalMemoryGetMappedMipmappedArray,
        (cudaMipmappedArray_t * array, cudaExternalMemory_t memory,
         const struct cudaExternalMemoryMipmappedArrayDesc *description),
        cudaErrorInvalidResourceHandle, no_other)
REFUSES(cudaImportExternalSemaphore,
        (cudaExternalSemaphore_t * semaphore,
         const struct cudaExternalSemaphoreHandleDesc *description),
        cudaErrorNotSupported, no_other)
REFUSES(cudaDestroyExternalSemaphore, (cudaExternalSemaphore_t semaphore),
        cudaErrorInvalidResourceHandle, no_other)
REFUSES(cudaSignalExternalSemaphoresAsync,
        (const cudaExternalSemaphore_t *semaphores,
         const struct cudaExternalSemaphoreSignalParams *parameters, unsigned int count,
         cudaStream_t stream),
        cudaErrorInvalidResourceHandle, no_other)
REFUSES(cudaWaitExternalSemaphoresAsync,
        (const cudaExternalSemaphore_t *semaphores,
         const struct cudaExternalSemaphoreWaitParams *parameters, unsigned int count,
         cudaStream_t stream),
        cudaErrorInvalidResourceHandle, no_other)
REFUSES(cudaGraphAddExternalSemaphoresSignalNode,
        (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
         const struct cudaExternalSemaphoreSignalNodeParams *parameters),
        cudaErrorInvalidValue, no_other)
REFUSES(cudaGraphAddExternalSemaphoresWaitNode,
        (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
         const struct cudaExternalSemaphoreWaitNodeParams *parameters),
        cudaErrorInvalidValue, no_other)
REFUSES(cudaGraphExternalSemaphoresSignalNodeGetParams,
        (cudaGraphNode_t node, struct cudaExternalSemaphoreSignalNodeParams *parameters),
        cudaErrorInvalidValue, no_other)
REFUSES(cudaGraphExternalSemaphoresSignalNodeSetParams,
        (cudaGraphNode_t node, const struct cudaExternalSemaphoreSignalNodeParams *parameters),
        cudaErrorInvalidValue, no_other)
REFUSES(cudaGraphExternalSemaphoresWaitNodeGetParams,
        (cudaGraphNode_t node, struct cudaExternalSemaphoreWaitNodeParams *parameters),
        cudaErrorInvalidValue, no_other)
REFUSES(cudaGraphExternalSemaphoresWaitNodeSetParams,
        (cudaGraphNode_t node, const struct cudaExternalSemaphoreWaitNodeParams *parameters),
        cudaErrorInvalidValue, no_other)
REFUSES(cudaGraphExecExternalSemaphoresSignalNodeSetParams,
        (cudaGraphExec_t exec, cudaGraphNode_t node,
         const struct cudaExternalSemaphoreSignalNodeParams *parameters),
        cudaErrorInvalidValue, no_other)
REFUSES(cudaGraphExecExternalSemaphoresWaitNodeSetParams,
        (cudaGraphExec_t exec, cudaGraphNode_t node,
         const struct cudaExternalSemaphoreWaitNodeParams *parameters),
        cudaErrorInvalidValue, no_other)
REFUSES(cudaDeviceGetNvSciSyncAttributes, (void *list, int device, int flags),
        cudaErrorNotSupported, no_other)
REFUSES(cudaDeviceFlushGPUDirectRDMAWrites,
        (enum cudaFlushGPUDirectRDMAWritesTarget target,
         enum cudaFlushGPUDirectRDMAWritesScope scope),
        cudaErrorNotSupported, "no other device writes to device memory")

static const char no_graphics[] = "there are no graphics";

REFUSES(cudaGraphicsUnregisterResource, (cudaGraphicsResource_t resource),
        cudaErrorInvalidResourceHandle, no_graphics)
REFUSES(cudaGraphicsResourceSetMapFlags, (cudaGraphicsResource_t resource, unsigned int flags),
        cudaErrorInvalidResourceHandle, no_graphics)
REFUSES(cudaGraphicsMapResources,
        (int count, cudaGraphicsResource_t *resources, cudaStream_t stream),
        cudaErrorInvalidResourceHandle, no_graphics)
REFUSES(cudaGraphicsUnmapResources,
        (int count, cudaGraphicsResource_t *resources, cudaStream_t stream),
        cudaErrorInvalidResourceHandle, no_graphics)
REFUSES(cudaGraphicsResourceGetMappedPointer,
        (void **pointer, size_t *size, cudaGraphicsResource_t resource),
        cudaErrorInvalidResourceHandle, no_graphics)
REFUSES(cudaGraphicsSubResourceGetMappedArray,
        (cudaArray_t * array, cudaGraphicsResource_t resource, unsigned int index,
         unsigned int level),
        cudaErrorInvalidResourceHandle, no_graphics)
REFUSES(cudaGraphicsResourceGetMappedMipmappedArray,
        (cudaMipmappedArray_t * array, cudaGraphicsResource_t resource),
        cudaErrorInvalidResourceHandle, no_graphics)

/* ---- libraries of device code ---- */

static const char no_code[] = "PTX and machine code of GPUs cannot be loaded: link what simtcc has "
                              "compiled";

REFUSES(cudaLibraryLoadData,
        (cudaLibrary_t * library, const void *code, enum cudaJitOption *options, void **values,
         unsigned int count, enum cudaLibraryOption *library_options, void **library_values,
         unsigned int library_count),
        cudaErrorNoKernelImageForDevice, no_code)
REFUSES(cudaLibraryLoadFromFile,
        (cudaLibrary_t * library, const char *file, enum cudaJitOption *options, void **values,
         unsigned int count, enum cudaLibraryOption *library_options, void **library_values,
         unsigned int library_count),
        cudaErrorNoKernelImageForDevice, no_code)
REFUSES(cudaLibraryUnload, (cudaLibrary_t library), cudaErrorInvalidResourceHandle, no_code)
REFUSES(cudaLibraryGetKernel, (cudaKernel_t * kernel, cudaLibrary_t library, const char *name),
        cudaErrorInvalidResourceHandle, no_code)
REFUSES(cudaLibraryGetKernelCount, (unsigned int *count, cudaLibrary_t library),
        cudaErrorInvalidResourceHandle, no_code)
REFUSES(cudaLibraryEnumerateKernels,
        (cudaKernel_t * kernels, unsigned int count, cudaLibrary_t library),
        cudaErrorInvalidResourceHandle, no_code)
REFUSES(cudaLibraryGetGlobal,
        (void **pointer, size_t *size, cudaLibrary_t library, const char *name),
        cudaErrorInvalidResourceHandle, no_code)
REFUSES(cudaLibraryGetManaged,
        (void **pointer, size_t *size, cudaLibrary_t library, const char *name),
        cudaErrorInvalidResourceHandle, no_code)
REFUSES(cudaLibraryGetUnifiedFunction, (void **function, cudaLibrary_t library, const char *name),
        cudaErrorInvalidResourceHandle, no_code)
REFUSES(cudaGetExportTable, (const void **table, const cudaUUID_t *name), cudaErrorNotSupported,
        "there are no tables of the driver")

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
REFUSES(cudaMipmappedArrayGetSparseProperties,
        (struct cudaArraySparseProperties * properties, cudaMipmappedArray_t array),
        cudaErrorInvalidResourceHandle, no_mipmaps)
REFUSES(cudaArrayGetPlane, (cudaArray_t * plane, cudaArray_t array, unsigned int number),
        cudaErrorInvalidValue, "no format of an array has several planes")
REFUSES(cudaArrayGetSparseProperties,
        (struct cudaArraySparseProperties * properties, cudaArray_t array), cudaErrorInvalidValue,
        "no array is sparse")
REFUSES(cudaGetTextureObjectResourceViewDesc,
        (struct cudaResourceViewDesc * view, cudaTextureObject_t texture), cudaErrorInvalidValue,
        "no texture has a view of its resource")

/* ---- notifications ---- */

REFUSES(cudaDeviceRegisterAsyncNotification,
        (int device, cudaAsyncCallback function, void *data, cudaAsyncCallbackHandle_t *callback),
        cudaErrorNotSupported, "nothing happens of which a device would notify")
REFUSES(cudaDeviceUnregisterAsyncNotification, (int device, cudaAsyncCallbackHandle_t callback),
        cudaErrorInvalidResourceHandle, "nothing happens of which a device would notify")
/* SPDX-License-Identifier: MIT */
