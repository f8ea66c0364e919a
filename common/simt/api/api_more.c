/* The host API that the steps do not use but learners' programs do: pitched memory, hints, limits,
 * host functions in streams, launches by address. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"

enum { PITCH = 512, STACK_LIMIT = 1024, PRINTF_LIMIT = 1 << 20, HEAP_LIMIT = 8 << 20, LIMITS = 3 };

/* ---- pitched memory ---- */

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height)
{
    SIMT_API;
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

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    SIMT_API;
    if (width > pitch) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (size_t row = 0; row < height; row++) {
        cudaError_t error = cudaMemset((char *)pointer + row * pitch, value, width);
        if (error != cudaSuccess) {
            return error;
        }
    }
    return cudaSuccess;
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    SIMT_API;
    return simt_stream_exists(stream) ? cudaMemset2D(pointer, pitch, value, width, height)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}

/* ---- where memory is, and hints ---- */

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    SIMT_API;
    enum cudaMemoryType type;
    void *address = (void *)(uintptr_t)pointer;
    if (!attributes) {
        return simt_error(cudaErrorInvalidValue);
    }
    type = simt_memory_type(pointer);
    *attributes = (struct cudaPointerAttributes){
        .type = type,
        .device = type == cudaMemoryTypeUnregistered ? cudaInvalidDeviceId : 0,
        .devicePointer = type == cudaMemoryTypeUnregistered ? NULL : address,
        .hostPointer = type == cudaMemoryTypeDevice ? NULL : address,
    };
    return cudaSuccess;
}

static cudaError_t check_hint(const void *pointer, size_t size, struct cudaMemLocation location)
{
    bool exists = location.type == cudaMemLocationTypeHost ||
                  (location.type == cudaMemLocationTypeDevice && location.id == 0);
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
    SIMT_API;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) {
        return simt_error(cudaErrorInvalidValue);
    }
    return check_hint(pointer, size, location);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    SIMT_API;
    if (flags != 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    return simt_stream_exists(stream) ? check_hint(pointer, size, location)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}

/* ---- device ---- */

static size_t limits[LIMITS] = {STACK_LIMIT, PRINTF_LIMIT, HEAP_LIMIT};

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    SIMT_API;
    if ((unsigned int)limit >= LIMITS) {
        return simt_error(cudaErrorUnsupportedLimit);
    }
    limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    SIMT_API;
    if (!value) {
        return simt_error(cudaErrorInvalidValue);
    }
    if ((unsigned int)limit >= LIMITS) {
        return simt_error(cudaErrorUnsupportedLimit);
    }
    *value = limits[limit];
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    return simt_error(flags < 32 ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    return simt_error((unsigned int)config <= cudaFuncCachePreferEqual ? cudaSuccess
                                                                       : cudaErrorInvalidValue);
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config)
{
    SIMT_API;
    return function ? cudaDeviceSetCacheConfig(config) : simt_error(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    if (!can) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (device != 0 || peer != 0) {
        return simt_error(cudaErrorInvalidDevice);
    }
    *can = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int size, int device)
{
    if (!text || size <= 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (device != 0) {
        return simt_error(cudaErrorInvalidDevice);
    }
    snprintf(text, (size_t)size, "0000:00:00.0");
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}

/* ---- streams and events ---- */

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least) {
        *least = 0;
    }
    if (greatest) {
        *greatest = 0;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    SIMT_API;
    (void)priority; /* clamped to the only one, as in CUDA */
    return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    if (!function) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    function(data);
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags)
{
    if (!callback || flags != 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    SIMT_API;
    return flags <= 1 ? cudaEventRecord(event, stream) : simt_error(cudaErrorInvalidValue);
}

/* ---- launches by address ---- */

void simt_add_kernel(const char *name, const void *function,
                     void (*invoke)(const void *function, void **arguments), int interleaved,
                     int instrumented)
{
    SIMT_API;
    struct simt_kernel *const kernel = simt_note_kernel(function);
    if (!kernel) {
        perror("simt: cannot register a kernel");
        exit(EXIT_FAILURE);
    }
    if (!kernel->invoke) {
        kernel->name = *name ? name : "(kernel)";
        kernel->invoke = invoke;
        kernel->interleaved = interleaved;
        kernel->instrumented = instrumented;
    }
}

struct call {
    const struct simt_kernel *kernel;
    void **arguments;
};

static void invoke_call(void *closure)
{
    const struct call *call = closure;
    call->kernel->invoke(call->kernel->function, call->arguments);
}

cudaError_t simt_launch_address(const void *function, struct uint3 grid, struct uint3 block,
                                void **arguments, size_t shared_bytes, cudaStream_t stream,
                                int cooperative, const char *file, int line)
{
    struct call call = {simt_find_kernel(function), arguments};
    struct simt_launch launch = {
        .file = file,
        .line = line,
        .grid = grid,
        .block = block,
        .shared_bytes = shared_bytes,
        .function = function,
        .stream = stream,
        .invoke = invoke_call,
        .closure = &call,
        .cooperative = cooperative,
        .returns_error = true,
    };
    int resident = 0, processors = 0;
    char reason[128];
    cudaError_t error;
    SIMT_API;
    if (!call.kernel || !call.kernel->invoke) {
        return simt_error(cudaErrorInvalidDeviceFunction);
    }
    launch.name = call.kernel->name;
    launch.interleaved = call.kernel->interleaved;
    launch.instrumented = call.kernel->instrumented;
    error = simt_check_launch(&launch, reason, sizeof reason);
    if (error != cudaSuccess) {
        return simt_error(error);
    }
    /* The blocks of a cooperative launch must fit on the device together. */
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, function,
                                                  (int)(block.x * block.y * block.z), shared_bytes);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (cooperative && (size_t)grid.x * grid.y * grid.z > (size_t)resident * (size_t)processors) {
        return simt_error(cudaErrorCooperativeLaunchTooLarge);
    }
    return (cudaError_t)simt_launch_kernel(&launch);
}
