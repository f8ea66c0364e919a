/* The host API of memory ranges: queries, and batches of hints. */
#include <string.h>

#include "api/api.h"
#include "memory/memory.h"

/* Hints are not stored, so the answers are those without any hint. */
cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_size,
                                     enum cudaMemRangeAttribute attribute, const void *pointer,
                                     size_t size)
{
    SIMT_CALL;
    const bool is_flag = attribute == cudaMemRangeAttributeReadMostly ||
                         attribute == cudaMemRangeAttributePreferredLocationType ||
                         attribute == cudaMemRangeAttributeLastPrefetchLocationType;
    const int value = is_flag ? 0 : cudaInvalidDeviceId;
    const bool is_list = attribute == cudaMemRangeAttributeAccessedBy;
    if (!data || size == 0 || simt_memory_type(pointer) != cudaMemoryTypeManaged ||
        attribute < cudaMemRangeAttributeReadMostly ||
        attribute > cudaMemRangeAttributeLastPrefetchLocationId || data_size < sizeof value ||
        data_size % sizeof value != 0 || (!is_list && data_size != sizeof value)) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (size_t at = 0; at < data_size; at += sizeof value) {
        memcpy((char *)data + at, &value, sizeof value);
    }
    return cudaSuccess;
}

/* ---- batches ---- */

static bool firsts_are_right(const size_t *first_of_each, size_t locations, size_t count)
{
    bool right = first_of_each && locations > 0 && locations <= count && first_of_each[0] == 0;
    for (size_t i = 1; right && i < locations; i++) {
        right = first_of_each[i] > first_of_each[i - 1] && first_of_each[i] < count;
    }
    return right;
}

cudaError_t cudaMemPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                      struct cudaMemLocation *locations, size_t *first_of_each,
                                      size_t location_count, unsigned long long flags,
                                      cudaStream_t stream)
{
    SIMT_CALL;
    size_t location = 0;
    cudaError_t error = cudaSuccess;
    if (!pointers || !sizes || !locations || flags != 0 ||
        !firsts_are_right(first_of_each, location_count, count)) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        location += location + 1 < location_count && first_of_each[location + 1] == i;
        error = cudaMemPrefetchAsync(pointers[i], sizes[i], locations[location], 0, stream);
    }
    return error;
}

/* Discarded memory may keep its contents. */
cudaError_t cudaMemDiscardBatchAsync(void **pointers, size_t *sizes, size_t count,
                                     unsigned long long flags, cudaStream_t stream)
{
    SIMT_CALL;
    bool right = pointers && sizes && count > 0 && flags == 0;
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    for (size_t i = 0; right && i < count; i++) {
        right = sizes[i] > 0 && simt_memory_type(pointers[i]) == cudaMemoryTypeManaged;
    }
    return simt_error(right ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **pointers, size_t *sizes, size_t count,
                                                struct cudaMemLocation *locations,
                                                size_t *first_of_each, size_t location_count,
                                                unsigned long long flags, cudaStream_t stream)
{
    SIMT_CALL;
    const cudaError_t error = cudaMemDiscardBatchAsync(pointers, sizes, count, flags, stream);
    return error == cudaSuccess
               ? cudaMemPrefetchBatchAsync(pointers, sizes, count, locations, first_of_each,
                                           location_count, flags, stream)
               : error;
}

/* All host memory of CUDA is mapped and portable. */
cudaError_t cudaHostGetFlags(unsigned int *flags, void *pointer)
{
    SIMT_CALL;
    const enum cudaMemoryType type = simt_memory_type(pointer);
    if (!flags || type != cudaMemoryTypeHost) {
        return simt_error(cudaErrorInvalidValue);
    }
    *flags = cudaHostAllocMapped | cudaHostAllocPortable;
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
