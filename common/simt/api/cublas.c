/* cuBLAS: handles, and code that all its functions share. */
#include "api/cublas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/graphs.h"
#include "machine/progress.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "observe/observer.h"
#include "program/source.h"

static struct cublasContext *handles;

bool simt_blas_exists(cublasHandle_t handle)
{
    const struct cublasContext *known = handles;
    while (known && known != handle) {
        known = known->next;
    }
    return handle && known;
}

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    SIMT_API;
    if (!handle) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *handle = calloc(1, sizeof **handle);
    if (!*handle) {
        return CUBLAS_STATUS_ALLOC_FAILED;
    }
    (*handle)->next = handles;
    handles = *handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    SIMT_API;
    struct cublasContext **link = &handles;
    if (!simt_blas_exists(handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    while (*link != handle) {
        link = &(*link)->next;
    }
    *link = handle->next;
    free(handle);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version)
{
    SIMT_API;
    (void)handle;
    if (!version) {
        return CUBLAS_STATUS_INVALID_VALUE;
    }
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

#define SETTING(Name, type, member)                                                                \
    cublasStatus_t cublasSet##Name(cublasHandle_t handle, type value)                              \
    {                                                                                              \
        SIMT_API;                                                                                  \
        if (!simt_blas_exists(handle)) {                                                           \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        }                                                                                          \
        handle->member = value;                                                                    \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }                                                                                              \
    cublasStatus_t cublasGet##Name(cublasHandle_t handle, type *value)                             \
    {                                                                                              \
        SIMT_API;                                                                                  \
        if (!simt_blas_exists(handle)) {                                                           \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        }                                                                                          \
        *value = handle->member;                                                                   \
        return CUBLAS_STATUS_SUCCESS;                                                              \
    }
SETTING(Stream, cudaStream_t, stream)
SETTING(PointerMode, cublasPointerMode_t, pointers)
SETTING(MathMode, cublasMath_t, math)

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t size)
{
    SIMT_API;
    (void)workspace;
    (void)size;
    return simt_blas_exists(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
};

const char *cublasGetStatusName(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (statuses[i].status == status) {
            return statuses[i].name;
        }
    }
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        if (statuses[i].status == status) {
            return statuses[i].text;
        }
    }
    return "unknown status";
}

/* ---- work ---- */

static size_t bytes_of(const struct simt_operand *operand)
{
    return operand->columns == 0 ? 0 : (operand->columns - 1) * operand->pitch + operand->column;
}

/* What is wrong with an operand's memory, or NULL. */
static const char *trouble(const struct simt_operand *operand)
{
    const struct simt_region *region = simt_region_find(operand->first);
    if (operand->columns == 0 || operand->column == 0) {
        return NULL;
    }
    if (!operand->first) {
        return "is a null pointer";
    }
    if (!region) {
        return simt_memory_is_device(operand->first) ? "is device memory that is not allocated"
                                                     : "is memory of the host";
    }
    return bytes_of(operand) <= region->size - (size_t)((const char *)operand->first - region->base)
               ? NULL
               : "ends past its allocation";
}

static cublasStatus_t refuse(const struct simt_blas_call *call, const struct simt_operand *operand)
{
    const struct simt_source *source = simt_source_of(simt_place_of(call->caller));
    fflush(stdout);
    fprintf(stderr, "simt: %s()", call->name);
    if (source->line > 0) {
        fprintf(stderr, " at %s:%d", source->file, source->line);
    }
    fprintf(stderr, ": %s %s\n", operand->name, trouble(operand));
    return CUBLAS_STATUS_EXECUTION_FAILED;
}

static struct simt_piece piece_of(const struct simt_operand *operand)
{
    return (struct simt_piece){(uintptr_t)operand->first, operand->pitch, operand->column,
                               operand->columns};
}

/* An operation records one piece that is read and one that is written. */
static void note_operation(const struct simt_blas_call *call, const struct simt_operand *out,
                           const struct simt_operand *in)
{
    struct simt_operation *operation = simt_operation_begin(call->handle->stream, call->name);
    operation->caller = call->caller;
    if (out && out->columns) {
        operation->to = piece_of(out);
    }
    if (in && in->columns) {
        operation->from = piece_of(in);
    }
    simt_observer.operation();
}

cublasStatus_t simt_blas_begin(const struct simt_blas_call *call, const struct simt_operand *out,
                               const struct simt_operand *in, size_t count)
{
    if (!simt_blas_exists(call->handle)) {
        return CUBLAS_STATUS_NOT_INITIALIZED;
    }
    if (simt_lost() != cudaSuccess || !simt_stream_exists(call->handle->stream)) {
        return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    if (simt_captures(call->handle->stream)) {
        simt_capture_forbids_wait(call->handle->stream, call->name, call->caller);
        return CUBLAS_STATUS_NOT_SUPPORTED;
    }
    if (out && trouble(out)) {
        return refuse(call, out);
    }
    for (size_t i = 0; i < count; i++) {
        if (trouble(&in[i])) {
            return refuse(call, &in[i]);
        }
    }
    for (size_t i = 1; i < count; i++) {
        note_operation(call, NULL, &in[i]);
    }
    note_operation(call, out, count ? &in[0] : NULL);
    simt_progress_tell_call(call->name, call->caller);
    simt_memory_open();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t simt_blas_end(const struct simt_blas_call *call, const struct simt_operand *out)
{
    (void)call;
    simt_memory_close();
    for (size_t i = 0; out && i < out->columns; i++) {
        simt_observer.written((char *)(uintptr_t)out->first + i * out->pitch, out->column, NULL);
    }
    return CUBLAS_STATUS_SUCCESS;
}

/* Stores a result for the host only after the work is done. */
void simt_blas_result(const struct simt_blas_call *call, void *to, const void *from, size_t size)
{
    const bool of_device = call->handle->pointers == CUBLAS_POINTER_MODE_DEVICE;
    if (of_device) {
        simt_memory_open();
    } else {
        simt_host_waits(call->handle->stream);
    }
    memcpy(to, from, size);
    if (of_device) {
        simt_memory_close();
        simt_observer.written(to, size, NULL);
    }
}

/* ---- copies to and from the device ---- */

static cublasStatus_t copy(size_t width, size_t height, const void *from, size_t from_pitch,
                           void *to, size_t to_pitch, cudaStream_t stream, bool waits,
                           enum cudaMemcpyKind kind, const char *name, const void *caller)
{
    const struct simt_rows target = {to, to_pitch, width, height};
    const struct simt_rows origin = {(char *)(uintptr_t)from, from_pitch, width, height};
    return simt_copy_memory(&target, &origin, kind, stream, waits, name, caller) == cudaSuccess
               ? CUBLAS_STATUS_SUCCESS
               : CUBLAS_STATUS_MAPPING_ERROR;
}

#define VECTOR_COPY(name, kind, parameters, stream, waits)                                         \
    cublasStatus_t name parameters                                                                 \
    {                                                                                              \
        SIMT_API;                                                                                  \
        if (n < 0 || size <= 0 || from_step <= 0 || to_step <= 0) {                                \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        }                                                                                          \
        return copy((size_t)size, (size_t)n, from, (size_t)from_step * (size_t)size, to,           \
                    (size_t)to_step * (size_t)size, stream, waits, kind, __func__,                 \
                    __builtin_return_address(0));                                                  \
    }
#define VECTOR_PARAMETERS int n, int size, const void *from, int from_step, void *to, int to_step
VECTOR_COPY(cublasSetVector, cudaMemcpyHostToDevice, (VECTOR_PARAMETERS), NULL, true)
VECTOR_COPY(cublasGetVector, cudaMemcpyDeviceToHost, (VECTOR_PARAMETERS), NULL, true)
VECTOR_COPY(cublasSetVectorAsync, cudaMemcpyHostToDevice, (VECTOR_PARAMETERS, cudaStream_t stream),
            stream, false)
VECTOR_COPY(cublasGetVectorAsync, cudaMemcpyDeviceToHost, (VECTOR_PARAMETERS, cudaStream_t stream),
            stream, false)

#define MATRIX_COPY(name, kind, parameters, stream, waits)                                         \
    cublasStatus_t name parameters                                                                 \
    {                                                                                              \
        SIMT_API;                                                                                  \
        if (rows < 0 || columns < 0 || size <= 0 || from_ld < rows || to_ld < rows) {              \
            return CUBLAS_STATUS_INVALID_VALUE;                                                    \
        }                                                                                          \
        return copy((size_t)rows * (size_t)size, (size_t)columns, from,                            \
                    (size_t)from_ld * (size_t)size, to, (size_t)to_ld * (size_t)size, stream,      \
                    waits, kind, __func__, __builtin_return_address(0));                           \
    }
#define MATRIX_PARAMETERS                                                                          \
    int rows, int columns, int size, const void *from, int from_ld, void *to, int to_ld
MATRIX_COPY(cublasSetMatrix, cudaMemcpyHostToDevice, (MATRIX_PARAMETERS), NULL, true)
MATRIX_COPY(cublasGetMatrix, cudaMemcpyDeviceToHost, (MATRIX_PARAMETERS), NULL, true)
MATRIX_COPY(cublasSetMatrixAsync, cudaMemcpyHostToDevice, (MATRIX_PARAMETERS, cudaStream_t stream),
            stream, false)
MATRIX_COPY(cublasGetMatrixAsync, cudaMemcpyDeviceToHost, (MATRIX_PARAMETERS, cudaStream_t stream),
            stream, false)
/* SPDX-License-Identifier: MIT */
