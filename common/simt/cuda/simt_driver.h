/* The driver API except for modules: devices, contexts, memory, streams, events. Its numbers are
 * those of the runtime API. cuda.h includes this. */
#ifndef SIMT_DRIVER_H
#define SIMT_DRIVER_H

#include <stddef.h>

#include "cuda_runtime_api.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext; /* there is one per device */
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;

#define CU_STREAM_DEFAULT 0
#define CU_STREAM_NON_BLOCKING 1
#define CU_EVENT_DEFAULT 0
#define CU_EVENT_BLOCKING_SYNC 1
#define CU_EVENT_DISABLE_TIMING 2
#define CU_CTX_SCHED_AUTO 0
#define CU_CTX_SCHED_SPIN 1
#define CU_CTX_SCHED_YIELD 2
#define CU_CTX_SCHED_BLOCKING_SYNC 4
#define CU_CTX_MAP_HOST 8
#define CU_MEM_ATTACH_GLOBAL 1
#define CU_MEM_ATTACH_HOST 2

/* clang-format off */
#define SIMT_DRIVER_ATTRIBUTES(VALUE)                                                              \
    VALUE(MAX_THREADS_PER_BLOCK, 1) VALUE(MAX_BLOCK_DIM_X, 2) VALUE(MAX_BLOCK_DIM_Y, 3)            \
    VALUE(MAX_BLOCK_DIM_Z, 4) VALUE(MAX_GRID_DIM_X, 5) VALUE(MAX_GRID_DIM_Y, 6)                    \
    VALUE(MAX_GRID_DIM_Z, 7) VALUE(MAX_SHARED_MEMORY_PER_BLOCK, 8)                                 \
    VALUE(TOTAL_CONSTANT_MEMORY, 9) VALUE(WARP_SIZE, 10) VALUE(MAX_PITCH, 11)                      \
    VALUE(MAX_REGISTERS_PER_BLOCK, 12) VALUE(CLOCK_RATE, 13) VALUE(TEXTURE_ALIGNMENT, 14)          \
    VALUE(GPU_OVERLAP, 15) VALUE(MULTIPROCESSOR_COUNT, 16) VALUE(KERNEL_EXEC_TIMEOUT, 17)          \
    VALUE(INTEGRATED, 18) VALUE(CAN_MAP_HOST_MEMORY, 19) VALUE(COMPUTE_MODE, 20)                   \
    VALUE(CONCURRENT_KERNELS, 31) VALUE(ECC_ENABLED, 32) VALUE(PCI_BUS_ID, 33)                     \
    VALUE(PCI_DEVICE_ID, 34) VALUE(TCC_DRIVER, 35) VALUE(MEMORY_CLOCK_RATE, 36)                    \
    VALUE(GLOBAL_MEMORY_BUS_WIDTH, 37) VALUE(L2_CACHE_SIZE, 38)                                    \
    VALUE(MAX_THREADS_PER_MULTIPROCESSOR, 39) VALUE(ASYNC_ENGINE_COUNT, 40)                        \
    VALUE(UNIFIED_ADDRESSING, 41) VALUE(PCI_DOMAIN_ID, 50) VALUE(COMPUTE_CAPABILITY_MAJOR, 75)     \
    VALUE(COMPUTE_CAPABILITY_MINOR, 76) VALUE(STREAM_PRIORITIES_SUPPORTED, 78)                     \
    VALUE(GLOBAL_L1_CACHE_SUPPORTED, 79) VALUE(LOCAL_L1_CACHE_SUPPORTED, 80)                       \
    VALUE(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81) VALUE(MAX_REGISTERS_PER_MULTIPROCESSOR, 82)    \
    VALUE(MANAGED_MEMORY, 83) VALUE(MULTI_GPU_BOARD, 84) VALUE(HOST_NATIVE_ATOMIC_SUPPORTED, 86)   \
    VALUE(PAGEABLE_MEMORY_ACCESS, 88) VALUE(CONCURRENT_MANAGED_ACCESS, 89)                         \
    VALUE(COMPUTE_PREEMPTION_SUPPORTED, 90) VALUE(COOPERATIVE_LAUNCH, 95)                          \
    VALUE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) VALUE(HOST_REGISTER_SUPPORTED, 99)                \
    VALUE(MAX_BLOCKS_PER_MULTIPROCESSOR, 106) VALUE(MAX_PERSISTING_L2_CACHE_SIZE, 108)             \
    VALUE(RESERVED_SHARED_MEMORY_PER_BLOCK, 111) VALUE(MEMORY_POOLS_SUPPORTED, 115)                \
    VALUE(CLUSTER_LAUNCH, 120)
/* clang-format on */
typedef enum CUdevice_attribute_enum {
#define SIMT_VALUE(name, number) CU_DEVICE_ATTRIBUTE_##name = number,
    SIMT_DRIVER_ATTRIBUTES(SIMT_VALUE)
#undef SIMT_VALUE
} CUdevice_attribute;
typedef struct CUctxCreateParams_st CUctxCreateParams;

#ifdef __cplusplus
extern "C" {
#endif

CUresult cuInit(unsigned int flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetErrorName(CUresult error, const char **text);
CUresult cuGetErrorString(CUresult error, const char **text);

CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGet(CUdevice *device, int number);
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);

/* CUDA 13 added a second argument. See below. */
CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuCtxDestroy(CUcontext context);
CUresult cuCtxGetCurrent(CUcontext *context);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuCtxPushCurrent(CUcontext context);
CUresult cuCtxPopCurrent(CUcontext *context);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxSynchronize(void);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);

CUresult cuMemGetInfo(size_t *available, size_t *total);
CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr memory);
CUresult cuMemAlloc(CUdeviceptr *memory, size_t size);
CUresult cuMemAllocManaged(CUdeviceptr *memory, size_t size, unsigned int flags);
CUresult cuMemFree(CUdeviceptr memory);
CUresult cuMemAllocHost(void **memory, size_t size);
CUresult cuMemFreeHost(void *memory);
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t size);
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t size);
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t size);
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t size, CUstream stream);
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);
CUresult cuMemsetD8(CUdeviceptr memory, unsigned char value, size_t count);
/* Sets 32-bit values, by copies if their bytes are not all equal. */
CUresult cuMemsetD32(CUdeviceptr memory, unsigned int value, size_t count);

CUresult cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
CUresult cuStreamQuery(CUstream stream);
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult cuEventCreate(CUevent *event, unsigned int flags);
CUresult cuEventDestroy(CUevent event);
CUresult cuEventRecord(CUevent event, CUstream stream);
CUresult cuEventSynchronize(CUevent event);
CUresult cuEventQuery(CUevent event);
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

#ifdef __cplusplus
}

inline CUresult cuCtxCreate(CUcontext *context, CUctxCreateParams *, unsigned int flags,
                            CUdevice device)
{
    return ::cuCtxCreate(context, flags, device);
}
#endif

#endif
