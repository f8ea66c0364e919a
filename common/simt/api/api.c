/* The host API but for memory: the device, streams, events, kernels' attributes. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

enum {
    MULTIPROCESSORS = 132,
    MULTIPROCESSOR_THREADS = 2048,
    MULTIPROCESSOR_BLOCKS = 32,
    MULTIPROCESSOR_SHARED = 228 << 10,
    RESERVED_SHARED = 1 << 10, /* for each block */
    REGISTERS = 65536,
    ASSUMED_REGISTERS = 32, /* a thread */
    GRID_Y = 65535,
    BLOCK_Z = 64,
    L2_BYTES = 50 << 20,
    VERSION = 13000
};

/* ---- device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    if (!count) {
        return simt_error(cudaErrorInvalidValue);
    }
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    if (!device) {
        return simt_error(cudaErrorInvalidValue);
    }
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    return simt_error(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    if (!properties) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (device != 0) {
        return simt_error(cudaErrorInvalidDevice);
    }
    *properties = (struct cudaDeviceProp){
        .name = "CPU back end (simt)",
        .totalGlobalMem = simt_memory_total(),
        .sharedMemPerBlock = SIMT_STATIC_SHARED_BYTES,
        .regsPerBlock = REGISTERS,
        .warpSize = SIMT_WARP_SIZE,
        .memPitch = INT_MAX,
        .maxThreadsPerBlock = SIMT_MAX_BLOCK_THREADS,
        .maxThreadsDim = {SIMT_MAX_BLOCK_THREADS, SIMT_MAX_BLOCK_THREADS, BLOCK_Z},
        .maxGridSize = {INT_MAX, GRID_Y, GRID_Y},
        .totalConstMem = 64 << 10,
        .major = 9,
        .minor = 0,
        .multiProcessorCount = MULTIPROCESSORS,
        .integrated = 1,
        .canMapHostMemory = 1,
        .concurrentKernels = 0,
        .asyncEngineCount = 0,
        .unifiedAddressing = 1,
        .l2CacheSize = L2_BYTES,
        .maxThreadsPerMultiProcessor = MULTIPROCESSOR_THREADS,
        .sharedMemPerMultiprocessor = MULTIPROCESSOR_SHARED,
        .regsPerMultiprocessor = REGISTERS,
        .managedMemory = 1,
        .cooperativeLaunch = 1,
        .sharedMemPerBlockOptin = SIMT_MAX_SHARED_BYTES,
        .maxBlocksPerMultiProcessor = MULTIPROCESSOR_BLOCKS,
        .reservedSharedMemPerBlock = RESERVED_SHARED,
        .memoryPoolsSupported = 1,
    };
    return cudaSuccess;
}

static int clamped(size_t value)
{
    return value > INT_MAX ? INT_MAX : (int)value;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) {
        return error;
    }
    if (!value) {
        return simt_error(cudaErrorInvalidValue);
    }
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = properties.maxThreadsPerBlock;
        break;
    case cudaDevAttrMaxBlockDimX:
        *value = properties.maxThreadsDim[0];
        break;
    case cudaDevAttrMaxBlockDimY:
        *value = properties.maxThreadsDim[1];
        break;
    case cudaDevAttrMaxBlockDimZ:
        *value = properties.maxThreadsDim[2];
        break;
    case cudaDevAttrMaxGridDimX:
        *value = properties.maxGridSize[0];
        break;
    case cudaDevAttrMaxGridDimY:
        *value = properties.maxGridSize[1];
        break;
    case cudaDevAttrMaxGridDimZ:
        *value = properties.maxGridSize[2];
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = clamped(properties.sharedMemPerBlock);
        break;
    case cudaDevAttrTotalConstantMemory:
        *value = clamped(properties.totalConstMem);
        break;
    case cudaDevAttrWarpSize:
        *value = properties.warpSize;
        break;
    case cudaDevAttrMaxPitch:
        *value = clamped(properties.memPitch);
        break;
    case cudaDevAttrMaxRegistersPerBlock:
        *value = properties.regsPerBlock;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = properties.multiProcessorCount;
        break;
    case cudaDevAttrIntegrated:
        *value = properties.integrated;
        break;
    case cudaDevAttrCanMapHostMemory:
        *value = properties.canMapHostMemory;
        break;
    case cudaDevAttrL2CacheSize:
        *value = properties.l2CacheSize;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = properties.maxThreadsPerMultiProcessor;
        break;
    case cudaDevAttrUnifiedAddressing:
        *value = properties.unifiedAddressing;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = properties.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = properties.minor;
        break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = clamped(properties.sharedMemPerMultiprocessor);
        break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
        *value = properties.regsPerMultiprocessor;
        break;
    case cudaDevAttrManagedMemory:
        *value = properties.managedMemory;
        break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = 2;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = clamped(properties.sharedMemPerBlockOptin);
        break;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
        *value = properties.maxBlocksPerMultiProcessor;
        break;
    case cudaDevAttrReservedSharedMemoryPerBlock:
        *value = clamped(properties.reservedSharedMemPerBlock);
        break;
    case cudaDevAttrMemoryPoolsSupported:
        *value = properties.memoryPoolsSupported;
        break;
    case cudaDevAttrCooperativeLaunch:
        *value = properties.cooperativeLaunch;
        break;
    case cudaDevAttrClockRate:
    case cudaDevAttrMemoryClockRate:
    case cudaDevAttrGlobalMemoryBusWidth:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrAsyncEngineCount:
    case cudaDevAttrConcurrentManagedAccess:
        *value = 0; /* there is no such thing here */
        break;
    default:
        return simt_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    SIMT_API;
    return simt_lost();
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version) {
        return simt_error(cudaErrorInvalidValue);
    }
    *version = VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return cudaRuntimeGetVersion(version);
}

/* ---- streams and events: handles in lists, so that a wrong one is noticed ---- */

struct CUstream_st {
    struct CUstream_st *next;
};

struct CUevent_st {
    struct CUevent_st *next;
    bool timed, recorded;
    long long nanoseconds;
};

static struct CUstream_st *streams;
static struct CUevent_st *events;

bool simt_stream_exists(const void *stream)
{
    const struct CUstream_st *known = streams;
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
        return true;
    }
    while (known && known != stream) {
        known = known->next;
    }
    return known != NULL;
}

static bool event_exists(cudaEvent_t event)
{
    const struct CUevent_st *known = events;
    while (known && known != event) {
        known = known->next;
    }
    return event && known;
}

static cudaError_t check_handle(bool exists)
{
    return exists ? simt_lost() : simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    SIMT_API;
    if (!stream || flags > cudaStreamNonBlocking) {
        return simt_error(cudaErrorInvalidValue);
    }
    *stream = calloc(1, sizeof **stream);
    if (!*stream) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    (*stream)->next = streams;
    streams = *stream;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    SIMT_API;
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    SIMT_API;
    struct CUstream_st **link = &streams;
    while (*link && *link != stream) {
        link = &(*link)->next;
    }
    if (!*link) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    *link = stream->next;
    free(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    SIMT_API;
    return check_handle(simt_stream_exists(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    SIMT_API;
    return check_handle(simt_stream_exists(stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    SIMT_API;
    if (flags > 1) {
        return simt_error(cudaErrorInvalidValue);
    }
    return check_handle(simt_stream_exists(stream) && event_exists(event));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    SIMT_API;
    if (!event || flags > 7) {
        return simt_error(cudaErrorInvalidValue);
    }
    *event = calloc(1, sizeof **event);
    if (!*event) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    (*event)->timed = !(flags & cudaEventDisableTiming);
    (*event)->next = events;
    events = *event;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    SIMT_API;
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    SIMT_API;
    if (!event_exists(event) || !simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    event->recorded = true;
    event->nanoseconds = simt_clock();
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    SIMT_API;
    return check_handle(event_exists(event));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    SIMT_API;
    return check_handle(event_exists(event));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end)
{
    SIMT_API;
    if (!milliseconds) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!event_exists(start) || !event_exists(end) || !start->timed || !end->timed ||
        !start->recorded || !end->recorded) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    *milliseconds = (float)((double)(end->nanoseconds - start->nanoseconds) * 1e-6);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    SIMT_API;
    struct CUevent_st **link = &events;
    while (*link && *link != event) {
        link = &(*link)->next;
    }
    if (!*link) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    *link = event->next;
    free(event);
    return cudaSuccess;
}

/* ---- kernels ---- */

static struct simt_kernel *kernels;

struct simt_kernel *simt_find_kernel(const void *function)
{
    struct simt_kernel *kernel = kernels;
    while (kernel && kernel->function != function) {
        kernel = kernel->next;
    }
    return kernel;
}

struct simt_kernel *simt_note_kernel(const void *function)
{
    struct simt_kernel *kernel = simt_find_kernel(function);
    if (!kernel) {
        kernel = calloc(1, sizeof *kernel);
        if (!kernel) {
            return NULL;
        }
        kernel->function = function;
        kernel->next = kernels;
        kernels = kernel;
    }
    return kernel;
}

/* Of dynamic shared memory. A kernel whose address is not to be had may have opted in or not: it
 * gets the benefit of the doubt. */
static size_t shared_limit(const void *function)
{
    const struct simt_kernel *kernel = simt_find_kernel(function);
    size_t declared = simt_static_shared_of(function);
    if (!function) {
        return SIMT_MAX_SHARED_BYTES;
    }
    if (kernel && kernel->opted_in) {
        return kernel->shared_limit;
    }
    return declared < SIMT_STATIC_SHARED_BYTES ? SIMT_STATIC_SHARED_BYTES - declared : 0;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    SIMT_API;
    struct simt_kernel *kernel;
    if (!function) {
        return simt_error(cudaErrorInvalidDeviceFunction);
    }
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        return simt_error(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
    }
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (size_t)value + simt_static_shared_of(function) > SIMT_MAX_SHARED_BYTES) {
        return simt_error(cudaErrorInvalidValue);
    }
    kernel = simt_note_kernel(function);
    if (!kernel) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    kernel->shared_limit = (size_t)value;
    kernel->opted_in = true;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    SIMT_API;
    if (!attributes) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!function) {
        return simt_error(cudaErrorInvalidDeviceFunction);
    }
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = simt_static_shared_of(function),
        .maxThreadsPerBlock = SIMT_MAX_BLOCK_THREADS,
        .numRegs = ASSUMED_REGISTERS,
        .ptxVersion = 90,
        .binaryVersion = 90,
        .maxDynamicSharedSizeBytes = clamped(shared_limit(function)),
        .preferredShmemCarveout = -1,
    };
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int block_size, size_t shared_bytes)
{
    SIMT_API;
    int threads, by_threads, by_shared;
    if (!blocks || !function || block_size <= 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    *blocks = 0;
    shared_bytes += simt_static_shared_of(function);
    if (block_size > SIMT_MAX_BLOCK_THREADS || shared_bytes > SIMT_MAX_SHARED_BYTES) {
        return cudaSuccess;
    }
    threads = (block_size + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE * SIMT_WARP_SIZE;
    by_threads = MULTIPROCESSOR_THREADS / threads;
    by_shared = (int)(MULTIPROCESSOR_SHARED / (shared_bytes + RESERVED_SHARED));
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    *blocks = *blocks < MULTIPROCESSOR_BLOCKS ? *blocks : MULTIPROCESSOR_BLOCKS;
    return cudaSuccess;
}

/* A launch that the device refuses, and why. Whatever is out of range, CUDA 13.0 says
 * cudaErrorInvalidValue, as an H200 showed; version 12 and before said
 * cudaErrorInvalidConfiguration of grids and blocks. */
cudaError_t simt_check_launch(const struct simt_launch *launch, char *reason, size_t size)
{
    struct uint3 grid = launch->grid, block = launch->block;
    size_t limit = shared_limit(launch->function);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > INT_MAX || grid.y > GRID_Y ||
        grid.z > GRID_Y) {
        snprintf(reason, size, "a grid of %u x %u x %u blocks", grid.x, grid.y, grid.z);
        return cudaErrorInvalidValue;
    }
    if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > SIMT_MAX_BLOCK_THREADS ||
        block.y > SIMT_MAX_BLOCK_THREADS || block.z > BLOCK_Z ||
        block.x * block.y * block.z > SIMT_MAX_BLOCK_THREADS) {
        snprintf(reason, size, "%u x %u x %u threads in a block, which takes 1 to %d", block.x,
                 block.y, block.z, SIMT_MAX_BLOCK_THREADS);
        return cudaErrorInvalidValue;
    }
    if (!simt_stream_exists(launch->stream)) {
        snprintf(reason, size, "no such stream");
        return cudaErrorInvalidResourceHandle;
    }
    if (launch->shared_bytes > limit) {
        snprintf(reason, size, "%zu bytes of dynamic shared memory, %zu are there",
                 launch->shared_bytes, limit);
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    SIMT_API;
    while (streams) {
        cudaStreamDestroy(streams);
    }
    while (events) {
        cudaEventDestroy(events);
    }
    for (struct simt_kernel *kernel = kernels; kernel; kernel = kernel->next) {
        kernel->opted_in = false;
    }
    simt_memory_reset();
    simt_errors_reset();
    return cudaSuccess;
}
