/* The host API of kernels: their attributes, checks of a launch, and the launch. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/graphs.h"
#include "base/exit.h"
#include "base/own.h"
#include "machine/launch.h"
#include "program/layout.h"
#include "program/symbols.h"

enum { ASSUMED_REGISTERS = 32 /* per thread */, PORTABLE_CLUSTER = 8, LARGE_CLUSTER = 16 };

static struct simt_kernel *kernels;

struct simt_kernel *simt_find_kernel(const void *function)
{
    struct simt_kernel *kernel = kernels;
    while (kernel && kernel->function != function) {
        kernel = kernel->next;
    }
    return kernel;
}

struct simt_kernel *simt_note_kernel(const void *function)
{
    struct simt_kernel *kernel = simt_find_kernel(function);
    if (!kernel) {
        kernel = calloc(1, sizeof *kernel);
        if (!kernel) {
            return NULL;
        }
        kernel->function = function;
        kernel->next = kernels;
        kernels = kernel;
    }
    return kernel;
}

/* The limit of dynamic shared memory. Without the kernel's address it is unknown whether the kernel
 * has opted in; then assume that it has. */
static size_t shared_limit(const void *function)
{
    const struct simt_kernel *kernel = simt_find_kernel(function);
    size_t declared = simt_layout_of(function)->own_bytes;
    if (!function) {
        return SIMT_MAX_SHARED_BYTES;
    }
    if (kernel && kernel->on[simt_own.device].opted_in) {
        return kernel->on[simt_own.device].shared_limit;
    }
    return declared < SIMT_STATIC_SHARED_BYTES ? SIMT_STATIC_SHARED_BYTES - declared : 0;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value)
{
    SIMT_CALL;
    struct simt_kernel *kernel;
    if (!function) {
        return simt_error(cudaErrorInvalidDeviceFunction);
    }
    if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        kernel = simt_note_kernel(function);
        if (kernel) {
            kernel->on[simt_own.device].large_clusters = value != 0;
        }
        return simt_error(kernel ? cudaSuccess : cudaErrorMemoryAllocation);
    }
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        return simt_error(value >= -1 && value <= 100 ? cudaSuccess : cudaErrorInvalidValue);
    }
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        (size_t)value + simt_layout_of(function)->own_bytes > SIMT_MAX_SHARED_BYTES) {
        return simt_error(cudaErrorInvalidValue);
    }
    kernel = simt_note_kernel(function);
    if (!kernel) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    kernel->on[simt_own.device].shared_limit = (size_t)value;
    kernel->on[simt_own.device].opted_in = true;
    return cudaSuccess;
}

#pragma GCC diagnostic push /* numRegs is deprecated, as a warning to users */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *function)
{
    SIMT_CALL;
    if (!attributes) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!function) {
        return simt_error(cudaErrorInvalidDeviceFunction);
    }
    *attributes = (struct cudaFuncAttributes){
        .sharedSizeBytes = simt_layout_of(function)->own_bytes,
        .maxThreadsPerBlock = SIMT_MAX_BLOCK_THREADS,
        .numRegs = ASSUMED_REGISTERS,
        .ptxVersion = 90,
        .binaryVersion = 90,
        .maxDynamicSharedSizeBytes = (int)shared_limit(function),
        .preferredShmemCarveout = -1,
    };
    return cudaSuccess;
}
#pragma GCC diagnostic pop

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                          int block_size, size_t shared_bytes)
{
    SIMT_CALL;
    int threads, by_threads, by_shared;
    if (!blocks || !function || block_size <= 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    *blocks = 0;
    shared_bytes += simt_layout_of(function)->own_bytes;
    if (block_size > SIMT_MAX_BLOCK_THREADS || shared_bytes > SIMT_MAX_SHARED_BYTES) {
        return cudaSuccess;
    }
    threads = (block_size + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE * SIMT_WARP_SIZE;
    by_threads = SIMT_MULTIPROCESSOR_THREADS / threads;
    by_shared = (int)(SIMT_MULTIPROCESSOR_SHARED / (shared_bytes + SIMT_RESERVED_SHARED));
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    *blocks = *blocks < SIMT_MULTIPROCESSOR_BLOCKS ? *blocks : SIMT_MULTIPROCESSOR_BLOCKS;
    return cudaSuccess;
}

/* The grid must be whole clusters, of at most 8 blocks each, or 16 if the kernel allows it. */
static bool clusters_fit(const struct simt_launch *launch)
{
    const struct simt_kernel *kernel = simt_find_kernel(launch->function);
    const struct uint3 cluster = launch->cluster, grid = launch->grid;
    const size_t most =
        kernel && kernel->on[simt_own.device].large_clusters ? LARGE_CLUSTER : PORTABLE_CLUSTER;
    if (cluster.x == 0 && cluster.y == 0 && cluster.z == 0) {
        return true;
    }
    return cluster.x > 0 && cluster.y > 0 && cluster.z > 0 &&
           (size_t)cluster.x * cluster.y * cluster.z <= most && grid.x % cluster.x == 0 &&
           grid.y % cluster.y == 0 && grid.z % cluster.z == 0;
}

/* The error of a launch that the device refuses, and the reason. For values out of range, CUDA 13.0
 * returns cudaErrorInvalidValue (observed on an H200). CUDA 12 and earlier returned
 * cudaErrorInvalidConfiguration for grids and blocks. */
cudaError_t simt_check_launch(const struct simt_launch *launch, char *reason, size_t size)
{
    struct uint3 grid = launch->grid, block = launch->block;
    size_t limit = shared_limit(launch->function);
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > INT_MAX || grid.y > SIMT_GRID_Y ||
        grid.z > SIMT_GRID_Y) {
        snprintf(reason, size, "a grid of %u x %u x %u blocks: x takes 1 to %d, y and z 1 to %d",
                 grid.x, grid.y, grid.z, INT_MAX, SIMT_GRID_Y);
        return cudaErrorInvalidValue;
    }
    if (block.x == 0 || block.y == 0 || block.z == 0 || block.x > SIMT_MAX_BLOCK_THREADS ||
        block.y > SIMT_MAX_BLOCK_THREADS || block.z > SIMT_BLOCK_Z ||
        block.x * block.y * block.z > SIMT_MAX_BLOCK_THREADS) {
        snprintf(reason, size, "%u x %u x %u threads in a block, which takes 1 to %d%s", block.x,
                 block.y, block.z, SIMT_MAX_BLOCK_THREADS,
                 block.z > SIMT_BLOCK_Z ? ", of these 1 to 64 in z" : "");
        return cudaErrorInvalidValue;
    }
    if (!clusters_fit(launch)) {
        snprintf(reason, size,
                 "clusters of %u x %u x %u blocks, in a grid of %u x %u x %u: a grid is whole "
                 "clusters, of 1 to 8 blocks (16 by "
                 "cudaFuncAttributeNonPortableClusterSizeAllowed)",
                 launch->cluster.x, launch->cluster.y, launch->cluster.z, grid.x, grid.y, grid.z);
        return cudaErrorInvalidClusterSize;
    }
    if (!simt_stream_exists(launch->stream)) {
        snprintf(reason, size, "no such stream");
        return cudaErrorInvalidResourceHandle;
    }
    if (simt_stream_device(launch->stream) != simt_own.device) {
        snprintf(reason, size, "the stream is of device %d, the current device is %d",
                 simt_stream_device(launch->stream), simt_own.device);
        return cudaErrorInvalidResourceHandle;
    }
    if (launch->shared_bytes > limit) {
        const size_t most = SIMT_MAX_SHARED_BYTES - simt_layout_of(launch->function)->own_bytes;
        snprintf(reason, size,
                 launch->shared_bytes <= most
                     ? "%zu bytes of dynamic shared memory, %zu are there; first call "
                       "cudaFuncSetAttribute(%s, cudaFuncAttributeMaxDynamicSharedMemorySize, %zu)"
                     : "%zu bytes of dynamic shared memory, %zu are there; with "
                       "cudaFuncSetAttribute(%s, cudaFuncAttributeMaxDynamicSharedMemorySize, ...) "
                       "at most %zu",
                 launch->shared_bytes, limit, launch->name ? launch->name : "kernel",
                 launch->shared_bytes <= most ? launch->shared_bytes : most);
        return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

void simt_kernels_reset(int device)
{
    for (struct simt_kernel *kernel = kernels; kernel; kernel = kernel->next) {
        kernel->on[device].opted_in = false;
        kernel->on[device].large_clusters = false;
    }
}

/* ---- launches ---- */

/* Ends the program if there is more static shared memory than ptxas allows. */
static void refuse_static_shared(const struct simt_launch *asked)
{
    size_t bytes = simt_layout_of(asked->function)->own_bytes;
    if (bytes > SIMT_STATIC_SHARED_BYTES) {
        fflush(stdout);
        fprintf(stderr,
                "simt: kernel %s (launched at %s:%d): %zu bytes of __shared__ variables: nvcc "
                "takes %zu at most; more must be dynamic (extern __shared__)\n",
                asked->name, asked->file, asked->line, bytes, SIMT_STATIC_SHARED_BYTES);
        simt_exit();
    }
}

/* The error, or cudaSuccess. */
static cudaError_t refused(const struct simt_launch *asked)
{
    char reason[SIMT_REASON];
    cudaError_t error = simt_check_launch(asked, reason, sizeof reason);
    if (simt_lost_before() != cudaSuccess) {
        return asked->returns_error ? simt_lost() : simt_lost_before();
    }
    if (simt_failing && simt_api_is_outermost()) {
        char call[128];
        snprintf(call, sizeof call, "launch of %.100s", asked->name);
        const cudaError_t injected = simt_injected(call, asked->file, asked->line, NULL);
        if (injected != cudaSuccess) {
            simt_launch_failed(asked, injected, "SIMT_FAIL");
            return injected;
        }
    }
    if (error != cudaSuccess) {
        simt_launch_failed(asked, error, reason);
        return error;
    }
    refuse_static_shared(asked);
    return cudaSuccess;
}

static int run(const struct simt_launch *asked)
{
    struct simt_launch launch = *asked;
    const char *reason;
    cudaError_t error;
    int processors = 0;
    error = refused(asked);
    if (error != cudaSuccess) {
        return (int)error;
    }
    error = simt_capture_forbids_work(asked->stream, asked->name, NULL);
    if (error != cudaSuccess) {
        simt_launch_failed(asked, error, "a stream is being captured");
        return (int)error;
    }
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    launch.together = (size_t)asked->grid.x * asked->grid.y * asked->grid.z <= (size_t)processors;
    error = simt_run(&launch, &reason);
    if (error == cudaErrorAssert) {
        simt_lose(error);
        return cudaSuccess; /* later calls return the error */
    }
    if (error != cudaSuccess) {
        simt_launch_failed(asked, error, reason);
    }
    return (int)error;
}

static cudaError_t capture(const struct simt_launch *asked)
{
    const cudaError_t error = refused(asked);
    const struct simt_work work = {.type = cudaGraphNodeTypeKernel,
                                   .launch = error == cudaSuccess ? simt_copy_launch(asked) : NULL};
    return error == cudaSuccess ? simt_capture(asked->stream, &work) : error;
}

int simt_launch_kernel(const struct simt_launch *asked)
{
    int error;
    SIMT_API;
    if (simt_in_kernel()) {
        return (int)simt_launch_later(asked);
    }
    if (simt_captures(asked->stream)) {
        return (int)capture(asked);
    }
    error = run(asked);
    simt_launch_children(run);
    return error;
}

/* ---- launches by address ---- */

void simt_add_kernel(const char *name, const void *function,
                     void (*invoke)(const void *function, void **arguments), int interleaved,
                     int instrumented, const size_t *sizes, size_t parameters)
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
        kernel->sizes = sizes;
        kernel->parameters = parameters;
    }
}

/* Ends the program if the caller passed a pointer argument instead of its address. */
static void refuse_argument(const struct simt_launch *launch, size_t number, const void *argument)
{
    if (simt_memory_is_device(argument)) {
        char where[SIMT_REASON];
        simt_memory_describe(argument, where, sizeof where);
        fprintf(stderr,
                "simt: the launch of kernel %s at %s:%d: the address of argument %zu is in device "
                "memory (%s): pass &pointer, where the argument is a pointer\n",
                launch->name, launch->file, launch->line, number, where);
        simt_exit();
    }
}

static cudaError_t launch_by_address(struct simt_launch launch, void **arguments)
{
    const struct simt_kernel *kernel = simt_find_kernel(launch.function);
    const size_t blocks = (size_t)launch.grid.x * launch.grid.y * launch.grid.z;
    int resident = 0, processors = 0;
    char reason[SIMT_REASON];
    cudaError_t error;
    SIMT_API;
    error = simt_injected("cudaLaunchKernel", launch.file, launch.line, NULL);
    launch.invoke = simt_invoke_call;
    launch.returns_error = true;
    if (error != cudaSuccess) {
        return error;
    }
    if (!kernel || !kernel->invoke) {
        return simt_error(cudaErrorInvalidDeviceFunction);
    }
    launch.name = kernel->name;
    launch.interleaved = kernel->interleaved;
    launch.instrumented = kernel->instrumented;
    error = simt_check_launch(&launch, reason, sizeof reason);
    if (error != cudaSuccess) {
        simt_launch_failed(&launch, error, reason);
        return error;
    }
    /* The blocks of a cooperative launch must fit on the device together. */
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &resident, launch.function, (int)(launch.block.x * launch.block.y * launch.block.z),
        launch.shared_bytes);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (launch.cooperative && blocks > (size_t)resident * (size_t)processors) {
        snprintf(reason, sizeof reason,
                 "%zu blocks, and %d fit on the device at the same time, %d on each of %d "
                 "multiprocessors",
                 blocks, resident * processors, resident, processors);
        simt_launch_failed(&launch, cudaErrorCooperativeLaunchTooLarge, reason);
        return cudaErrorCooperativeLaunchTooLarge;
    }
    for (size_t i = 0; arguments && i < kernel->parameters; i++) {
        refuse_argument(&launch, i, arguments[i]);
    }
    launch.closure = simt_make_call(kernel, arguments, &launch.closure_bytes);
    if (!launch.closure) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    for (size_t i = 0; i < kernel->parameters; i++) {
        simt_find_code(&launch, arguments[i], kernel->sizes[i]);
    }
    error = (cudaError_t)simt_launch_kernel(&launch);
    free(launch.closure);
    return error;
}

cudaError_t simt_launch_address(const void *function, struct uint3 grid, struct uint3 block,
                                void **arguments, size_t shared_bytes, cudaStream_t stream,
                                int cooperative, const char *file, int line)
{
    return launch_by_address(
        (struct simt_launch){
            .file = file,
            .line = line,
            .grid = grid,
            .block = block,
            .shared_bytes = shared_bytes,
            .function = function,
            .stream = stream,
            .cooperative = cooperative,
        },
        arguments);
}

static struct simt_launch configured(const struct simt_launch_config *config, const void *function)
{
    struct simt_launch launch = {.grid = config->grid,
                                 .block = config->block,
                                 .shared_bytes = config->shared_bytes,
                                 .function = function,
                                 .stream = config->stream};
    for (unsigned int i = 0; i < config->attribute_count; i++) {
        const cudaLaunchAttribute *attribute = &config->attributes[i];
        if (attribute->id == cudaLaunchAttributeCooperative) {
            launch.cooperative = attribute->val.cooperative;
        } else if (attribute->id == cudaLaunchAttributeProgrammaticStreamSerialization) {
            launch.early = attribute->val.programmaticStreamSerializationAllowed;
        } else if (attribute->id == cudaLaunchAttributeClusterDimension) {
            launch.cluster =
                (struct uint3){attribute->val.clusterDim.x, attribute->val.clusterDim.y,
                               attribute->val.clusterDim.z};
        }
    }
    return launch;
}

cudaError_t simt_launch_with(const struct simt_launch_config *config, const void *function,
                             void **arguments, const char *file, int line)
{
    struct simt_launch launch = configured(config, function);
    launch.file = file;
    launch.line = line;
    return launch_by_address(launch, arguments);
}

/* ---- clusters on the device ---- */

enum { PROCESSORS_OF_GROUP = 16 /* SMs per GPC at most; a cluster stays in one GPC */ };

cudaError_t simt_max_clusters(int *clusters, const void *function,
                              const struct simt_launch_config *config)
{
    SIMT_CALL;
    const struct simt_launch launch = configured(config, function);
    const struct uint3 size = launch.cluster;
    const int blocks = size.x == 0 ? 1 : (int)(size.x * size.y * size.z);
    int resident, processors;
    char reason[SIMT_REASON];
    cudaError_t error =
        clusters ? simt_check_launch(&launch, reason, sizeof reason) : cudaErrorInvalidValue;
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &resident, function, (int)(config->block.x * config->block.y * config->block.z),
            config->shared_bytes);
    }
    if (error != cudaSuccess) {
        return simt_error(error);
    }
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    *clusters = processors / PROCESSORS_OF_GROUP * (PROCESSORS_OF_GROUP * resident / blocks);
    return cudaSuccess;
}

cudaError_t simt_max_cluster_size(int *size, const void *function,
                                  const struct simt_launch_config *config)
{
    SIMT_CALL;
    const struct simt_kernel *kernel = simt_find_kernel(function);
    if (!size || !config) {
        return simt_error(cudaErrorInvalidValue);
    }
    *size = kernel && kernel->on[simt_own.device].large_clusters ? LARGE_CLUSTER : PORTABLE_CLUSTER;
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
