/* The host API of texture and surface objects. */
#include <stdlib.h>

#include "api/api.h"
#include "machine/texture.h"
#include "memory/memory.h"

/* Describes the resource as an array. False if it is invalid or not supported. */
static bool describe(struct cudaArray *array, const struct cudaResourceDesc *resource)
{
    if (resource->resType == cudaResourceTypeArray) {
        const cudaArray_t given = resource->res.array.array;
        struct cudaChannelFormatDesc format;
        if (cudaGetChannelDesc(&format, given) != cudaSuccess) {
            return false;
        }
        *array = *given;
        return true;
    }
    *array = (struct cudaArray){0};
    if (resource->resType == cudaResourceTypeLinear) {
        array->format = resource->res.linear.desc;
        array->data = resource->res.linear.devPtr;
        array->element = simt_components(&array->format) * (size_t)array->format.x / 8;
        array->extent.width =
            array->element ? resource->res.linear.sizeInBytes / array->element : 0;
    } else if (resource->resType == cudaResourceTypePitch2D) {
        array->format = resource->res.pitch2D.desc;
        array->data = resource->res.pitch2D.devPtr;
        array->element = simt_components(&array->format) * (size_t)array->format.x / 8;
        array->extent.width = resource->res.pitch2D.width;
        array->extent.height = resource->res.pitch2D.height;
        array->pitch = resource->res.pitch2D.pitchInBytes;
    }
    return array->element > 0 && array->extent.width > 0 &&
           simt_memory_type(array->data) != cudaMemoryTypeUnregistered;
}

static cudaError_t create(unsigned long long *object, const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *description)
{
    struct simt_texture *texture;
    struct cudaArray array;
    if (!object || !resource || !describe(&array, resource)) {
        return simt_error(cudaErrorInvalidValue);
    }
    texture = calloc(1, sizeof *texture);
    if (!texture) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    texture->array = array;
    texture->resource = *resource;
    texture->is_surface = !description;
    if (description) {
        texture->description = *description;
    }
    simt_texture_add(texture);
    *object = (uintptr_t)texture;
    return cudaSuccess;
}

/* Integers can be filtered only if they are read as normalized floats. */
static bool can_filter(const struct cudaResourceDesc *resource,
                       const struct cudaTextureDesc *description)
{
    struct cudaArray array;
    return description->filterMode == cudaFilterModePoint ||
           description->readMode == cudaReadModeNormalizedFloat ||
           (describe(&array, resource) && array.format.f == cudaChannelFormatKindFloat);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description,
                                    const struct cudaResourceViewDesc *view)
{
    SIMT_CALL;
    if (view || (resource && resource->resType == cudaResourceTypeMipmappedArray)) {
        return simt_error(cudaErrorNotSupported);
    }
    if (!description || !resource || !can_filter(resource, description)) {
        return simt_error(cudaErrorInvalidValue);
    }
    return create(texture, resource, description);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *resource)
{
    SIMT_CALL;
    if (!resource || resource->resType != cudaResourceTypeArray) {
        return simt_error(cudaErrorInvalidValue);
    }
    return create(surface, resource, NULL);
}

static cudaError_t destroy(unsigned long long object, bool is_surface)
{
    struct simt_texture *texture = simt_texture_find(object);
    if (object == 0) {
        return cudaSuccess;
    }
    if (!texture || texture->is_surface != is_surface) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    simt_texture_remove(texture);
    free(texture);
    return cudaSuccess;
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    SIMT_CALL;
    return destroy(texture, false);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
    SIMT_CALL;
    return destroy(surface, true);
}

/* SPDX-License-Identifier: MIT */
