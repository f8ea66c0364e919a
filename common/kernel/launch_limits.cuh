/* Limits of launches on the current device, for kernels that need more than every GPU offers. */
#ifndef RUNGS_LAUNCH_LIMITS_CUH
#define RUNGS_LAUNCH_LIMITS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* Returns an attribute of the current device. */
static inline int device_attribute(enum cudaDeviceAttr attribute)
{
    int device = 0, value = 0;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&value, attribute, device);
    return value;
}

/* Whether a block may have that much shared memory. The limit is 64 KB on sm_75, 227 KB on sm_90,
 * but 99 KB on sm_86, sm_89 and sm_120. It is queried once, for the device that is current then.
 * Source: CUDA Programming Guide, Technical Specifications per Compute Capability. */
static inline bool block_may_have(size_t shared_bytes)
{
    static int most = 0;

    if (most == 0)
        most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    return shared_bytes <= (size_t)most;
}

/* Whether a grid may have that many blocks in x; the limit is the same on all GPUs. */
static inline bool grid_may_have(size_t blocks)
{
    return blocks <= INT32_MAX;
}

#endif
/* SPDX-License-Identifier: MIT */
