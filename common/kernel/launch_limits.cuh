/* What a launch may ask for on the current device, for kernels that need more than every GPU
 * has. */
#ifndef RUNGS_LAUNCH_LIMITS_CUH
#define RUNGS_LAUNCH_LIMITS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* Of the device that is current. */
static inline int device_attribute(enum cudaDeviceAttr attribute)
{
    int device = 0, value = 0;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, attribute, device);
    return value;
}

/* Source: CUDA Programming Guide, Technical Specifications per Compute Capability: from 64 KB on
 * sm_75 to 227 KB on sm_90, but 99 KB on sm_86, sm_89 and sm_120. Asked once, of the device that is
 * current then. */
static inline bool block_may_have(size_t shared_bytes)
{
    static int most = 0;

    if (most == 0)
        most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return shared_bytes <= (size_t)most;
}

/* In one dimension, x, on every GPU. */
static inline bool grid_may_have(size_t blocks)
{
    return blocks <= INT32_MAX;
}

#endif
