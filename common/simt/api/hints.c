/* The host API of settings that have no effect here. Only their arguments are checked. */
#include <string.h>

#include "api/api.h"

/* An H200 has banks of four bytes, whatever the program sets. */
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    SIMT_CALL;
    return simt_error((unsigned int)config <= cudaSharedMemBankSizeEightByte
                          ? cudaSuccess
                          : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    SIMT_CALL;
    if (!config) {
        return simt_error(cudaErrorInvalidValue);
    }
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config)
{
    SIMT_CALL;
    return function ? cudaDeviceSetSharedMemConfig(config)
                    : simt_error(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    SIMT_CALL;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    SIMT_CALL;
    if (!flags) {
        return simt_error(cudaErrorInvalidValue);
    }
    *flags = cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    SIMT_CALL;
    if (!device || !wanted) {
        return simt_error(cudaErrorInvalidValue);
    }
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value)
{
    SIMT_CALL;
    (void)attribute;
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    return simt_error(value ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue *value)
{
    SIMT_CALL;
    (void)attribute;
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (!value) {
        return simt_error(cudaErrorInvalidValue);
    }
    memset(value, 0, sizeof *value);
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
