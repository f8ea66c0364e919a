/* The C++ functions for nodes of any kind, such as cudaGraphAddNode(), and for copies to and from
 * variables. simt_host_api.h, which has the kernel nodes, includes this. */
#ifndef SIMT_GRAPH_PARAMS_H
#define SIMT_GRAPH_PARAMS_H

typedef struct cudaMemsetParams cudaMemsetParamsV2;
typedef struct cudaHostNodeParams cudaHostNodeParamsV2;
typedef struct cudaKernelNodeParams cudaKernelNodeParamsV2;
typedef struct cudaMemAllocNodeParams cudaMemAllocNodeParamsV2;
struct cudaMemcpyNodeParams {
    int flags;
    int reserved[3];
    struct cudaMemcpy3DParms copyParams;
};
enum cudaGraphChildGraphNodeOwnership {
    cudaGraphChildGraphOwnershipClone = 0,
    cudaGraphChildGraphOwnershipMove = 1
};
struct cudaChildGraphNodeParams {
    cudaGraph_t graph;
    enum cudaGraphChildGraphNodeOwnership ownership;
};
struct cudaEventRecordNodeParams {
    cudaEvent_t event;
};
struct cudaEventWaitNodeParams {
    cudaEvent_t event;
};
struct cudaMemFreeNodeParams {
    void *dptr;
};

struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        cudaKernelNodeParamsV2 kernel;
        cudaMemcpyNodeParams memcpy;
        cudaMemsetParamsV2 memset;
        cudaHostNodeParamsV2 host;
        cudaChildGraphNodeParams graph;
        cudaEventWaitNodeParams eventWait;
        cudaEventRecordNodeParams eventRecord;
        cudaMemAllocNodeParamsV2 alloc;
        cudaMemFreeNodeParams free;
    };
    long long reserved2;
};

inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *after, const cudaGraphEdgeData *,
                                    size_t count, cudaGraphNodeParams *given, SIMT_SITE)
{
    switch (given->type) {
    case cudaGraphNodeTypeKernel:
        return ::cudaGraphAddKernelNode(node, graph, after, count, &given->kernel, simt_file,
                                        simt_line);
    case cudaGraphNodeTypeMemcpy:
        return ::cudaGraphAddMemcpyNode(node, graph, after, count, &given->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return ::cudaGraphAddMemsetNode(node, graph, after, count, &given->memset);
    case cudaGraphNodeTypeHost:
        return ::cudaGraphAddHostNode(node, graph, after, count, &given->host);
    case cudaGraphNodeTypeGraph:
        return ::cudaGraphAddChildGraphNode(node, graph, after, count, given->graph.graph);
    case cudaGraphNodeTypeEmpty:
        return ::cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent:
        return ::cudaGraphAddEventWaitNode(node, graph, after, count, given->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return ::cudaGraphAddEventRecordNode(node, graph, after, count, given->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
        return ::cudaGraphAddMemAllocNode(node, graph, after, count, &given->alloc);
    case cudaGraphNodeTypeMemFree:
        return ::cudaGraphAddMemFreeNode(node, graph, after, count, given->free.dptr);
    default:
        return cudaErrorInvalidValue;
    }
}

/* The form of CUDA 12. */
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                    const cudaGraphNode_t *after, size_t count,
                                    cudaGraphNodeParams *given, SIMT_SITE)
{
    return ::cudaGraphAddNode(node, graph, after, nullptr, count, given, simt_file, simt_line);
}

inline cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams *given,
                                          SIMT_SITE)
{
    switch (given->type) {
    case cudaGraphNodeTypeKernel:
        return ::cudaGraphKernelNodeSetParams(node, &given->kernel, simt_file, simt_line);
    case cudaGraphNodeTypeMemcpy:
        return ::cudaGraphMemcpyNodeSetParams(node, &given->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return ::cudaGraphMemsetNodeSetParams(node, &given->memset);
    case cudaGraphNodeTypeHost:
        return ::cudaGraphHostNodeSetParams(node, &given->host);
    case cudaGraphNodeTypeWaitEvent:
        return ::cudaGraphEventWaitNodeSetEvent(node, given->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return ::cudaGraphEventRecordNodeSetEvent(node, given->eventRecord.event);
    default:
        return cudaErrorInvalidValue;
    }
}

inline cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                              cudaGraphNodeParams *given, SIMT_SITE)
{
    switch (given->type) {
    case cudaGraphNodeTypeKernel:
        return ::cudaGraphExecKernelNodeSetParams(exec, node, &given->kernel, simt_file, simt_line);
    case cudaGraphNodeTypeMemcpy:
        return ::cudaGraphExecMemcpyNodeSetParams(exec, node, &given->memcpy.copyParams);
    case cudaGraphNodeTypeMemset:
        return ::cudaGraphExecMemsetNodeSetParams(exec, node, &given->memset);
    case cudaGraphNodeTypeHost:
        return ::cudaGraphExecHostNodeSetParams(exec, node, &given->host);
    case cudaGraphNodeTypeGraph:
        return ::cudaGraphExecChildGraphNodeSetParams(exec, node, given->graph.graph);
    case cudaGraphNodeTypeWaitEvent:
        return ::cudaGraphExecEventWaitNodeSetEvent(exec, node, given->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
        return ::cudaGraphExecEventRecordNodeSetEvent(exec, node, given->eventRecord.event);
    default:
        return cudaErrorInvalidValue;
    }
}

/* ---- copies to and from variables of the device ---- */

template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *after, size_t count,
                                                  const T &symbol, const void *from, size_t size,
                                                  size_t offset, cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNode1D(node, graph, after, count,
                                      simt_symbol(&symbol, sizeof symbol, offset, size), from, size,
                                      kind);
}

template <class T>
inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                                    const cudaGraphNode_t *after, size_t count,
                                                    void *to, const T &symbol, size_t size,
                                                    size_t offset, cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNode1D(node, graph, after, count, to,
                                      simt_symbol(&symbol, sizeof symbol, offset, size), size,
                                      kind);
}

template <class T>
inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol,
                                                        const void *from, size_t size,
                                                        size_t offset, cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParams1D(node, simt_symbol(&symbol, sizeof symbol, offset, size),
                                            from, size, kind);
}

template <class T>
inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to,
                                                          const T &symbol, size_t size,
                                                          size_t offset, cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParams1D(
        node, to, simt_symbol(&symbol, sizeof symbol, offset, size), size, kind);
}

template <class T>
inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec,
                                                            cudaGraphNode_t node, const T &symbol,
                                                            const void *from, size_t size,
                                                            size_t offset, cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParams1D(
        exec, node, simt_symbol(&symbol, sizeof symbol, offset, size), from, size, kind);
}

template <class T>
inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec,
                                                              cudaGraphNode_t node, void *to,
                                                              const T &symbol, size_t size,
                                                              size_t offset, cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParams1D(
        exec, node, to, simt_symbol(&symbol, sizeof symbol, offset, size), size, kind);
}

#endif
