/* The host API of kernels: names, parameters, what is left of shared memory. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "base/own.h"
#include "program/layout.h"

cudaError_t cudaFuncGetName(const char **name, const void *function)
{
    SIMT_CALL;
    const struct simt_kernel *kernel = simt_find_kernel(function);
    if (!name) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!kernel || !kernel->invoke) {
        return simt_error(cudaErrorInvalidDeviceFunction);
    }
    *name = kernel->name;
    return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                      int blocks, int block_size)
{
    SIMT_CALL;
    size_t of_block, own;
    if (!bytes || !function || blocks < 1 || block_size < 1 ||
        block_size > SIMT_MAX_BLOCK_THREADS) {
        return simt_error(cudaErrorInvalidValue);
    }
    own = simt_layout_of(function)->own_bytes;
    of_block = SIMT_MULTIPROCESSOR_SHARED / (size_t)blocks;
    of_block = of_block > SIMT_RESERVED_SHARED ? of_block - SIMT_RESERVED_SHARED : 0;
    of_block = of_block < SIMT_MAX_SHARED_BYTES ? of_block : SIMT_MAX_SHARED_BYTES;
    *bytes = of_block > own ? of_block - own : 0;
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
