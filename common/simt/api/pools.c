/* The host API of memory pools. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "memory/memory.h"

enum { ATTRIBUTES = cudaMemPoolAttrUsedMemHigh + 1 };

struct CUmemPoolHandle_st {
    struct CUmemPoolHandle_st *next;
    uint64_t values[ATTRIBUTES];
};

static struct CUmemPoolHandle_st first = {NULL, {0, 1, 1, 1}}, *pools = &first, *current = &first;

static bool pool_exists(cudaMemPool_t pool)
{
    const struct CUmemPoolHandle_st *known = pools;
    while (known && known != pool) {
        known = known->next;
    }
    return pool && known;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    SIMT_CALL;
    if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (properties->handleTypes != cudaMemHandleTypeNone) {
        return simt_error(cudaErrorNotSupported);
    }
    *pool = malloc(sizeof **pool);
    if (!*pool) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    **pool = first;
    (*pool)->next = pools;
    pools = *pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    SIMT_CALL;
    struct CUmemPoolHandle_st **link = &pools;
    if (!pool_exists(pool) || pool == &first) {
        return simt_error(cudaErrorInvalidValue);
    }
    while (*link != pool) {
        link = &(*link)->next;
    }
    *link = pool->next;
    current = current == pool ? &first : current;
    free(pool);
    return cudaSuccess;
}

/* The first three attributes have type int, the others uint64_t. CUDA lets a program set the last
 * ones only to reset a high-water mark to 0; here that does nothing. */
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    SIMT_CALL;
    if (!pool_exists(pool) || !value || attribute < cudaMemPoolReuseFollowEventDependencies ||
        attribute > cudaMemPoolAttrUsedMemHigh) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (attribute < cudaMemPoolAttrReleaseThreshold) {
        int given;
        memcpy(&given, value, sizeof given);
        pool->values[attribute] = given != 0;
    } else if (attribute == cudaMemPoolAttrReleaseThreshold) {
        memcpy(&pool->values[attribute], value, sizeof(uint64_t));
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    SIMT_CALL;
    uint64_t known;
    if (!pool_exists(pool) || !value || attribute < cudaMemPoolReuseFollowEventDependencies ||
        attribute > cudaMemPoolAttrUsedMemHigh) {
        return simt_error(cudaErrorInvalidValue);
    }
    known = attribute > cudaMemPoolAttrReleaseThreshold
                ? simt_memory_total() - simt_memory_available()
                : pool->values[attribute];
    if (attribute < cudaMemPoolAttrReleaseThreshold) {
        memcpy(value, &(int){(int)known}, sizeof(int));
    } else {
        memcpy(value, &known, sizeof known);
    }
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    SIMT_CALL;
    (void)keep;
    return simt_error(pool_exists(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access,
                                 size_t count)
{
    SIMT_CALL;
    return simt_error(pool_exists(pool) && (access || count == 0) ? cudaSuccess
                                                                  : cudaErrorInvalidValue);
}

static cudaError_t check_device(const void *pool, int device)
{
    int count = 0;
    cudaGetDeviceCount(&count);
    return simt_error(!pool                           ? cudaErrorInvalidValue
                      : device >= 0 && device < count ? cudaSuccess
                                                      : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    SIMT_CALL;
    const cudaError_t error = check_device(pool, device);
    if (error == cudaSuccess) {
        *pool = &first;
    }
    return error;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    SIMT_CALL;
    const cudaError_t error = check_device(pool, device);
    if (error == cudaSuccess) {
        *pool = current;
    }
    return error;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    SIMT_CALL;
    const cudaError_t error = check_device(pool_exists(pool) ? pool : NULL, device);
    if (error == cudaSuccess) {
        current = pool;
    }
    return error;
}

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream)
{
    SIMT_CALL;
    return pool_exists(pool) ? cudaMallocAsync(pointer, size, stream)
                             : simt_error(cudaErrorInvalidValue);
}

/* ---- pools by location ---- */

static cudaError_t check_location(const void *answer, const struct cudaMemLocation *location)
{
    if (!answer || !location) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (location->type != cudaMemLocationTypeDevice) {
        return simt_call_failed("a memory pool", __builtin_return_address(0), cudaErrorNotSupported,
                                "pools give out memory of the device only");
    }
    return simt_error(simt_device_exists(location->id) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location)
{
    SIMT_CALL;
    const cudaError_t error = check_location(pool_exists(pool) ? flags : NULL, location);
    if (error == cudaSuccess) {
        *flags = cudaMemAccessFlagsProtReadWrite;
    }
    return error;
}

/* Only pools of device memory exist here, not managed ones. */
static cudaError_t check_pinned(const void *pool, const struct cudaMemLocation *location,
                                enum cudaMemAllocationType type)
{
    return type == cudaMemAllocationTypePinned ? check_location(pool, location)
                                               : simt_error(cudaErrorNotSupported);
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    SIMT_CALL;
    const cudaError_t error = check_pinned(pool, location, type);
    return error == cudaSuccess ? cudaDeviceGetDefaultMemPool(pool, location->id) : error;
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type)
{
    SIMT_CALL;
    const cudaError_t error = check_pinned(pool, location, type);
    return error == cudaSuccess ? cudaDeviceGetMemPool(pool, location->id) : error;
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t pool)
{
    SIMT_CALL;
    const cudaError_t error = type == cudaMemAllocationTypePinned
                                  ? check_location(pool, location)
                                  : simt_error(cudaErrorNotSupported);
    return error == cudaSuccess ? cudaDeviceSetMemPool(location->id, pool) : error;
}
/* SPDX-License-Identifier: MIT */
