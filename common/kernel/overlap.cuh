/* Programmatic dependent launch, on Hopper (sm_90) and later GPUs: a kernel starts while the kernel
 * before it in the stream is still running. On older GPUs and the CPU back end, launches are
 * ordinary. Source: CUDA Programming Guide, Programmatic Dependent Launch. */
#ifndef RUNGS_OVERLAP_CUH
#define RUNGS_OVERLAP_CUH

#include <cuda_runtime.h>

#include "kernel/launch_limits.cuh"

/* Allows blocks of the next kernel in the stream to start on multiprocessors that have room. */
static inline __device__ void let_next_kernel_in()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits until the kernel before it in the stream has ended and its writes are visible. Before that,
 * a kernel must not access memory that earlier kernels use. */
static inline __device__ void wait_for_kernel_before()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Both; for a kernel whose successor in the stream also calls this. */
static inline __device__ void overlap_launches()
{
    let_next_kernel_in();
    wait_for_kernel_before();
}

/* Whether launches can overlap: the device supports it, and the kernel was compiled for a GPU on
 * which it waits. Determined once for all kernels of a source file, which are compiled for the same
 * GPUs, and for the device that is current then, because the query would lengthen each launch. */
static inline bool launches_can_overlap(const void *kernel)
{
#ifdef __SIMT__
    (void)kernel;
    return false;
#else
    static int answer = -1;
    cudaFuncAttributes attributes = {};

    if (answer < 0) {
        cudaFuncGetAttributes(&attributes, kernel);
        answer =
            device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9 && attributes.ptxVersion >= 90;
    }
    return answer;
#endif
}

/* The configuration of a launch that may overlap the one before it in the stream, so the kernel has
 * to call wait_for_kernel_before. `attribute` is filled in, and must last as long. */
static inline cudaLaunchConfig_t overlapping(const void *kernel, dim3 grid, unsigned threads,
                                             size_t shared_bytes, cudaStream_t stream,
                                             cudaLaunchAttribute *attribute)
{
    cudaLaunchConfig_t config = {};

    attribute->id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute->val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = launches_can_overlap(kernel) ? 1 : 0;
    return config;
}

#endif
/* SPDX-License-Identifier: MIT */
