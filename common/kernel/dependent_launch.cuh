/* Launches that overlap the kernel before them in the stream (programmatic dependent launch), on
 * Hopper (sm_90) and later GPUs. On older GPUs and on the CPU back end they are ordinary launches.
 * Source: CUDA Programming Guide, Programmatic Dependent Launch. */
#ifndef RUNGS_DEPENDENT_LAUNCH_CUH
#define RUNGS_DEPENDENT_LAUNCH_CUH

#include <cuda_runtime.h>

#include "kernel/launch_limits.cuh"

/* Lets the blocks of the next kernel in the stream start wherever there is room. */
static inline __device__ void let_next_kernel_in()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits until the kernel before has ended and its writes are visible. Until then a kernel may not
 * access memory that earlier ones use. */
static inline __device__ void wait_for_kernel_before()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Both, for a kernel that is followed by another that calls this, too. */
static inline __device__ void overlap_launches()
{
    let_next_kernel_in();
    wait_for_kernel_before();
}

#ifndef __SIMT__
/* Whether the device can overlap launches and the kernel's code waits: code compiled for an older
 * GPU does not. Asked once, since a launch takes only microseconds: of the device that is current
 * then, and for all kernels of a source file, which are compiled for the same GPUs. */
static inline bool launches_can_overlap(const void *kernel)
{
    static int answer = -1;
    cudaFuncAttributes attributes = {};

    if (answer < 0) {
        cudaFuncGetAttributes(&attributes, kernel);
        answer =
            device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9 && attributes.ptxVersion >= 90;
    }
    return answer;
}

/* Starts kernel(arguments...), which may then overlap the kernel before it in the stream, and so
 * has to call wait_for_kernel_before. An error stays as CUDA's last error. */
template <typename... Parameters, typename... Arguments>
static inline void launch_dependent(void (*kernel)(Parameters...), dim3 grid, unsigned threads,
                                    size_t shared_bytes, Arguments... arguments)
{
    cudaLaunchAttribute overlap = {};
    cudaLaunchConfig_t config = {};

    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared_bytes;
    config.attrs = &overlap;
    config.numAttrs = launches_can_overlap((const void *)kernel) ? 1 : 0;
    cudaLaunchKernelEx(&config, kernel, arguments...);
}
#else
/* The counters show the launch at the line of this macro, under the kernel's name. */
#define launch_dependent(kernel, ...) launch_named(#kernel, __FILE__, __LINE__, kernel, __VA_ARGS__)

template <typename... Parameters, typename... Arguments>
static inline void launch_named(const char *name, const char *file, int line,
                                void (*kernel)(Parameters...), dim3 grid, unsigned threads,
                                size_t shared_bytes, Arguments... arguments)
{
    void *addresses[] = {&arguments...};

    simt::add_function(name, kernel);
    cudaLaunchKernel(kernel, grid, dim3(threads), addresses, shared_bytes, NULL, file, line);
}
#endif

#endif
