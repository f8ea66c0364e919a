/* The host API of graphs: changes what nodes do, in a graph or in an executable graph. */
#include <string.h>

#include "api/graphs.h"

#define CALLER __builtin_return_address(0)

/* A node of a graph; or, if `runs`, the copy of that node in an executable graph. */
struct place {
    bool runs;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
};

static cudaGraphNode_t find(struct place place, enum cudaGraphNodeType type)
{
    const cudaGraphNode_t node = place.runs ? simt_exec_node(place.exec, place.node)
                                 : simt_node_exists(place.node) ? place.node
                                                                : NULL;
    return node && node->work.type == type ? node : NULL;
}

static cudaError_t change(struct place place, struct simt_work *work)
{
    const cudaGraphNode_t node = find(place, work->type);
    if (!node) {
        simt_work_forget(work);
        return simt_error(cudaErrorInvalidValue);
    }
    work->device = node->work.device;
    simt_work_forget(&node->work);
    node->work = *work;
    return cudaSuccess;
}

static struct place of_graph(cudaGraphNode_t node)
{
    return (struct place){.node = node};
}

static struct place of_exec(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    return (struct place){true, exec, node};
}

/* ---- kernels ---- */

cudaError_t simt_graph_set_kernel(cudaGraphExec_t exec, cudaGraphNode_t node,
                                  const struct simt_kernel_node *kernel, const char *file, int line)
{
    SIMT_CALL;
    const struct place place = exec ? of_exec(exec, node) : of_graph(node);
    const cudaGraphNode_t old = find(place, cudaGraphNodeTypeKernel);
    struct simt_work work;
    const cudaError_t error = simt_work_of_kernel(&work, kernel, file, line);
    if (error != cudaSuccess) {
        return error;
    }
    if (old) { /* keep the attributes */
        work.launch->cooperative = old->work.launch->cooperative;
        work.launch->cluster = old->work.launch->cluster;
    }
    return change(place, &work);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue *value)
{
    SIMT_CALL;
    struct simt_launch *launch = simt_node_exists(node) ? node->work.launch : NULL;
    if (!launch || !value) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (attribute == cudaLaunchAttributeCooperative) {
        launch->cooperative = value->cooperative;
    } else if (attribute == cudaLaunchAttributeClusterDimension) {
        launch->cluster =
            (struct uint3){value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
    }
    return cudaSuccess;
}

/* ---- copies ---- */

static cudaError_t set_rows(struct place place, void *to, const void *from, size_t size,
                            enum cudaMemcpyKind kind, const char *function, const void *caller)
{
    struct simt_work work;
    simt_work_of_copy(&work, to, from, size, kind);
    work.function = function;
    work.caller = caller;
    return change(place, &work);
}

static cudaError_t set_box(struct place place, const struct cudaMemcpy3DParms *copy,
                           const char *function, const void *caller)
{
    if (!copy) {
        return simt_error(cudaErrorInvalidValue);
    }
    return change(place, &(struct simt_work){.type = cudaGraphNodeTypeMemcpy,
                                             .function = function,
                                             .caller = caller,
                                             .is_box = true,
                                             .box = *copy});
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *copy)
{
    SIMT_CALL;
    return set_box(of_graph(node), copy, __func__, CALLER);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemcpy3DParms *copy)
{
    SIMT_CALL;
    return set_box(of_exec(exec, node), copy, __func__, CALLER);
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from,
                                           size_t size, enum cudaMemcpyKind kind)
{
    SIMT_CALL;
    return set_rows(of_graph(node), to, from, size, kind, __func__, CALLER);
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t size,
                                               enum cudaMemcpyKind kind)
{
    SIMT_CALL;
    return set_rows(of_exec(exec, node), to, from, size, kind, __func__, CALLER);
}

/* ---- fills, functions of the host, events, graphs ---- */

static cudaError_t set_fill(struct place place, const struct cudaMemsetParams *fill,
                            const char *function, const void *caller)
{
    struct simt_work work;
    if (!simt_work_of_fill(&work, fill)) {
        return simt_error(cudaErrorInvalidValue);
    }
    work.function = function;
    work.caller = caller;
    return change(place, &work);
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *fill)
{
    SIMT_CALL;
    return set_fill(of_graph(node), fill, __func__, CALLER);
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const struct cudaMemsetParams *fill)
{
    SIMT_CALL;
    return set_fill(of_exec(exec, node), fill, __func__, CALLER);
}

static cudaError_t set_host(struct place place, const struct cudaHostNodeParams *host)
{
    if (!host || !host->fn) {
        return simt_error(cudaErrorInvalidValue);
    }
    return change(place, &(struct simt_work){.type = cudaGraphNodeTypeHost, .host = *host});
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *host)
{
    SIMT_CALL;
    return set_host(of_graph(node), host);
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const struct cudaHostNodeParams *host)
{
    SIMT_CALL;
    return set_host(of_exec(exec, node), host);
}

static cudaError_t set_event(struct place place, enum cudaGraphNodeType type, cudaEvent_t event)
{
    return change(place, &(struct simt_work){.type = type, .event = event});
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    SIMT_CALL;
    return set_event(of_graph(node), cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event)
{
    SIMT_CALL;
    return set_event(of_exec(exec, node), cudaGraphNodeTypeEventRecord, event);
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event)
{
    SIMT_CALL;
    return set_event(of_graph(node), cudaGraphNodeTypeWaitEvent, event);
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event)
{
    SIMT_CALL;
    return set_event(of_exec(exec, node), cudaGraphNodeTypeWaitEvent, event);
}

/* ---- nodes that are disabled ---- */

/* The node, if it is of a kind that can be disabled. */
static cudaGraphNode_t node_with_switch(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    const cudaGraphNode_t own = simt_exec_node(exec, node);
    return own && own->work.type <= cudaGraphNodeTypeMemset ? own : NULL;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled)
{
    SIMT_CALL;
    const cudaGraphNode_t own = node_with_switch(exec, node);
    if (!own) {
        return simt_error(cudaErrorInvalidValue);
    }
    own->is_off = !enabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int *enabled)
{
    SIMT_CALL;
    const cudaGraphNode_t own = node_with_switch(exec, node);
    if (!own || !enabled) {
        return simt_error(cudaErrorInvalidValue);
    }
    *enabled = !own->is_off;
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
