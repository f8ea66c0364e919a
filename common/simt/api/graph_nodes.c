/* The host API of graphs: adds nodes and edges. */
#include "api/graphs.h"
#include "base/own.h"

#define CALLER __builtin_return_address(0)

cudaError_t simt_graph_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                           size_t count, struct simt_work *work)
{
    bool right = node && simt_graph_exists(graph) && (after || count == 0);
    for (size_t i = 0; right && i < count; i++) {
        right = simt_is_node_of(after[i], graph);
    }
    if (!right) {
        simt_work_forget(work);
        return simt_error(cudaErrorInvalidValue);
    }
    work->device = simt_own.device;
    *node = simt_graph_append(graph, after, count, work);
    return cudaSuccess;
}

cudaError_t simt_graph_add_kernel(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t count,
                                  const struct simt_kernel_node *kernel, const char *file, int line)
{
    SIMT_CALL;
    struct simt_work work;
    const cudaError_t error = simt_work_of_kernel(&work, kernel, file, line);
    return error == cudaSuccess ? simt_graph_add(node, graph, after, count, &work) : error;
}

cudaError_t simt_graph_kernel(cudaGraphNode_t node, struct simt_kernel_node *kernel)
{
    SIMT_CALL;
    const struct simt_launch *launch = simt_node_exists(node) ? node->work.launch : NULL;
    if (!launch || !kernel) {
        return simt_error(cudaErrorInvalidValue);
    }
    /* Arguments are not returned: only the compiler may know the layout of the closure. */
    *kernel = (struct simt_kernel_node){launch->function, launch->grid, launch->block,
                                        (unsigned int)launch->shared_bytes, NULL};
    return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemcpy3DParms *copy)
{
    SIMT_CALL;
    if (!copy) {
        return simt_error(cudaErrorInvalidValue);
    }
    return simt_graph_add(node, graph, after, count,
                          &(struct simt_work){.type = cudaGraphNodeTypeMemcpy,
                                              .function = "cudaGraphAddMemcpyNode",
                                              .caller = CALLER,
                                              .is_box = true,
                                              .box = *copy});
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t count, void *to,
                                     const void *from, size_t size, enum cudaMemcpyKind kind)
{
    SIMT_CALL;
    struct simt_work work;
    simt_work_of_copy(&work, to, from, size, kind);
    work.function = "cudaGraphAddMemcpyNode1D";
    work.caller = CALLER;
    return simt_graph_add(node, graph, after, count, &work);
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                   const cudaGraphNode_t *after, size_t count,
                                   const struct cudaMemsetParams *fill)
{
    SIMT_CALL;
    struct simt_work work;
    if (!simt_work_of_fill(&work, fill)) {
        return simt_error(cudaErrorInvalidValue);
    }
    work.function = "cudaGraphAddMemsetNode";
    work.caller = CALLER;
    return simt_graph_add(node, graph, after, count, &work);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *after, size_t count,
                                 const struct cudaHostNodeParams *host)
{
    SIMT_CALL;
    if (!host || !host->fn) {
        return simt_error(cudaErrorInvalidValue);
    }
    return simt_graph_add(node, graph, after, count,
                          &(struct simt_work){.type = cudaGraphNodeTypeHost, .host = *host});
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                       const cudaGraphNode_t *after, size_t count,
                                       cudaGraph_t child)
{
    SIMT_CALL;
    if (!simt_graph_exists(child)) {
        return simt_error(cudaErrorInvalidValue);
    }
    struct simt_work work;
    simt_work_of_graph(&work, child);
    return simt_graph_add(node, graph, after, count, &work);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                  const cudaGraphNode_t *after, size_t count)
{
    SIMT_CALL;
    return simt_graph_add(node, graph, after, count,
                          &(struct simt_work){.type = cudaGraphNodeTypeEmpty});
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *after, size_t count,
                                        cudaEvent_t event)
{
    SIMT_CALL;
    return simt_graph_add(
        node, graph, after, count,
        &(struct simt_work){.type = cudaGraphNodeTypeEventRecord, .event = event});
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                      const cudaGraphNode_t *after, size_t count, cudaEvent_t event)
{
    SIMT_CALL;
    return simt_graph_add(node, graph, after, count,
                          &(struct simt_work){.type = cudaGraphNodeTypeWaitEvent, .event = event});
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                     size_t count)
{
    SIMT_CALL;
    (void)data;
    if (!simt_graph_exists(graph) || ((!from || !to) && count > 0)) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < count; i++) {
        if (!simt_is_node_of(from[i], graph) || !simt_is_node_of(to[i], graph) ||
            from[i] == to[i]) {
            return simt_error(cudaErrorInvalidValue);
        }
    }
    for (size_t i = 0; i < count; i++) {
        simt_node_add_after(to[i], from[i]);
    }
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
