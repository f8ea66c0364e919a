/* The C++ forms of the host API that the steps do not use. cuda_runtime_api.h has the forms for C.
 * cuda_runtime.h includes this. */
#ifndef SIMT_HOST_API_H
#define SIMT_HOST_API_H

#include <utility>

#include "cuda_runtime.h"
#include "simt_channels.h"

/* ---- launches without chevrons ---- */

namespace simt
{

template <class... Parameters, size_t... Index>
SIMT_NO_HOOKS void call_with(void (*function)(Parameters...), void **arguments,
                             std::index_sequence<Index...>)
{
    reinterpret_cast<void (*)(taken<Parameters>...)>(function)(
        argument<std::remove_reference_t<Parameters>>(arguments[Index])
            .template as<Parameters>()...);
    (void)arguments;
}

/* Runs one thread of a kernel that the launch knows only by its address. */
template <class... Parameters>
SIMT_NO_HOOKS void invoke_kernel(const void *function, void **arguments)
{
    call_with(reinterpret_cast<void (*)(Parameters...)>(const_cast<void *>(function)), arguments,
              std::index_sequence_for<Parameters...>{});
}

template <class... Parameters>
void add_function(const char *name, void (*function)(Parameters...))
{
    static const size_t sizes[] = {sizeof(Parameters)..., 0};
    simt_add_kernel(name, reinterpret_cast<const void *>(function), invoke_kernel<Parameters...>,
                    SIMT_INTERLEAVED, INSTRUMENTED, sizes, sizeof...(Parameters));
}

/* simt_rewrite puts this call after a kernel. It lets cudaLaunchKernel take the kernel's address as
 * a void pointer. An overloaded name has no single address and is left out. */
template <class Find>
bool add_kernel(const char *name, Find find)
{
    if constexpr (std::is_invocable_v<Find, int>) {
        add_function(name, find(0));
    }
    return true;
}

/* simt_rewrite turns (void *)name<arguments> into this. */
struct kernel_address {
    const char *name;
};

template <class... Parameters>
void *operator%(kernel_address kernel, void (*function)(Parameters...))
{
    add_function(kernel.name, function);
    return reinterpret_cast<void *>(function);
}

/* CUB's BlockReduce returns a result only to the first thread. Others get a value that shows. */
struct result_of_first {
    unsigned int thread;
};
template <class T>
inline T operator%(result_of_first first, T value)
{
    if constexpr (std::is_arithmetic_v<T>)
        simt_result_of_first("cub::BlockReduce", first.thread, &value, sizeof value);
    return value;
}

} // namespace simt

template <class... Parameters>
inline cudaError_t cudaLaunchKernel(void (*function)(Parameters...), dim3 grid, dim3 block,
                                    void **arguments, size_t shared_bytes = 0,
                                    cudaStream_t stream = nullptr, SIMT_SITE)
{
    simt::add_function("", function);
    return ::simt_launch_address(reinterpret_cast<const void *>(function), grid, block, arguments,
                                 shared_bytes, stream, false, simt_file, simt_line);
}

inline cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                                    size_t shared_bytes = 0, cudaStream_t stream = nullptr,
                                    SIMT_SITE)
{
    return ::simt_launch_address(function, grid, block, arguments, shared_bytes, stream, false,
                                 simt_file, simt_line);
}

template <class... Parameters>
inline cudaError_t cudaLaunchCooperativeKernel(void (*function)(Parameters...), dim3 grid,
                                               dim3 block, void **arguments,
                                               size_t shared_bytes = 0,
                                               cudaStream_t stream = nullptr, SIMT_SITE)
{
    simt::add_function("", function);
    return ::simt_launch_address(reinterpret_cast<const void *>(function), grid, block, arguments,
                                 shared_bytes, stream, true, simt_file, simt_line);
}

inline cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                               void **arguments, size_t shared_bytes = 0,
                                               cudaStream_t stream = nullptr, SIMT_SITE)
{
    return ::simt_launch_address(function, grid, block, arguments, shared_bytes, stream, true,
                                 simt_file, simt_line);
}

/* ---- launches with attributes ---- */

/* The members gridDim and blockDim. If these are macros, they also replace the names in a program's
 * config.gridDim. */
#ifdef gridDim
#define SIMT_GRID_AND_BLOCK                                                                        \
    dim3 simt_config_grid, simt_config_block;                                                      \
    dim3 &simt_grid_size()                                                                         \
    {                                                                                              \
        return simt_config_grid;                                                                   \
    }                                                                                              \
    dim3 &simt_block_size()                                                                        \
    {                                                                                              \
        return simt_config_block;                                                                  \
    }
#else
#define SIMT_GRID_AND_BLOCK dim3 gridDim, blockDim;
#endif

typedef struct cudaLaunchConfig_st {
    SIMT_GRID_AND_BLOCK
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attrs;
    unsigned int numAttrs;
} cudaLaunchConfig_t;

namespace simt
{

/* A configuration, and the place of the call that takes it. */
struct placed_config {
    simt_launch_config config;
    const char *file;
    int line;

    placed_config(const cudaLaunchConfig_t *given, SIMT_SITE) : file(simt_file), line(simt_line)
    {
        cudaLaunchConfig_t from = *given;
        config = {from.gridDim, from.blockDim, from.dynamicSmemBytes,
                  from.stream,  from.attrs,    from.numAttrs};
    }
};

} // namespace simt

template <class... Parameters, class... Arguments>
inline cudaError_t cudaLaunchKernelEx(simt::placed_config config, void (*function)(Parameters...),
                                      Arguments &&...arguments)
{
    return [&](Parameters... converted) {
        void *addresses[] = {
            const_cast<void *>(static_cast<const void *>(__builtin_addressof(converted)))...,
            nullptr};
        simt::add_function("", function);
        return ::simt_launch_with(&config.config, reinterpret_cast<const void *>(function),
                                  addresses, config.file, config.line);
    }(std::forward<Arguments>(arguments)...);
}

inline cudaError_t cudaLaunchKernelExC(simt::placed_config config, const void *function,
                                       void **arguments)
{
    return ::simt_launch_with(&config.config, function, arguments, config.file, config.line);
}

template <class... Parameters>
inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, void (*function)(Parameters...),
                                                  simt::placed_config config)
{
    return ::simt_max_clusters(clusters, reinterpret_cast<const void *>(function), &config.config);
}

template <class... Parameters>
inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, void (*function)(Parameters...),
                                                        simt::placed_config config)
{
    return ::simt_max_cluster_size(size, reinterpret_cast<const void *>(function), &config.config);
}

/* ---- nodes of graphs ---- */

struct cudaKernelNodeParams {
    void *func;
    SIMT_GRID_AND_BLOCK
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
};
#undef SIMT_GRID_AND_BLOCK

namespace simt
{

inline simt_kernel_node kernel_node(const cudaKernelNodeParams *given)
{
    cudaKernelNodeParams from = *given;
    return {from.func, from.gridDim, from.blockDim, from.sharedMemBytes, from.kernelParams};
}

} // namespace simt

inline cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                          const cudaGraphNode_t *after, size_t count,
                                          const cudaKernelNodeParams *parameters, SIMT_SITE)
{
    const simt_kernel_node kernel = simt::kernel_node(parameters);
    return ::simt_graph_add_kernel(node, graph, after, count, &kernel, simt_file, simt_line);
}

/* Sets kernelParams to NULL, because the layout of the stored values may be unknown. */
inline cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node,
                                                cudaKernelNodeParams *parameters)
{
    simt_kernel_node kernel = {};
    const cudaError_t error = ::simt_graph_kernel(node, &kernel);
    if (error == cudaSuccess) {
        parameters->func = const_cast<void *>(kernel.function);
        parameters->gridDim = dim3(kernel.grid);
        parameters->blockDim = dim3(kernel.block);
        parameters->sharedMemBytes = kernel.shared_bytes;
        parameters->kernelParams = parameters->extra = nullptr;
    }
    return error;
}

inline cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                const cudaKernelNodeParams *parameters, SIMT_SITE)
{
    const simt_kernel_node kernel = simt::kernel_node(parameters);
    return ::simt_graph_set_kernel(nullptr, node, &kernel, simt_file, simt_line);
}

inline cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams *parameters,
                                                    SIMT_SITE)
{
    const simt_kernel_node kernel = simt::kernel_node(parameters);
    return ::simt_graph_set_kernel(exec, node, &kernel, simt_file, simt_line);
}

#include "simt_graph_params.h"

/* ---- kernels ---- */

template <class... Parameters>
inline cudaError_t cudaFuncSetCacheConfig(void (*)(Parameters...), cudaFuncCache)
{
    return cudaSuccess;
}

template <class Function>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                               Function function,
                                                               size_t shared_bytes = 0,
                                                               int limit = 0, unsigned int = 0)
{
    return cudaOccupancyMaxPotentialBlockSize(grid, block, function, shared_bytes, limit);
}

template <class... Parameters>
inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void (*function)(Parameters...),
                                                       int block_size, size_t shared_bytes,
                                                       unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, reinterpret_cast<const void *>(function), block_size, shared_bytes, flags);
}

/* ---- memory ---- */

template <class T>
inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch(simt::address_of(pointer), pitch, width, height);
}

template <class T>
inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer(simt::address_of(device), host, flags);
}

template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                           cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(simt::address_of(pointer), size, pool, stream);
}

template <class T>
inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                   cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(simt::address_of(pointer), size, pool, stream);
}

/* The forms of CUDA 12 and before, which name a device by its number. */
inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, int device,
                                        cudaStream_t stream = nullptr)
{
    cudaMemLocation location = {cudaMemLocationTypeDevice, device};
    if (device == cudaCpuDeviceId) {
        location = {cudaMemLocationTypeHost, 0};
    }
    return ::cudaMemPrefetchAsync(pointer, size, location, 0, stream);
}

inline cudaError_t cudaMemAdvise(const void *pointer, size_t size, cudaMemoryAdvise advice,
                                 int device)
{
    cudaMemLocation location = {cudaMemLocationTypeDevice, device};
    if (device == cudaCpuDeviceId) {
        location = {cudaMemLocationTypeHost, 0};
    }
    return ::cudaMemAdvise(pointer, size, advice, location);
}

#endif
