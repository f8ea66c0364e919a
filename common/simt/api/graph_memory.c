/* The host API of graphs: memory that a graph allocates. The address is known when the node is
 * made. The memory can be used from the allocating node until the graph or the program frees it. */
#include <stdint.h>
#include <string.h>

#include "api/graphs.h"
#include "base/own.h"
#include "memory/memory.h"

#define CALLER __builtin_return_address(0)

static uint64_t most_used;

static uint64_t used(void)
{
    uint64_t bytes = 0;
    const struct simt_region *region;
    for (size_t i = 0; (region = simt_region_number(i)); i++) {
        bytes += region->of_graph ? region->size : 0;
    }
    return bytes;
}

bool simt_work_of_memory(struct simt_work *work, size_t size)
{
    *work = (struct simt_work){.type = cudaGraphNodeTypeMemAlloc,
                               .memory = simt_memory_reserve(size),
                               .memory_bytes = size};
    return work->memory;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count,
                                     struct cudaMemAllocNodeParams *parameters)
{
    SIMT_CALL;
    struct simt_work work;
    cudaError_t error;
    if (!parameters || parameters->bytesize == 0 ||
        parameters->poolProps.allocType != cudaMemAllocationTypePinned) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_work_of_memory(&work, parameters->bytesize)) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    work.function = __func__;
    work.caller = CALLER;
    error = simt_graph_add(node, graph, after, count, &work);
    if (error == cudaSuccess) {
        parameters->dptr = work.memory;
    }
    return error;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *after, size_t count, void *memory)
{
    SIMT_CALL;
    if (!memory) {
        return simt_error(cudaErrorInvalidValue);
    }
    return simt_graph_add(node, graph, after, count,
                          &(struct simt_work){.type = cudaGraphNodeTypeMemFree,
                                              .function = __func__,
                                              .caller = CALLER,
                                              .memory = memory});
}

cudaError_t simt_graph_allocate(const struct simt_work *work, cudaStream_t stream)
{
    struct simt_region *region;
    if (simt_region_find_base(work->memory)) {
        return simt_call_failed(work->function, work->caller, cudaErrorInvalidValue,
                                "the graph's memory of the last launch has not been freed");
    }
    if (!simt_memory_allocate_at(work->memory, work->memory_bytes)) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    region = simt_region_find_base(work->memory);
    region->of_graph = true;
    most_used = used() > most_used ? used() : most_used;
    simt_begin_allocation(region, stream, "allocates", work->function, work->caller);
    return cudaSuccess;
}

/* For cudaGraphInstantiateFlagAutoFreeOnLaunch. */
void simt_graph_free_left(const struct simt_work *work, cudaStream_t stream)
{
    struct simt_region *region = simt_region_find_base(work->memory);
    if (region) {
        simt_begin_allocation(region, stream, "frees", work->function, work->caller);
        simt_region_release(region);
    }
}

cudaError_t simt_graph_free(const struct simt_work *work, cudaStream_t stream)
{
    struct simt_region *region = simt_region_find_base(work->memory);
    if (!region || region->kind != REGION_DEVICE) {
        return simt_call_failed(work->function, work->caller, cudaErrorInvalidValue,
                                "no memory that a graph has allocated begins there");
    }
    simt_graph_free_left(work, stream);
    return cudaSuccess;
}

/* ---- graph memory of a device ---- */

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    SIMT_CALL;
    return simt_error(simt_device_exists(device) ? cudaSuccess : cudaErrorInvalidDevice);
}

/* Freed memory is returned at once, so the reserved memory is the memory in use. */
cudaError_t cudaDeviceGetGraphMemAttribute(int device, enum cudaGraphMemAttributeType attribute,
                                           void *value)
{
    SIMT_CALL;
    const bool now = attribute == cudaGraphMemAttrUsedMemCurrent ||
                     attribute == cudaGraphMemAttrReservedMemCurrent;
    const uint64_t bytes = now ? used() : most_used;
    if (!simt_device_exists(device)) {
        return simt_error(cudaErrorInvalidDevice);
    }
    if (!value || (unsigned int)attribute > cudaGraphMemAttrReservedMemHigh) {
        return simt_error(cudaErrorInvalidValue);
    }
    memcpy(value, &bytes, sizeof bytes);
    return cudaSuccess;
}

/* SPDX-License-Identifier: MIT */
