/* What is known of kernels. cuda_runtime_api.h includes this. */
#ifndef SIMT_LIBRARIES_H
#define SIMT_LIBRARIES_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of kernels that are known by their address: the name as it stands in the source. */
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int block_size);

#ifdef __cplusplus
}
#endif

#endif
