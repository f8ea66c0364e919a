/* The host API: queries about streams and devices, and batches of copies. */
#include "api/graphs.h"
#include "base/own.h"
#include "memory/streams.h"

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    SIMT_CALL;
    int count = 0;
    (void)device_flags;
    cudaGetDeviceCount(&count);
    if (flags & ~(unsigned int)cudaInitDeviceFlagsAreValid) {
        return simt_error(cudaErrorInvalidValue);
    }
    return simt_error(device >= 0 && device < count ? cudaSuccess : cudaErrorInvalidDevice);
}

/* The error of a query about a stream. `answer`: where the answer is stored. */
static cudaError_t check(cudaStream_t stream, const void *answer)
{
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    return answer ? cudaSuccess : simt_error(cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    SIMT_CALL;
    const cudaError_t error = check(stream, priority);
    if (error == cudaSuccess) {
        *priority = 0; /* the only priority */
    }
    return error;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
    SIMT_CALL;
    const cudaError_t error = check(stream, flags);
    if (error == cudaSuccess) {
        *flags = !stream || stream == cudaStreamLegacy || simt_stream_is_blocking(stream)
                     ? cudaStreamDefault
                     : cudaStreamNonBlocking;
    }
    return error;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *number)
{
    SIMT_CALL;
    const cudaError_t error = check(stream, number);
    if (error == cudaSuccess) {
        *number = (uintptr_t)stream;
    }
    return error;
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    SIMT_CALL;
    const cudaError_t error = check(stream, device);
    if (error == cudaSuccess) {
        *device = simt_stream_device(stream);
    }
    return error;
}

cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes,
                                 size_t count, struct cudaMemcpyAttributes *attributes,
                                 size_t *first_of_each, size_t attribute_count, cudaStream_t stream)
{
    SIMT_CALL;
    if (!to || !from || !sizes || count == 0 || !attributes || !first_of_each ||
        attribute_count == 0 || attribute_count > count || first_of_each[0] != 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < attribute_count; i++) {
        if (attributes[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
            attributes[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny ||
            (i > 0 && first_of_each[i] <= first_of_each[i - 1]) || first_of_each[i] >= count) {
            return simt_error(cudaErrorInvalidValue);
        }
    }
    for (size_t i = 0; i < count; i++) {
        const cudaError_t error =
            cudaMemcpyAsync(to[i], from[i], sizes[i], cudaMemcpyDefault, stream);
        if (error != cudaSuccess) {
            return error;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int block_size, size_t shared_bytes, unsigned int flags)
{
    SIMT_CALL;
    (void)flags; /* it only concerns caches */
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size,
                                                         shared_bytes);
}

/* ---- atomics between a device and others ---- */

/* Atomics of 32 and 64 bits. The only one on floats is addition. */
static unsigned int capabilities_of(enum cudaAtomicOperation operation)
{
    const unsigned int sizes = cudaAtomicCapabilityScalar32 | cudaAtomicCapabilityScalar64;
    return operation == cudaAtomicOperationFloatAdd ? cudaAtomicCapabilityReduction | sizes
           : operation > cudaAtomicOperationFloatAdd
               ? 0
               : cudaAtomicCapabilitySigned | cudaAtomicCapabilityUnsigned |
                     cudaAtomicCapabilityReduction | sizes;
}

static cudaError_t tell_capabilities(unsigned int *capabilities,
                                     const enum cudaAtomicOperation *operations, unsigned int count,
                                     bool has_any)
{
    if (!capabilities || !operations || count == 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (unsigned int i = 0; i < count; i++) {
        if ((unsigned int)operations[i] > cudaAtomicOperationFloatMax) {
            return simt_error(cudaErrorInvalidValue);
        }
        capabilities[i] = has_any ? capabilities_of(operations[i]) : 0;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                                const enum cudaAtomicOperation *operations,
                                                unsigned int count, int device)
{
    SIMT_CALL;
    return simt_device_exists(device) ? tell_capabilities(capabilities, operations, count, false)
                                      : simt_error(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                               const enum cudaAtomicOperation *operations,
                                               unsigned int count, int device, int peer)
{
    SIMT_CALL;
    return simt_device_exists(device) && simt_device_exists(peer) && device != peer
               ? tell_capabilities(capabilities, operations, count, true)
               : simt_error(cudaErrorInvalidDevice);
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    SIMT_CALL;
    if ((!devices && count > 0) || count < 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (int i = 0; i < count; i++) {
        if (!simt_device_exists(devices[i])) {
            return simt_error(cudaErrorInvalidDevice);
        }
    }
    return cudaSuccess;
}

/* Streams have no attributes here. */
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    SIMT_CALL;
    return simt_error(simt_stream_exists(to) && simt_stream_exists(from)
                          ? cudaSuccess
                          : cudaErrorInvalidResourceHandle);
}
/* SPDX-License-Identifier: MIT */
