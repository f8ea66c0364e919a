/* The host API of CUDA arrays and of three-dimensional memory. */
#include <stdlib.h>

#include "api/graphs.h"
#include "machine/texture.h"
#include "memory/memory.h"
#include "memory/streams.h"

enum { PITCH = 512 };

#define CALLER __builtin_return_address(0)

static struct cudaArray *arrays;

static bool array_exists(cudaArray_const_t array)
{
    const struct cudaArray *known = arrays;
    while (known && known != array) {
        known = known->next;
    }
    return array && known;
}

static size_t at_least_one(size_t size)
{
    return size > 0 ? size : 1;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

/* A format has one, two or four components, all of 8, 16 or 32 bits. */
static bool format_exists(const struct cudaChannelFormatDesc *format)
{
    const unsigned int count = simt_components(format);
    const int bits[] = {format->x, format->y, format->z, format->w};
    for (unsigned int i = 0; i < 4; i++) {
        if (bits[i] != (i < count ? format->x : 0)) {
            return false;
        }
    }
    return (count == 1 || count == 2 || count == 4) &&
           (format->x == 16 || format->x == 32 ||
            (format->x == 8 && format->f != cudaChannelFormatKindFloat)) &&
           (unsigned int)format->f < cudaChannelFormatKindNone;
}

static cudaError_t allocate(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            struct cudaExtent extent, unsigned int flags)
{
    struct cudaArray *made;
    const unsigned int known =
        cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayTextureGather;
    if (flags & cudaArrayCubemap) {
        return simt_error(cudaErrorNotSupported);
    }
    if (!array || !format || extent.width == 0 || (flags & ~known)) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!format_exists(format)) {
        return simt_error(cudaErrorInvalidChannelDescriptor);
    }
    made = calloc(1, sizeof *made);
    if (!made) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    made->format = *format;
    made->extent = extent;
    made->flags = flags;
    made->element = simt_components(format) * (size_t)format->x / 8;
    made->pitch = extent.width * made->element;
    made->slice = made->pitch * at_least_one(extent.height);
    made->data = simt_memory_allocate(made->slice * at_least_one(extent.depth));
    if (!made->data) {
        free(made);
        return simt_error(cudaErrorMemoryAllocation);
    }
    made->next = arrays;
    arrays = *array = made;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned int flags)
{
    SIMT_CALL;
    return allocate(array, format, make_cudaExtent(width, height, 0), flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned int flags)
{
    SIMT_CALL;
    return allocate(array, format, extent, flags);
}

static int device_of(const struct cudaArray *array)
{
    return simt_region_find_base(array->data)->device;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    SIMT_CALL;
    struct cudaArray **link = &arrays;
    if (!array) {
        return cudaSuccess;
    }
    if (!array_exists(array)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    simt_host_waits_for_device(device_of(array));
    while (*link != array) {
        link = &(*link)->next;
    }
    *link = array->next;
    simt_region_release(simt_region_find_base(array->data));
    free(array);
    return cudaSuccess;
}

void simt_arrays_reset(int device)
{
    struct cudaArray *next;
    for (struct cudaArray *array = arrays; array; array = next) {
        next = array->next;
        if (device_of(array) == device) {
            cudaFreeArray(array);
        }
    }
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    SIMT_CALL;
    if (!array_exists(array)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (format) {
        *format = array->format;
    }
    if (extent) {
        *extent = array->extent;
    }
    if (flags) {
        *flags = array->flags;
    }
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    SIMT_CALL;
    if (!format || !array_exists(array)) {
        return simt_error(cudaErrorInvalidValue);
    }
    *format = array->format;
    return cudaSuccess;
}

/* ---- copies of rows ---- */

/* Rows of an array from byte x of row y. `first` is NULL if the array does not contain them. */
static struct simt_rows rows_of(cudaArray_const_t array, size_t x, size_t y, size_t width,
                                size_t height)
{
    struct simt_rows rows = {NULL, 0, width, height};
    if (array_exists(array) && x <= array->pitch && width <= array->pitch - x &&
        y + height <= at_least_one(array->extent.height)) {
        rows.first = array->data + y * array->pitch + x;
        rows.pitch = array->pitch;
    }
    return rows;
}

/* Consecutive bytes, which may continue in the rows that follow. */
static struct simt_rows run_of(cudaArray_const_t array, size_t x, size_t y, size_t count)
{
    struct simt_rows rows = {NULL, count, count, 1};
    if (array_exists(array) && y * array->pitch + x + count <= array->slice) {
        rows.first = array->data + y * array->pitch + x;
    }
    return rows;
}

struct transfer {
    struct simt_rows to, from;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool waits;
};

static cudaError_t make(const struct transfer *transfer, const char *function, const void *caller)
{
    if (!transfer->to.first || !transfer->from.first) {
        return simt_call_failed(function, caller, cudaErrorInvalidValue,
                                "the array does not have these rows");
    }
    return simt_copy_memory(&transfer->to, &transfer->from, transfer->kind, transfer->stream,
                            transfer->waits, function, caller);
}

static struct simt_rows given(const void *memory, size_t pitch, size_t width, size_t height)
{
    return (struct simt_rows){(char *)(uintptr_t)memory, pitch, width, height};
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind)
{
    SIMT_CALL;
    return make(&(struct transfer){rows_of(to, x, y, width, height),
                                   given(from, pitch, width, height), kind, NULL, true},
                "cudaMemcpy2DToArray", CALLER);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    SIMT_CALL;
    return make(&(struct transfer){rows_of(to, x, y, width, height),
                                   given(from, pitch, width, height), kind, stream, false},
                "cudaMemcpy2DToArrayAsync", CALLER);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    SIMT_CALL;
    return make(&(struct transfer){given(to, pitch, width, height),
                                   rows_of(from, x, y, width, height), kind, NULL, true},
                "cudaMemcpy2DFromArray", CALLER);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    SIMT_CALL;
    return make(&(struct transfer){given(to, pitch, width, height),
                                   rows_of(from, x, y, width, height), kind, stream, false},
                "cudaMemcpy2DFromArrayAsync", CALLER);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                              enum cudaMemcpyKind kind)
{
    SIMT_CALL;
    return make(
        &(struct transfer){run_of(to, x, y, count), given(from, count, count, 1), kind, NULL, true},
        "cudaMemcpyToArray", CALLER);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind)
{
    SIMT_CALL;
    return make(
        &(struct transfer){given(to, count, count, 1), run_of(from, x, y, count), kind, NULL, true},
        "cudaMemcpyFromArray", CALLER);
}

/* ---- three dimensions ---- */

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pointer, struct cudaExtent extent)
{
    SIMT_CALL;
    const size_t pitch = (extent.width + PITCH - 1) / PITCH * PITCH;
    if (!pointer) {
        return simt_error(cudaErrorInvalidValue);
    }
    *pointer = make_cudaPitchedPtr(NULL, pitch, extent.width, extent.height);
    return cudaMalloc(&pointer->ptr, pitch * extent.height * extent.depth);
}

/* One end of a copy. `first` is its first byte, or NULL if it does not exist. */
struct end {
    char *first;
    size_t pitch, slice;
};

static bool box_is_in(cudaArray_const_t array, struct cudaPos at, struct cudaExtent extent)
{
    return at.x + extent.width <= array->extent.width &&
           at.y + extent.height <= at_least_one(array->extent.height) &&
           at.z + extent.depth <= at_least_one(array->extent.depth);
}

static struct end end_of(cudaArray_const_t array, struct cudaPos at, struct cudaPitchedPtr memory,
                         struct cudaExtent extent)
{
    struct end end = {NULL, memory.pitch, memory.pitch * memory.ysize};
    if (array && array_exists(array) && box_is_in(array, at, extent)) {
        end = (struct end){array->data + at.z * array->slice + at.y * array->pitch +
                               at.x * array->element,
                           array->pitch, array->slice};
    } else if (!array && memory.ptr) {
        end.first = (char *)memory.ptr + at.z * end.slice + at.y * end.pitch + at.x;
    }
    return end;
}

cudaError_t simt_copy_box(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool waits,
                          const char *function, const void *caller)
{
    size_t element = 1; /* if one side is an array, widths are in elements */
    struct end to, from;
    if (!p || (!p->srcArray == !p->srcPtr.ptr) || (!p->dstArray == !p->dstPtr.ptr)) {
        return simt_call_failed(function, caller, cudaErrorInvalidValue,
                                "it takes one source and one destination");
    }
    if (simt_captures(stream)) {
        const struct simt_work work = {.type = cudaGraphNodeTypeMemcpy,
                                       .function = function,
                                       .caller = caller,
                                       .is_box = true,
                                       .box = *p};
        return simt_capture(stream, &work);
    }
    if (array_exists(p->srcArray) || array_exists(p->dstArray)) {
        element = array_exists(p->srcArray) ? p->srcArray->element : p->dstArray->element;
    }
    to = end_of(p->dstArray, p->dstPos, p->dstPtr, p->extent);
    from = end_of(p->srcArray, p->srcPos, p->srcPtr, p->extent);
    if (!to.first || !from.first) {
        return simt_call_failed(function, caller, cudaErrorInvalidValue,
                                "an array is none, or does not have this box");
    }
    for (size_t z = 0; z < p->extent.depth; z++) {
        const size_t width = p->extent.width * element;
        const cudaError_t error = make(
            &(struct transfer){{to.first + z * to.slice, to.pitch, width, p->extent.height},
                               {from.first + z * from.slice, from.pitch, width, p->extent.height},
                               p->kind,
                               stream,
                               waits},
            function, caller);
        if (error != cudaSuccess) {
            return error;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *parameters)
{
    SIMT_CALL;
    return simt_copy_box(parameters, NULL, true, "cudaMemcpy3D", CALLER);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *parameters, cudaStream_t stream)
{
    SIMT_CALL;
    return simt_copy_box(parameters, stream, false, "cudaMemcpy3DAsync", CALLER);
}

static cudaError_t fill_box(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
                            cudaStream_t stream, const char *function, const void *caller)
{
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++) {
        const struct simt_rows rows = {(char *)pointer.ptr + z * pointer.pitch * pointer.ysize,
                                       pointer.pitch, extent.width, extent.height};
        error = simt_fill_memory(&rows, value, stream, function, caller);
    }
    return error;
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent)
{
    SIMT_CALL;
    return fill_box(pointer, value, extent, NULL, "cudaMemset3D", CALLER);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
                              cudaStream_t stream)
{
    SIMT_CALL;
    return fill_box(pointer, value, extent, stream, "cudaMemset3DAsync", CALLER);
}
/* SPDX-License-Identifier: MIT */
