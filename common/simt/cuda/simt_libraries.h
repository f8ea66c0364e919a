/* Handles of kernels, and logs. cuda_runtime_api.h includes this. */
#ifndef SIMT_LIBRARIES_H
#define SIMT_LIBRARIES_H

typedef struct CUkern_st *cudaKernel_t; /* the kernel's address, as a handle */
typedef struct CUfunc_st *cudaFunction_t;

typedef struct CUlogsCallbackEntry_st *cudaLogsCallbackHandle;
typedef unsigned int cudaLogIterator;
typedef enum cudaLogLevel { cudaLogLevelError = 0, cudaLogLevelWarning = 1 } cudaLogLevel;
typedef void (*cudaLogsCallback_t)(void *data, cudaLogLevel level, char *message, size_t length);

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *handle, const void *function);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attribute,
                                            int value, int device);
/* Of kernels that are known by their address: the name as it stands in the source. */
cudaError_t cudaFuncGetName(const char **name, const void *function);
cudaError_t cudaFuncGetParamInfo(const void *function, size_t number, size_t *offset, size_t *size);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int block_size);

/* What is to be said is said on standard error; the log stays empty. */
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t function, void *data,
                                     cudaLogsCallbackHandle *callback);
cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback);
cudaError_t cudaLogsCurrent(cudaLogIterator *iterator, unsigned int flags);
cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *path, unsigned int flags);
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
                                 unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif
