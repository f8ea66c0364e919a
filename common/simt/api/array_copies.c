/* The host API of CUDA arrays: copies between arrays, of runs of bytes, between devices, in
 * batches; and queries about arrays. */
#include <string.h>

#include "api/api.h"
#include "machine/texture.h"

#define CALLER __builtin_return_address(0)

static bool exists(cudaArray_const_t array)
{
    struct cudaChannelFormatDesc format;
    return array &&
           cudaArrayGetInfo(&format, NULL, NULL, (cudaArray_t)(uintptr_t)array) == cudaSuccess;
}

/* `count` consecutive bytes, from byte x of row y. `first` is NULL if the array does not contain
 * them. */
static struct simt_rows run_of(cudaArray_const_t array, size_t x, size_t y, size_t count)
{
    struct simt_rows rows = {NULL, count, count, 1};
    if (exists(array) && y * array->pitch + x + count <= array->slice) {
        rows.first = array->data + y * array->pitch + x;
    }
    return rows;
}

static cudaError_t copy_run(const struct simt_rows *to, const struct simt_rows *from,
                            enum cudaMemcpyKind kind, cudaStream_t stream, const char *function,
                            const void *caller)
{
    if (!to->first || !from->first) {
        return simt_call_failed(function, caller, cudaErrorInvalidValue,
                                "the array does not have these rows");
    }
    return simt_copy_memory(to, from, kind, stream, false, function, caller);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t count,
                                   enum cudaMemcpyKind kind)
{
    SIMT_CALL;
    const struct simt_rows target = run_of(to, to_x, to_y, count);
    const struct simt_rows source = run_of(from, from_x, from_y, count);
    return copy_run(&target, &source, kind, NULL, __func__, CALLER);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    SIMT_CALL;
    const struct simt_rows target = run_of(to, x, y, count);
    const struct simt_rows source = {(char *)(uintptr_t)from, count, count, 1};
    return copy_run(&target, &source, kind, stream, __func__, CALLER);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    SIMT_CALL;
    const struct simt_rows target = {to, count, count, 1};
    const struct simt_rows source = run_of(from, x, y, count);
    return copy_run(&target, &source, kind, stream, __func__, CALLER);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    SIMT_CALL;
    size_t element;
    struct cudaMemcpy3DParms copy = {.kind = kind};
    if (!exists(to) || !exists(from) || to->element != from->element ||
        (to_x | from_x | width) % from->element != 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    element = from->element; /* a power of two */
    copy.srcArray = (cudaArray_t)(uintptr_t)from;
    copy.srcPos = make_cudaPos(from_x / element, from_y, 0);
    copy.dstArray = to;
    copy.dstPos = make_cudaPos(to_x / element, to_y, 0);
    copy.extent = make_cudaExtent(width / element, height, 1);
    return simt_copy_box(&copy, NULL, false, __func__, CALLER);
}

/* ---- boxes ---- */

static cudaError_t copy_peer(const struct cudaMemcpy3DPeerParms *given, cudaStream_t stream,
                             const char *function, const void *caller)
{
    struct cudaMemcpy3DParms copy;
    if (!given) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_device_exists(given->srcDevice) || !simt_device_exists(given->dstDevice)) {
        return simt_error(cudaErrorInvalidDevice);
    }
    copy = (struct cudaMemcpy3DParms){given->srcArray, given->srcPos,    given->srcPtr,
                                      given->dstArray, given->dstPos,    given->dstPtr,
                                      given->extent,   cudaMemcpyDefault};
    return simt_copy_box(&copy, stream, false, function, caller);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *copy)
{
    SIMT_CALL;
    return copy_peer(copy, NULL, __func__, CALLER);
}

/* Converts an operand for cudaMemcpy3D(). If neither side is an array, sizes are in bytes. */
static void put_operand(const struct cudaMemcpy3DOperand *given, struct cudaExtent extent,
                        size_t element, cudaArray_t *array, struct cudaPos *at,
                        struct cudaPitchedPtr *memory)
{
    *array = NULL;
    *at = make_cudaPos(0, 0, 0);
    *memory = make_cudaPitchedPtr(NULL, 0, 0, 0);
    if (given->type == cudaMemcpyOperandTypeArray) {
        *array = given->op.array.array;
        *at = make_cudaPos(given->op.array.offset.x, given->op.array.offset.y,
                           given->op.array.offset.z);
    } else {
        const size_t row = given->op.ptr.rowLength ? given->op.ptr.rowLength : extent.width;
        const size_t rows = given->op.ptr.layerHeight ? given->op.ptr.layerHeight : extent.height;
        *memory = make_cudaPitchedPtr(given->op.ptr.ptr, row * element, row * element, rows);
    }
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *copies,
                                   unsigned long long flags, cudaStream_t stream)
{
    SIMT_CALL;
    cudaError_t error = copies && count > 0 && flags == 0 ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        const struct cudaMemcpy3DBatchOp *given = &copies[i];
        const cudaArray_t array =
            given->src.type == cudaMemcpyOperandTypeArray   ? given->src.op.array.array
            : given->dst.type == cudaMemcpyOperandTypeArray ? given->dst.op.array.array
                                                            : NULL;
        const size_t element = exists(array) ? array->element : 1;
        struct cudaMemcpy3DParms copy = {.extent = given->extent, .kind = cudaMemcpyDefault};
        put_operand(&given->src, given->extent, element, &copy.srcArray, &copy.srcPos,
                    &copy.srcPtr);
        put_operand(&given->dst, given->extent, element, &copy.dstArray, &copy.dstPos,
                    &copy.dstPtr);
        error = simt_copy_box(&copy, stream, false, __func__, CALLER);
    }
    return simt_error(error);
}

/* ---- queries ---- */

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *needs,
                                           cudaArray_t array, int device)
{
    SIMT_CALL;
    enum { ALIGNMENT = 512 };
    size_t depth;
    if (!needs || !exists(array)) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_device_exists(device)) {
        return simt_error(cudaErrorInvalidDevice);
    }
    depth = array->extent.depth ? array->extent.depth : 1;
    memset(needs, 0, sizeof *needs);
    needs->size = (array->slice * depth + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    needs->alignment = ALIGNMENT;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                 const struct cudaChannelFormatDesc *format,
                                                 int device)
{
    SIMT_CALL;
    int most;
    cudaError_t error;
    if (!width || !format || simt_components(format) == 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxTexture1DLinearWidth, device);
    *width = error == cudaSuccess ? (size_t)most : 0;
    return error;
}
/* SPDX-License-Identifier: MIT */
