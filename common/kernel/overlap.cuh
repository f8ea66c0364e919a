/* Programmatic dependent launch, on Hopper (sm_90) and later GPUs: a kernel starts while the
 * previous kernel in the stream is still running. On older GPUs and the CPU back end, launches are
 * ordinary. Source: CUDA Programming Guide, Programmatic Dependent Launch. */
#ifndef RUNGS_OVERLAP_CUH
#define RUNGS_OVERLAP_CUH

#include <cuda_runtime.h>

/* Allows blocks of the next kernel in the stream to start on SMs that have room. */
static inline __device__ void let_next_kernel_in()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits until the previous kernel in the stream has ended and its writes are visible. Before this
 * wait, a kernel must not access memory that earlier kernels use. */
static inline __device__ void wait_for_kernel_before()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Both, for a kernel whose successor in the stream also calls this. */
static inline __device__ void overlap_launches()
{
    let_next_kernel_in();
    wait_for_kernel_before();
}

/* Whether launches can overlap: the device supports it, and the kernel was compiled for a GPU on
 * which it waits. Determined once for all kernels of a source file, which are compiled for the same
 * GPUs, and for the device that is current then. A query per launch would take longer. */
static inline bool launches_can_overlap(const void *kernel)
{
#ifdef __SIMT__
    (void)kernel;
    return false;
#else
    static int answer = -1;
    cudaFuncAttributes attributes = {};
    int device = 0, major = 0;

    if (answer < 0) {
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
        cudaFuncGetAttributes(&attributes, kernel);
        answer = major >= 9 && attributes.ptxVersion >= 90;
    }
    return answer;
#endif
}

/* The configuration of a launch that may overlap the previous one in the stream, so the kernel must
 * call wait_for_kernel_before. `attribute` is filled in, and must exist until the launch. */
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

/* ---- for steps 07 and 08, in C++: launches of kernels with any parameters -------------------- */

#ifndef __SIMT__
/* Launches kernel(arguments...) in a stream. The kernel may overlap the previous one there, so it
 * must call wait_for_kernel_before. The caller checks for errors with cudaGetLastError. */
template <typename... Parameters, typename... Arguments>
static inline void launch_dependent_in(cudaStream_t stream, void (*kernel)(Parameters...),
                                       dim3 grid, unsigned threads, size_t shared_bytes,
                                       Arguments... arguments)
{
    cudaLaunchAttribute overlap = {};
    const cudaLaunchConfig_t config =
        overlapping((const void *)kernel, grid, threads, shared_bytes, stream, &overlap);

    cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* The same in the default stream. */
#define launch_dependent(...) launch_dependent_in((cudaStream_t)0, __VA_ARGS__)

#define launch_dependent_clusters(kernel, ...) launch_clusters(kernel, __VA_ARGS__)
#define launch_dependent_together(kernel, ...) launch_together(kernel, __VA_ARGS__)
#else
#define launch_dependent_clusters(kernel, ...)                                                     \
    (simt::add_function(#kernel, kernel), launch_clusters(kernel, __VA_ARGS__))
#define launch_dependent_together(kernel, ...)                                                     \
    (simt::add_function(#kernel, kernel), launch_together(kernel, __VA_ARGS__))

/* Counters show the launch under the kernel's name, at the line where this macro is used. */
#define launch_dependent(kernel, ...) launch_dependent_in(NULL, kernel, __VA_ARGS__)
#define launch_dependent_in(stream, kernel, ...)                                                   \
    launch_named(#kernel, __FILE__, __LINE__, stream, kernel, __VA_ARGS__)

template <typename... Parameters, typename... Arguments>
static inline void launch_named(const char *name, const char *file, int line, cudaStream_t stream,
                                void (*kernel)(Parameters...), dim3 grid, unsigned threads,
                                size_t shared_bytes, Arguments... arguments)
{
    void *addresses[] = {&arguments...};

    simt::add_function(name, kernel);
    cudaLaunchKernel(kernel, grid, dim3(threads), addresses, shared_bytes, stream, file, line);
}
#endif

/* launch_dependent with one more attribute. */
template <typename... Parameters, typename... Arguments>
static inline void launch_with(cudaLaunchAttribute attribute, void (*kernel)(Parameters...),
                               dim3 grid, unsigned threads, size_t shared_bytes,
                               Arguments... arguments)
{
    cudaLaunchAttribute attributes[2] = {attribute};
    cudaLaunchConfig_t config = {};

    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = attributes;
    config.numAttrs = launches_can_overlap((const void *)kernel) ? 2 : 1;
    cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* Launches in clusters of that many blocks (kernel/cluster.cuh). */
template <typename... Parameters, typename... Arguments>
static inline void launch_clusters(void (*kernel)(Parameters...), unsigned cluster, dim3 grid,
                                   unsigned threads, size_t shared_bytes, Arguments... arguments)
{
    cudaLaunchAttribute attribute = {};

    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    launch_with(attribute, kernel, grid, threads, shared_bytes, arguments...);
}

/* Launches blocks that wait for one another: all run at the same time (a cooperative launch). */
template <typename... Parameters, typename... Arguments>
static inline void launch_together(void (*kernel)(Parameters...), dim3 grid, unsigned threads,
                                   size_t shared_bytes, Arguments... arguments)
{
    cudaLaunchAttribute attribute = {};

    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    launch_with(attribute, kernel, grid, threads, shared_bytes, arguments...);
}

#endif
/* SPDX-License-Identifier: MIT */
