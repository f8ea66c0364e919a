/* The host API of the device: its properties, limits and settings. */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/graphs.h"
#include "base/own.h"
#include "memory/devices.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "memory/streams.h"

enum {
    REGISTERS = 65536,
    L2_BYTES = 50 << 20,
    VERSION = 13000,
    STACK_LIMIT = 1024,
    PRINTF_LIMIT = 1 << 20,
    PENDING_LAUNCHES = 2048,
    FETCH_GRANULARITY = 64,
    LIMITS = 7,
    /* Limits of textures and surfaces. */
    EXTENT_1D = 131072,
    EXTENT_2D = 65536,
    EXTENT_3D = 16384,
    EXTENT_CUBE = 32768,
    LAYERS = 2048,
    EXTENT_LINEAR = 1 << 28,
    CLOCK_KHZ = 1980000,
    MEMORY_CLOCK_KHZ = 3201000
};

cudaError_t cudaGetDeviceCount(int *count)
{
    SIMT_CALL;
    if (!count) {
        return simt_error(cudaErrorInvalidValue);
    }
    *count = simt_device_count();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device)
{
    SIMT_CALL;
    if (!device) {
        return simt_error(cudaErrorInvalidValue);
    }
    *device = simt_own.device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    SIMT_CALL;
    if (!simt_device_exists(device)) {
        return simt_error(cudaErrorInvalidDevice);
    }
    simt_own.device = device;
    return cudaSuccess;
}

/* cudaDeviceProp has members that only older programs use. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    SIMT_CALL;
    if (!properties) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_device_exists(device)) {
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
        .maxThreadsDim = {SIMT_MAX_BLOCK_THREADS, SIMT_MAX_BLOCK_THREADS, SIMT_BLOCK_Z},
        .maxGridSize = {INT_MAX, SIMT_GRID_Y, SIMT_GRID_Y},
        .totalConstMem = 64 << 10,
        .major = 9,
        .minor = 0,
        .multiProcessorCount = simt_multiprocessors(),
        .textureAlignment = 512,
        .texturePitchAlignment = 32,
        .surfaceAlignment = 512,
        .canMapHostMemory = 1,
        .concurrentKernels = 1,
        .ECCEnabled = 1,
        .pciBusID = device,
        .asyncEngineCount = 3,
        .unifiedAddressing = 1,
        .memoryBusWidth = 6144,
        .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .concurrentManagedAccess = 1,
        .computePreemptionSupported = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .hostRegisterSupported = 1,
        .unifiedFunctionPointers = 1,
        .deviceNumaId = -1,
        .hostNumaId = -1,
        .maxTexture1D = EXTENT_1D,
        .maxTexture2D = {EXTENT_1D, EXTENT_2D},
        .maxTexture2DLinear = {EXTENT_1D, EXTENT_2D - 536, 2097120},
        .maxTexture2DGather = {EXTENT_CUBE, EXTENT_CUBE},
        .maxTexture3D = {EXTENT_3D, EXTENT_3D, EXTENT_3D},
        .maxTexture1DLayered = {EXTENT_CUBE, LAYERS},
        .maxTexture2DLayered = {EXTENT_CUBE, EXTENT_CUBE, LAYERS},
        .maxSurface1D = EXTENT_CUBE,
        .maxSurface2D = {EXTENT_1D, EXTENT_2D},
        .maxSurface3D = {EXTENT_3D, EXTENT_3D, EXTENT_3D},
        .maxSurface1DLayered = {EXTENT_CUBE, LAYERS},
        .maxSurface2DLayered = {EXTENT_CUBE, EXTENT_CUBE, LAYERS},
        .l2CacheSize = L2_BYTES,
        .maxThreadsPerMultiProcessor = SIMT_MULTIPROCESSOR_THREADS,
        .sharedMemPerMultiprocessor = SIMT_MULTIPROCESSOR_SHARED,
        .regsPerMultiprocessor = REGISTERS,
        .managedMemory = 1,
        .cooperativeLaunch = 1,
        .clusterLaunch = 1,
        .sharedMemPerBlockOptin = SIMT_MAX_SHARED_BYTES,
        .maxBlocksPerMultiProcessor = SIMT_MULTIPROCESSOR_BLOCKS,
        .reservedSharedMemPerBlock = SIMT_RESERVED_SHARED,
        .memoryPoolsSupported = 1,
        .clockRate = CLOCK_KHZ,
        .memoryClockRate = MEMORY_CLOCK_KHZ,
        .deviceOverlap = 1,
        .maxTexture1DLinear = EXTENT_LINEAR,
        .singleToDoublePrecisionPerfRatio = 2,
    };
    return cudaSuccess;
}

static int clamped(size_t value)
{
    return value > INT_MAX ? INT_MAX : (int)value;
}

/* The offset of an attribute in the properties, as an int or a size_t. */
#define NUMBER(attribute, member)                                                                  \
    {                                                                                              \
        attribute, offsetof(struct cudaDeviceProp, member), false                                  \
    }
#define SIZE(attribute, member)                                                                    \
    {                                                                                              \
        attribute, offsetof(struct cudaDeviceProp, member), true                                   \
    }
static const struct {
    enum cudaDeviceAttr attribute;
    size_t offset;
    bool is_size;
} attributes[] = {
    NUMBER(cudaDevAttrMaxThreadsPerBlock, maxThreadsPerBlock),
    NUMBER(cudaDevAttrMaxBlockDimX, maxThreadsDim[0]),
    NUMBER(cudaDevAttrMaxBlockDimY, maxThreadsDim[1]),
    NUMBER(cudaDevAttrMaxBlockDimZ, maxThreadsDim[2]),
    NUMBER(cudaDevAttrMaxGridDimX, maxGridSize[0]),
    NUMBER(cudaDevAttrMaxGridDimY, maxGridSize[1]),
    NUMBER(cudaDevAttrMaxGridDimZ, maxGridSize[2]),
    SIZE(cudaDevAttrMaxSharedMemoryPerBlock, sharedMemPerBlock),
    SIZE(cudaDevAttrTotalConstantMemory, totalConstMem),
    NUMBER(cudaDevAttrWarpSize, warpSize),
    SIZE(cudaDevAttrMaxPitch, memPitch),
    NUMBER(cudaDevAttrMaxRegistersPerBlock, regsPerBlock),
    NUMBER(cudaDevAttrMultiProcessorCount, multiProcessorCount),
    NUMBER(cudaDevAttrCanMapHostMemory, canMapHostMemory),
    NUMBER(cudaDevAttrIntegrated, integrated),
    NUMBER(cudaDevAttrConcurrentKernels, concurrentKernels),
    NUMBER(cudaDevAttrEccEnabled, ECCEnabled),
    NUMBER(cudaDevAttrPciBusId, pciBusID),
    NUMBER(cudaDevAttrPciDeviceId, pciDeviceID),
    NUMBER(cudaDevAttrPciDomainId, pciDomainID),
    NUMBER(cudaDevAttrTccDriver, tccDriver),
    NUMBER(cudaDevAttrAsyncEngineCount, asyncEngineCount),
    NUMBER(cudaDevAttrGlobalMemoryBusWidth, memoryBusWidth),
    NUMBER(cudaDevAttrStreamPrioritiesSupported, streamPrioritiesSupported),
    NUMBER(cudaDevAttrGlobalL1CacheSupported, globalL1CacheSupported),
    NUMBER(cudaDevAttrLocalL1CacheSupported, localL1CacheSupported),
    NUMBER(cudaDevAttrConcurrentManagedAccess, concurrentManagedAccess),
    NUMBER(cudaDevAttrPageableMemoryAccess, pageableMemoryAccess),
    NUMBER(cudaDevAttrPageableMemoryAccessUsesHostPageTables,
           pageableMemoryAccessUsesHostPageTables),
    NUMBER(cudaDevAttrDirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    NUMBER(cudaDevAttrComputePreemptionSupported, computePreemptionSupported),
    NUMBER(cudaDevAttrCanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    NUMBER(cudaDevAttrHostNativeAtomicSupported, hostNativeAtomicSupported),
    NUMBER(cudaDevAttrHostRegisterSupported, hostRegisterSupported),
    NUMBER(cudaDevAttrHostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
    NUMBER(cudaDevAttrIsMultiGpuBoard, isMultiGpuBoard),
    NUMBER(cudaDevAttrMultiGpuBoardGroupID, multiGpuBoardGroupID),
    NUMBER(cudaDevAttrMaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    NUMBER(cudaDevAttrMaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    NUMBER(cudaDevAttrSparseCudaArraySupported, sparseCudaArraySupported),
    NUMBER(cudaDevAttrTimelineSemaphoreInteropSupported, timelineSemaphoreInteropSupported),
    NUMBER(cudaDevAttrGPUDirectRDMASupported, gpuDirectRDMASupported),
    NUMBER(cudaDevAttrDeferredMappingCudaArraySupported, deferredMappingCudaArraySupported),
    NUMBER(cudaDevAttrIpcEventSupport, ipcEventSupported),
    NUMBER(cudaDevAttrMpsEnabled, mpsEnabled),
    NUMBER(cudaDevAttrMaxTexture1DWidth, maxTexture1D),
    NUMBER(cudaDevAttrMaxTexture2DWidth, maxTexture2D[0]),
    NUMBER(cudaDevAttrMaxTexture2DHeight, maxTexture2D[1]),
    NUMBER(cudaDevAttrMaxTexture3DWidth, maxTexture3D[0]),
    NUMBER(cudaDevAttrMaxTexture3DHeight, maxTexture3D[1]),
    NUMBER(cudaDevAttrMaxTexture3DDepth, maxTexture3D[2]),
    NUMBER(cudaDevAttrMaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
    NUMBER(cudaDevAttrMaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
    NUMBER(cudaDevAttrMaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
    NUMBER(cudaDevAttrMaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
    NUMBER(cudaDevAttrMaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
    NUMBER(cudaDevAttrMaxTexture2DLinearWidth, maxTexture2DLinear[0]),
    NUMBER(cudaDevAttrMaxTexture2DLinearHeight, maxTexture2DLinear[1]),
    NUMBER(cudaDevAttrMaxTexture2DLinearPitch, maxTexture2DLinear[2]),
    NUMBER(cudaDevAttrMaxSurface1DWidth, maxSurface1D),
    NUMBER(cudaDevAttrMaxSurface2DWidth, maxSurface2D[0]),
    NUMBER(cudaDevAttrMaxSurface2DHeight, maxSurface2D[1]),
    NUMBER(cudaDevAttrMaxSurface3DWidth, maxSurface3D[0]),
    NUMBER(cudaDevAttrMaxSurface3DHeight, maxSurface3D[1]),
    NUMBER(cudaDevAttrMaxSurface3DDepth, maxSurface3D[2]),
    SIZE(cudaDevAttrTextureAlignment, textureAlignment),
    SIZE(cudaDevAttrTexturePitchAlignment, texturePitchAlignment),
    SIZE(cudaDevAttrSurfaceAlignment, surfaceAlignment),
    NUMBER(cudaDevAttrL2CacheSize, l2CacheSize),
    NUMBER(cudaDevAttrMaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    NUMBER(cudaDevAttrUnifiedAddressing, unifiedAddressing),
    NUMBER(cudaDevAttrComputeCapabilityMajor, major),
    NUMBER(cudaDevAttrComputeCapabilityMinor, minor),
    SIZE(cudaDevAttrMaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    NUMBER(cudaDevAttrMaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    NUMBER(cudaDevAttrManagedMemory, managedMemory),
    SIZE(cudaDevAttrMaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    NUMBER(cudaDevAttrMaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    SIZE(cudaDevAttrReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    NUMBER(cudaDevAttrMemoryPoolsSupported, memoryPoolsSupported),
    NUMBER(cudaDevAttrCooperativeLaunch, cooperativeLaunch),
    NUMBER(cudaDevAttrClusterLaunch, clusterLaunch),
};

/* The other attributes. An attribute in neither table is 0. */
static const struct {
    enum cudaDeviceAttr attribute;
    int value;
} constants[] = {
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrClockRate, CLOCK_KHZ},
    {cudaDevAttrMemoryClockRate, MEMORY_CLOCK_KHZ},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrComputeMode, cudaComputeModeDefault},
    {cudaDevAttrMaxTexture1DLinearWidth, EXTENT_LINEAR},
    {cudaDevAttrNumaId, -1},
    {cudaDevAttrHostNumaId, -1},
};

static bool find_attribute(const struct cudaDeviceProp *properties, enum cudaDeviceAttr attribute,
                           int *value)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        const char *member = (const char *)properties + attributes[i].offset;
        if (attributes[i].attribute == attribute && attributes[i].is_size) {
            size_t size;
            memcpy(&size, member, sizeof size);
            *value = clamped(size);
            return true;
        }
        if (attributes[i].attribute == attribute) {
            memcpy(value, member, sizeof *value);
            return true;
        }
    }
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (constants[i].attribute == attribute) {
            *value = constants[i].value;
            return true;
        }
    }
    *value = 0;
    return attribute > 0 && attribute <= cudaDevAttrOnlyPartialHostNativeAtomicSupported;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    SIMT_CALL;
    struct cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess) {
        return error;
    }
    return simt_error(value && find_attribute(&properties, attribute, value)
                          ? cudaSuccess
                          : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize(void)
{
    SIMT_CALL;
    const cudaError_t error =
        simt_capture_forbids("cudaDeviceSynchronize", __builtin_return_address(0));
    if (error != cudaSuccess) {
        return error;
    }
    simt_host_waits_for_device(simt_own.device);
    return simt_lost();
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    SIMT_CALL;
    if (!version) {
        return simt_error(cudaErrorInvalidValue);
    }
    *version = VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    SIMT_CALL;
    return cudaRuntimeGetVersion(version);
}

static size_t limits[LIMITS] = {
    [cudaLimitStackSize] = STACK_LIMIT,
    [cudaLimitPrintfFifoSize] = PRINTF_LIMIT,
    [cudaLimitDevRuntimeSyncDepth] = 2,
    [cudaLimitDevRuntimePendingLaunchCount] = PENDING_LAUNCHES,
    [cudaLimitMaxL2FetchGranularity] = FETCH_GRANULARITY,
};

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    SIMT_CALL;
    if ((unsigned int)limit >= LIMITS) {
        return simt_error(cudaErrorUnsupportedLimit);
    }
    if (limit == cudaLimitMallocHeapSize) {
        simt_heap_limit = value;
    } else {
        limits[limit] = value;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    SIMT_CALL;
    if (!value) {
        return simt_error(cudaErrorInvalidValue);
    }
    if ((unsigned int)limit >= LIMITS) {
        return simt_error(cudaErrorUnsupportedLimit);
    }
    *value = limit == cudaLimitMallocHeapSize ? simt_heap_limit : limits[limit];
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    SIMT_CALL;
    return simt_error(flags < 32 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    SIMT_CALL;
    return simt_error((unsigned int)config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                                       : cudaErrorInvalidValue);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    SIMT_CALL;
    return function ? cudaDeviceSetCacheConfig(config) : simt_error(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    SIMT_CALL;
    if (!can) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_device_exists(device) || !simt_device_exists(peer)) {
        return simt_error(cudaErrorInvalidDevice);
    }
    *can = device != peer;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer)
{
    SIMT_CALL;
    if (!value || attribute < cudaDevP2PAttrPerformanceRank ||
        attribute > cudaDevP2PAttrOnlyPartialNativeAtomicSupported) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_device_exists(device) || !simt_device_exists(peer) || device == peer) {
        return simt_error(cudaErrorInvalidDevice);
    }
    *value = attribute == cudaDevP2PAttrAccessSupported ||
             attribute == cudaDevP2PAttrNativeAtomicSupported ||
             attribute == cudaDevP2PAttrCudaArrayAccessSupported;
    return cudaSuccess;
}

/* Lets the current device's kernels access another device's memory, or stops that. */
static cudaError_t set_peer(int peer, bool reaches)
{
    if (!simt_device_exists(peer)) {
        return simt_error(cudaErrorInvalidDevice);
    }
    if (peer == simt_own.device) {
        return simt_error(reaches ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
    }
    if (simt_device_reaches(simt_own.device, peer) == reaches) {
        return simt_error(reaches ? cudaErrorPeerAccessAlreadyEnabled
                                  : cudaErrorPeerAccessNotEnabled);
    }
    simt_device_set_peer(simt_own.device, peer, reaches);
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    SIMT_CALL;
    return flags == 0 ? set_peer(peer, true) : simt_error(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    SIMT_CALL;
    return set_peer(peer, false);
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    SIMT_CALL;
    if (!text || size <= 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_device_exists(device)) {
        return simt_error(cudaErrorInvalidDevice);
    }
    snprintf(text, (size_t)size, "0000:%02X:00.0", (unsigned int)device);
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void)
{
    SIMT_CALL;
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    SIMT_CALL;
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
    SIMT_CALL;
    const int device = simt_own.device;
    simt_handles_reset(device);
    simt_kernels_reset(device);
    simt_arrays_reset(device);
    simt_streams_reset(device);
    simt_memory_reset(device);
    for (int other = 0; other < simt_device_count(); other++) {
        simt_device_set_peer(device, other, false);
    }
    simt_errors_reset();
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
