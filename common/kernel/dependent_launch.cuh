/* Launches that overlap the kernel before them in the stream, from Hopper (sm_90) on. On older GPUs
 * and on the CPU back end they are ordinary launches. Source: CUDA Programming Guide, Programmatic
 * Dependent Launch. */
#ifndef RUNGS_DEPENDENT_LAUNCH_CUH
#define RUNGS_DEPENDENT_LAUNCH_CUH

#include <cuda_runtime.h>

#include "kernel/launch_limits.cuh"

/* Lets the next kernel in the stream come to the multiprocessors as room appears. */
static inline __device__ void let_next_kernel_in()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Waits until the kernel before has ended and its writes are visible. Until then nothing of the
 * caller's may be read or written. */
static inline __device__ void wait_for_kernel_before()
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* For a kernel whose next one in the stream does the same. */
static inline __device__ void overlap_launches()
{
    let_next_kernel_in();
    wait_for_kernel_before();
}

/* Starts kernel(arguments...), which has to call wait_for_kernel_before, so that it may overlap the
 * kernel before it in the stream. An error stays as CUDA's last error. */
#ifndef __SIMT__
/* Whether the device and the code that the kernel was compiled to can: code for an older GPU does
 * not wait. Asked once, of the device that is current then and for all kernels of a source, which
 * are compiled for the same GPUs: a launch of microseconds has no time for it. */
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
/* Under the kernel's name, and as if launched where the macro stands: so the counters tell. */
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
