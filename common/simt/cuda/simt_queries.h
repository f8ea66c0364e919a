/* Queries of streams and devices, and batches of copies. cuda_runtime_api.h includes this. */
#ifndef SIMT_QUERIES_H
#define SIMT_QUERIES_H

#define cudaInitDeviceFlagsAreValid 1
#define cudaOccupancyDefault 0
#define cudaOccupancyDisableCachingOverride 1

enum cudaMemcpyFlags { cudaMemcpyFlagDefault = 0, cudaMemcpyFlagPreferOverlapWithCompute = 1 };
enum cudaMemcpySrcAccessOrder {
    cudaMemcpySrcAccessOrderInvalid = 0,
    cudaMemcpySrcAccessOrderStream = 1,
    cudaMemcpySrcAccessOrderDuringApiCall = 2,
    cudaMemcpySrcAccessOrderAny = 3,
    cudaMemcpySrcAccessOrderMax = 0x7fffffff
};
struct cudaMemcpyAttributes {
    enum cudaMemcpySrcAccessOrder srcAccessOrder;
    struct cudaMemLocation srcLocHint, dstLocHint;
    unsigned int flags;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Uses `device_flags` only if the last argument says so. */
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *number);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
/* Performs the copies one after the other. Attributes have no effect here. */
cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes,
                                 size_t count, struct cudaMemcpyAttributes *attributes,
                                 size_t *first_of_each, size_t attribute_count,
                                 cudaStream_t stream);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int block_size, size_t shared_bytes, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
