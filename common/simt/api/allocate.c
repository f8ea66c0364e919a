/* The host API of memory: allocate, free, register. */

#include "api/graphs.h"
#include "base/own.h"
#include "machine/fault.h"
#include "machine/machine.h"
#include "memory/devices.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "observe/observer.h"

enum { PITCH = 512 };

#define CALLER __builtin_return_address(0)

/* In a kernel, memory comes from the kernels' heap. An error goes to the calling thread only, not
 * to the host. */
static cudaError_t allocate_in_kernel(void **pointer, size_t size)
{
    if (!pointer) {
        return cudaErrorInvalidValue;
    }
    *pointer = size > 0 ? simt_heap_allocate(size, 1) : NULL;
    return *pointer || size == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    void *memory;
    SIMT_CALL;
    if (simt_in_kernel()) {
        return allocate_in_kernel(pointer, size);
    }
    simt_fault_install();
    if (simt_lost() != cudaSuccess) {
        return simt_lost();
    }
    if (!pointer) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (size == 0) {
        *pointer = NULL;
        return cudaSuccess;
    }
    memory = simt_memory_allocate(size);
    if (!memory) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    *pointer = memory;
    return cudaSuccess;
}

/* The host waits for every device that may use the memory. */
static void wait_for_users(const struct simt_region *region)
{
    for (int device = 0; device < simt_device_count(); device++) {
        if (region->kind != REGION_DEVICE || region->device == device) {
            simt_host_waits_for_device(device);
        }
    }
}

/* The error for a pointer that this call cannot free. */
static cudaError_t not_freed(const void *pointer, const char *function, const void *caller)
{
    const struct simt_region *region = simt_region_find_base(pointer);
    char where[SIMT_REASON] = "memory of the host that no call of CUDA gave";
    if (region || simt_memory_is_device(pointer) || simt_memory_is_of_host(pointer)) {
        simt_memory_describe(pointer, where, sizeof where);
    }
    return simt_call_failed(function, caller, cudaErrorInvalidValue, "the pointer is %.270s%s",
                            where,
                            !region                             ? ""
                            : region->kind == REGION_HOST       ? ": use cudaFreeHost()"
                            : region->kind == REGION_REGISTERED ? ": use cudaHostUnregister()"
                                                                : ": use cudaFree()");
}

cudaError_t cudaFree(void *pointer)
{
    SIMT_CALL;
    struct simt_region *region = simt_region_find_base(pointer);
    if (simt_in_kernel()) {
        simt_kernel_free(pointer, "cudaFree()", CALLER);
        return cudaSuccess;
    }
    if (!pointer) {
        return cudaSuccess;
    }
    if (!region || (region->kind != REGION_DEVICE && region->kind != REGION_MANAGED)) {
        return not_freed(pointer, "cudaFree", CALLER);
    }
    wait_for_users(region);
    simt_region_release(region);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *all)
{
    SIMT_CALL;
    if (!available || !all) {
        return simt_error(cudaErrorInvalidValue);
    }
    *available = simt_memory_available();
    *all = simt_memory_total();
    return cudaSuccess;
}

static cudaError_t allocate_host(void **pointer, size_t size, enum simt_region_kind kind)
{
    simt_fault_install();
    if (!pointer) {
        return simt_error(cudaErrorInvalidValue);
    }
    *pointer = size > 0 ? simt_memory_allocate_host(size, kind) : NULL;
    return simt_error(*pointer || size == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    SIMT_CALL;
    return allocate_host(pointer, size, REGION_HOST);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    SIMT_CALL;
    if (flags & ~7u) {
        return simt_error(cudaErrorInvalidValue);
    }
    return allocate_host(pointer, size, REGION_HOST);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    SIMT_CALL;
    if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || size == 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    return allocate_host(pointer, size, REGION_MANAGED);
}

cudaError_t cudaFreeHost(void *pointer)
{
    SIMT_CALL;
    struct simt_region *region = simt_region_find_base(pointer);
    if (!pointer) {
        return cudaSuccess;
    }
    if (!region || region->kind != REGION_HOST) {
        return not_freed(pointer, "cudaFreeHost", CALLER);
    }
    wait_for_users(region);
    simt_region_release(region);
    return cudaSuccess;
}

/* ---- registered host memory ---- */

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
    SIMT_CALL;
    simt_fault_install();
    if (!pointer || size == 0 || flags > 15 || simt_memory_is_device(pointer)) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (simt_regions_overlap(pointer, size)) {
        return simt_error(cudaErrorHostMemoryAlreadyRegistered);
    }
    return simt_error(simt_region_add((struct simt_region){.base = pointer,
                                                           .size = size,
                                                           .kind = REGION_REGISTERED,
                                                           .device = simt_own.device,
                                                           .made = simt_call_now})
                          ? cudaSuccess
                          : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *pointer)
{
    struct simt_region *region;
    SIMT_CALL;
    region = simt_region_find_base(pointer);
    if (!region || region->kind != REGION_REGISTERED) {
        return simt_error(cudaErrorHostMemoryNotRegistered);
    }
    simt_region_release(region);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    const struct simt_region *region;
    SIMT_CALL;
    region = simt_region_find(host);
    if (!device || flags != 0 || !region ||
        (region->kind != REGION_HOST && region->kind != REGION_REGISTERED &&
         region->kind != REGION_MANAGED)) {
        return simt_error(cudaErrorInvalidValue);
    }
    *device = host;
    return cudaSuccess;
}

/* Counts as a write of the whole region, so any use that is not ordered with it is a race. */
void simt_begin_allocation(const struct simt_region *region, cudaStream_t stream, const char *verb,
                           const char *function, const void *caller)
{
    struct simt_operation *operation = simt_operation_begin(stream, function);
    operation->caller = caller;
    operation->to = (struct simt_piece){(uintptr_t)region->base, region->size, region->size, 1};
    operation->verb = verb;
    simt_observer.operation();
}

static cudaError_t capture_allocation(void **pointer, size_t size, cudaStream_t stream,
                                      const void *caller)
{
    struct simt_work work;
    cudaError_t error;
    if (!pointer || size == 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_work_of_memory(&work, size)) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    work.function = "cudaMallocAsync";
    work.caller = caller;
    error = simt_capture(stream, &work);
    *pointer = error == cudaSuccess ? work.memory : *pointer;
    return error;
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    SIMT_CALL;
    cudaError_t error;
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (simt_captures(stream)) {
        return capture_allocation(pointer, size, stream, CALLER);
    }
    error = cudaMalloc(pointer, size);
    if (error == cudaSuccess && *pointer) {
        simt_begin_allocation(simt_region_find_base(*pointer), stream, "allocates",
                              "cudaMallocAsync", CALLER);
    }
    return error;
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    SIMT_CALL;
    struct simt_region *region = simt_region_find_base(pointer);
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (!pointer) {
        return cudaSuccess;
    }
    if (simt_captures(stream)) { /* mostly memory that the graph itself has allocated */
        const struct simt_work work = {.type = cudaGraphNodeTypeMemFree,
                                       .function = "cudaFreeAsync",
                                       .caller = CALLER,
                                       .memory = pointer};
        return simt_capture(stream, &work);
    }
    if (!region || region->kind != REGION_DEVICE) {
        return not_freed(pointer, "cudaFreeAsync", CALLER);
    }
    simt_begin_allocation(region, stream, "frees", "cudaFreeAsync", CALLER);
    simt_region_release(region);
    return cudaSuccess;
}

/* ---- pitched ---- */

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    SIMT_CALL;
    size_t row = (width + PITCH - 1) / PITCH * PITCH;
    if (!pointer || !pitch) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (width == 0 || height == 0) {
        *pitch = row;
        *pointer = NULL;
        return cudaSuccess;
    }
    if (row < width || height > SIZE_MAX / row) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    *pitch = row;
    return cudaMalloc(pointer, row * height);
}

/* ---- location of memory, and hints ---- */

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    SIMT_CALL;
    const struct simt_region *region;
    enum cudaMemoryType type;
    void *address = (void *)(uintptr_t)pointer;
    if (!attributes) {
        return simt_error(cudaErrorInvalidValue);
    }
    region = simt_region_find(pointer);
    type = simt_memory_type(pointer);
    *attributes = (struct cudaPointerAttributes){
        .type = type,
        .device = region ? region->device : cudaInvalidDeviceId,
        .devicePointer = type == cudaMemoryTypeUnregistered ? NULL : address,
        .hostPointer = type == cudaMemoryTypeDevice ? NULL : address,
    };
    return cudaSuccess;
}

static cudaError_t check_hint(const void *pointer, size_t size, struct cudaMemLocation location)
{
    bool exists = location.type == cudaMemLocationTypeHost ||
                  (location.type == cudaMemLocationTypeDevice && simt_device_exists(location.id));
    if (!exists) {
        return simt_error(cudaErrorInvalidDevice);
    }
    return simt_error(size > 0 && simt_memory_type(pointer) == cudaMemoryTypeManaged
                          ? cudaSuccess
                          : cudaErrorInvalidValue);
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    SIMT_CALL;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) {
        return simt_error(cudaErrorInvalidValue);
    }
    return check_hint(pointer, size, location);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    SIMT_CALL;
    if (flags != 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    return simt_stream_exists(stream) ? check_hint(pointer, size, location)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t size,
                                     unsigned int flags)
{
    SIMT_CALL;
    const struct simt_region *region = simt_region_find_base(pointer);
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    return simt_error(region && region->kind == REGION_MANAGED &&
                              (size == 0 || size == region->size) &&
                              (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost ||
                               flags == cudaMemAttachSingle)
                          ? cudaSuccess
                          : cudaErrorInvalidValue);
}
/* SPDX-License-Identifier: MIT */
