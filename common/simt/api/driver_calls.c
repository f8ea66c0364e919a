/* The driver API, built on the runtime API. */
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "base/own.h"
#include "cuda/cuda.h"
#include "memory/memory.h"

/* Before cuInit(), only cuInit() and version queries work. Calls that need a context fail until one
 * is current. */
static bool is_initialised;
static unsigned int created; /* one bit per device whose context exists */
enum { MOST_PUSHED = 64 };
static __thread CUcontext pushed[MOST_PUSHED]; /* the last one is current */
static __thread unsigned int count_of_pushed;

/* The address of an entry identifies a device's context. */
static struct CUctx_st {
    char nothing;
} contexts[32];

static CUresult result_of(cudaError_t error)
{
    cudaGetLastError(); /* the error is the runtime API's */
    return (CUresult)error;
}

static bool device_of(CUcontext context, int *device)
{
    *device = context ? (int)(context - contexts) : -1;
    return context >= contexts && context < contexts + sizeof contexts / sizeof *contexts &&
           created >> *device & 1;
}

static CUresult check_device(CUdevice device)
{
    int count = 0;
    if (!is_initialised) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    cudaGetDeviceCount(&count);
    return device >= 0 && device < count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/* Starts a call that needs a context. Makes the context's device current. */
static CUresult begin(void)
{
    int device;
    if (!is_initialised) {
        return CUDA_ERROR_NOT_INITIALIZED;
    }
    if (count_of_pushed == 0 || !device_of(pushed[count_of_pushed - 1], &device)) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return result_of(cudaSetDevice(device));
}

#define BEGIN                                                                                      \
    CUresult error = begin();                                                                      \
    if (error != CUDA_SUCCESS) {                                                                   \
        return error;                                                                              \
    }

/* ---- devices ---- */

CUresult cuInit(unsigned int flags)
{
    is_initialised = is_initialised || flags == 0;
    return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDriverGetVersion(int *version)
{
    return result_of(cudaDriverGetVersion(version));
}

CUresult cuGetErrorName(CUresult error, const char **text)
{
    static char name[64]; /* from cudaErrorInvalidValue to CUDA_ERROR_INVALID_VALUE */
    const char *from = cudaGetErrorName((cudaError_t)error);
    size_t length = 0;
    if (!text || strncmp(from, "cuda", 4) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    length = (size_t)snprintf(name, sizeof name, "CUDA");
    for (from += 4; *from && length + 2 < sizeof name; from++) {
        if (*from >= 'A' && *from <= 'Z') {
            name[length++] = '_';
        }
        name[length++] = (char)(*from >= 'a' && *from <= 'z' ? *from - 'a' + 'A' : *from);
    }
    name[length] = '\0';
    *text = name;
    return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **text)
{
    if (!text) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    return !is_initialised ? CUDA_ERROR_NOT_INITIALIZED : result_of(cudaGetDeviceCount(count));
}

CUresult cuDeviceGet(CUdevice *device, int number)
{
    const CUresult error = check_device(number);
    if (error == CUDA_SUCCESS && device) {
        *device = number;
    }
    return error == CUDA_SUCCESS && !device ? CUDA_ERROR_INVALID_VALUE : error;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    struct cudaDeviceProp properties;
    CUresult error = check_device(device);
    if (error != CUDA_SUCCESS) {
        return error;
    }
    if (!name || length <= 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    error = result_of(cudaGetDeviceProperties(&properties, device));
    snprintf(name, (size_t)length, "%s", properties.name);
    return error;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp properties;
    CUresult error = check_device(device);
    if (error != CUDA_SUCCESS || !bytes) {
        return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    }
    error = result_of(cudaGetDeviceProperties(&properties, device));
    *bytes = properties.totalGlobalMem;
    return error;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    const CUresult error = check_device(device);
    return error != CUDA_SUCCESS
               ? error
               : result_of(cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    const CUresult error =
        cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    return error != CUDA_SUCCESS
               ? error
               : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}

/* ---- contexts ---- */

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    const CUresult error = check_device(device);
    if (error == CUDA_SUCCESS && context) {
        created |= 1u << device;
        *context = &contexts[device];
    }
    return error == CUDA_SUCCESS && !context ? CUDA_ERROR_INVALID_VALUE : error;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    return check_device(device);
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    int device;
    if (!device_of(context, &device)) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (count_of_pushed == MOST_PUSHED) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pushed[count_of_pushed++] = context;
    return begin();
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    if (count_of_pushed == 0) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    count_of_pushed--;
    if (context) {
        *context = pushed[count_of_pushed];
    }
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device)
{
    const CUresult error = cuDevicePrimaryCtxRetain(context, device);
    (void)flags;
    return error != CUDA_SUCCESS ? error : cuCtxPushCurrent(*context);
}

CUresult cuCtxDestroy(CUcontext context)
{
    int device;
    if (!device_of(context, &device)) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    if (count_of_pushed > 0 && pushed[count_of_pushed - 1] == context) {
        count_of_pushed--;
    }
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    if (!context) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *context = count_of_pushed > 0 ? pushed[count_of_pushed - 1] : NULL;
    return is_initialised ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    count_of_pushed -= count_of_pushed > 0;
    return context ? cuCtxPushCurrent(context) : CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    BEGIN
    return result_of(cudaGetDevice(device));
}

CUresult cuCtxSynchronize(void)
{
    BEGIN
    return result_of(cudaDeviceSynchronize());
}

/* ---- memory ---- */

#define AT(memory) ((void *)(uintptr_t)(memory))
/* Defines a call that has an equivalent in the runtime API. */
#define CALLS(declaration, call)                                                                   \
    CUresult declaration                                                                           \
    {                                                                                              \
        BEGIN                                                                                      \
        return result_of(call);                                                                    \
    }

CUresult cuMemAlloc(CUdeviceptr *memory, size_t size)
{
    void *found = NULL;
    BEGIN
    if (!memory || size == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    error = result_of(cudaMalloc(&found, size));
    *memory = (uintptr_t)found;
    return error;
}

CUresult cuMemAllocManaged(CUdeviceptr *memory, size_t size, unsigned int flags)
{
    void *found = NULL;
    BEGIN
    if (!memory || size == 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    error = result_of(cudaMallocManaged(&found, size, flags));
    *memory = (uintptr_t)found;
    return error;
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr memory)
{
    const struct simt_region *region;
    BEGIN
    region = simt_region_find(AT(memory));
    if (!region || region->kind == REGION_SYMBOL) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (base) {
        *base = (uintptr_t)region->base;
    }
    if (size) {
        *size = region->size;
    }
    return error;
}

CALLS(cuMemGetInfo(size_t *available, size_t *total), cudaMemGetInfo(available, total))
CALLS(cuMemFree(CUdeviceptr memory), cudaFree(AT(memory)))
CALLS(cuMemAllocHost(void **memory, size_t size), cudaMallocHost(memory, size))
CALLS(cuMemFreeHost(void *memory), cudaFreeHost(memory))
CALLS(cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size),
      cudaMemcpy(AT(to), from, size, cudaMemcpyHostToDevice))
CALLS(cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size),
      cudaMemcpy(to, AT(from), size, cudaMemcpyDeviceToHost))
CALLS(cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size),
      cudaMemcpy(AT(to), AT(from), size, cudaMemcpyDeviceToDevice))
CALLS(cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream),
      cudaMemcpyAsync(AT(to), from, size, cudaMemcpyHostToDevice, stream))
CALLS(cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream),
      cudaMemcpyAsync(to, AT(from), size, cudaMemcpyDeviceToHost, stream))
CALLS(cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
      cudaMemcpyAsync(AT(to), AT(from), size, cudaMemcpyDeviceToDevice, stream))
CALLS(cuMemsetD8(CUdeviceptr memory, unsigned char value, size_t count),
      cudaMemset(AT(memory), value, count))

CUresult cuMemsetD32(CUdeviceptr memory, unsigned int value, size_t count)
{
    BEGIN
    if (memory % sizeof value != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (value == (value & 0xff) * 0x01010101u) {
        return result_of(cudaMemset(AT(memory), (int)(value & 0xff), count * sizeof value));
    }
    for (size_t done = 0; done < count && error == CUDA_SUCCESS;) {
        unsigned int values[1024];
        const size_t some = count - done < 1024 ? count - done : 1024;
        for (size_t i = 0; i < some; i++) {
            values[i] = value;
        }
        error = result_of(cudaMemcpy(AT(memory + done * sizeof value), values, some * sizeof value,
                                     cudaMemcpyHostToDevice));
        done += some;
    }
    return error;
}

/* ---- streams, events ---- */

CALLS(cuStreamCreate(CUstream *stream, unsigned int flags),
      cudaStreamCreateWithFlags(stream, flags))
CALLS(cuStreamDestroy(CUstream stream), cudaStreamDestroy(stream))
CALLS(cuStreamSynchronize(CUstream stream), cudaStreamSynchronize(stream))
CALLS(cuStreamQuery(CUstream stream), cudaStreamQuery(stream))
CALLS(cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags),
      cudaStreamWaitEvent(stream, event, flags))
CALLS(cuEventCreate(CUevent *event, unsigned int flags), cudaEventCreateWithFlags(event, flags))
CALLS(cuEventDestroy(CUevent event), cudaEventDestroy(event))
CALLS(cuEventRecord(CUevent event, CUstream stream), cudaEventRecord(event, stream))
CALLS(cuEventSynchronize(CUevent event), cudaEventSynchronize(event))
CALLS(cuEventQuery(CUevent event), cudaEventQuery(event))
CALLS(cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end),
      cudaEventElapsedTime(milliseconds, start, end))
/* SPDX-License-Identifier: MIT */
