/* The host API of graphs: queries about a graph and its nodes. */
#include <stdio.h>
#include <string.h>

#include "api/graphs.h"

/* ---- nodes and edges: fills an array of *count; if it is NULL, only counts them ---- */

static void tell_node(cudaGraphNode_t *nodes, size_t room, size_t *found, cudaGraphNode_t node)
{
    if (nodes && *found < room) {
        nodes[*found] = node;
    }
    ++*found;
}

static cudaError_t get_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool roots)
{
    size_t found = 0;
    if (!simt_graph_exists(graph) || !count) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (cudaGraphNode_t node = graph->first; node; node = node->next) {
        if (!roots || node->after_count == 0) {
            tell_node(nodes, *count, &found, node);
        }
    }
    *count = found;
    return cudaSuccess;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    SIMT_CALL;
    return get_nodes(graph, nodes, count, false);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    SIMT_CALL;
    return get_nodes(graph, nodes, count, true);
}

/* Zeroes the data of the edges, because edges have none. `data` has room for *count. */
static cudaError_t tell_edges(cudaGraphEdgeData *data, size_t *count, size_t found)
{
    if (data) {
        memset(data, 0, (found < *count ? found : *count) * sizeof *data);
    }
    *count = found;
    return cudaSuccess;
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *data, size_t *count)
{
    SIMT_CALL;
    size_t found = 0;
    if (!simt_graph_exists(graph) || !count || !from != !to) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (cudaGraphNode_t node = graph->first; node; node = node->next) {
        for (size_t i = 0; i < node->after_count; i++, found++) {
            if (from && found < *count) {
                from[found] = node->after[i];
                to[found] = node;
            }
        }
    }
    return tell_edges(data, count, found);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                         cudaGraphEdgeData *data, size_t *count)
{
    SIMT_CALL;
    size_t found = 0;
    if (!simt_node_exists(node) || !count) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (size_t i = 0; i < node->after_count; i++) {
        tell_node(nodes, *count, &found, node->after[i]);
    }
    return tell_edges(data, count, found);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *data, size_t *count)
{
    SIMT_CALL;
    size_t found = 0;
    if (!simt_node_exists(node) || !count) {
        return simt_error(cudaErrorInvalidValue);
    }
    for (cudaGraphNode_t other = node->graph->first; other; other = other->next) {
        if (simt_node_is_after(other, node)) {
            tell_node(nodes, *count, &found, other);
        }
    }
    return tell_edges(data, count, found);
}

/* ---- what a node does ---- */

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    SIMT_CALL;
    if (!simt_node_exists(node) || !type) {
        return simt_error(cudaErrorInvalidValue);
    }
    *type = node->work.type;
    return cudaSuccess;
}

static const struct simt_work *work_of(cudaGraphNode_t node, enum cudaGraphNodeType type)
{
    return simt_node_exists(node) && node->work.type == type ? &node->work : NULL;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *copy)
{
    SIMT_CALL;
    const struct simt_work *work = work_of(node, cudaGraphNodeTypeMemcpy);
    if (!work || !copy) {
        return simt_error(cudaErrorInvalidValue);
    }
    *copy = work->is_box ? work->box
                         : (struct cudaMemcpy3DParms){
                               .srcPtr = make_cudaPitchedPtr(work->from.first, work->from.pitch,
                                                             work->to.width, work->to.height),
                               .dstPtr = make_cudaPitchedPtr(work->to.first, work->to.pitch,
                                                             work->to.width, work->to.height),
                               .extent = make_cudaExtent(work->to.width, work->to.height, 1),
                               .kind = work->kind};
    return cudaSuccess;
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *fill)
{
    SIMT_CALL;
    const struct simt_work *work = work_of(node, cudaGraphNodeTypeMemset);
    if (!work || !fill) {
        return simt_error(cudaErrorInvalidValue);
    }
    *fill = (struct cudaMemsetParams){
        .dst = work->to.first,
        .pitch = work->to.pitch,
        .value = work->value,
        .elementSize = work->element,
        .width = work->to.width / work->element,
        .height = work->to.height,
    };
    return cudaSuccess;
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *host)
{
    SIMT_CALL;
    const struct simt_work *work = work_of(node, cudaGraphNodeTypeHost);
    if (!work || !host) {
        return simt_error(cudaErrorInvalidValue);
    }
    *host = work->host;
    return cudaSuccess;
}

/* ---- a picture ---- */

static void draw(FILE *file, cudaGraph_t graph, int depth)
{
    static const char *const kinds[] = {"kernel",
                                        "memcpy",
                                        "memset",
                                        "host",
                                        "graph",
                                        "empty",
                                        "wait event",
                                        "record event",
                                        "signal semaphore",
                                        "wait for semaphore",
                                        "allocate",
                                        "free",
                                        "",
                                        "conditional"};
    for (cudaGraphNode_t node = graph->first; node; node = node->next) {
        const struct simt_work *work = &node->work;
        fprintf(file, "%*s\"%p\" [label=\"%s\"];\n", 2 * depth, "", (void *)node,
                work->launch ? work->launch->name : kinds[work->type]);
        for (size_t i = 0; i < node->after_count; i++) {
            fprintf(file, "%*s\"%p\" -> \"%p\";\n", 2 * depth, "", (void *)node->after[i],
                    (void *)node);
        }
        for (unsigned int i = 0; i < work->graph_count; i++) {
            fprintf(file, "%*ssubgraph \"cluster_%p\" {\n", 2 * depth, "", (void *)work->graphs[i]);
            draw(file, work->graphs[i], depth + 1);
            fprintf(file, "%*s}\n", 2 * depth, "");
        }
    }
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags)
{
    SIMT_CALL;
    FILE *file;
    bool written;
    (void)flags;
    if (!simt_graph_exists(graph) || !path) {
        return simt_error(cudaErrorInvalidValue);
    }
    file = fopen(path, "w");
    if (!file) {
        return simt_error(cudaErrorOperatingSystem);
    }
    fputs("digraph {\n", file);
    draw(file, graph, 1);
    fputs("}\n", file);
    written = !ferror(file);
    return simt_error(fclose(file) == 0 && written ? cudaSuccess : cudaErrorOperatingSystem);
}
/* SPDX-License-Identifier: MIT */
