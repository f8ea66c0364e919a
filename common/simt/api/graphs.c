/* The host API of graphs: graphs, nodes and the work of nodes. */
#include <stdlib.h>

#include "api/graphs.h"
#include "base/need.h"

static cudaGraph_t graphs;

/* ---- work ---- */

void simt_work_copy(struct simt_work *to, const struct simt_work *from)
{
    *to = *from;
    to->launch = from->launch ? simt_copy_launch(from->launch) : NULL;
    if (from->graphs) {
        to->graphs = simt_needed(calloc(from->graph_count, sizeof *to->graphs), "a graph");
    }
    for (unsigned int i = 0; i < from->graph_count; i++) {
        to->graphs[i] = simt_graph_clone(from->graphs[i]);
    }
}

void simt_work_forget(struct simt_work *work)
{
    free(work->launch);
    for (unsigned int i = 0; i < work->graph_count; i++) {
        simt_graph_forget(work->graphs[i]);
    }
    free(work->graphs);
    *work = (struct simt_work){.type = cudaGraphNodeTypeEmpty};
}

cudaError_t simt_work_of_kernel(struct simt_work *work, const struct simt_kernel_node *given,
                                const char *file, int line)
{
    const struct simt_kernel *kernel = simt_find_kernel(given->function);
    struct simt_launch launch = {.file = file,
                                 .line = line,
                                 .grid = given->grid,
                                 .block = given->block,
                                 .shared_bytes = given->shared_bytes,
                                 .function = given->function,
                                 .invoke = simt_invoke_call,
                                 .returns_error = true};
    if (!kernel || !kernel->invoke) {
        return simt_error(cudaErrorInvalidDeviceFunction);
    }
    if (!given->arguments && kernel->parameters > 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    launch.name = kernel->name;
    launch.interleaved = kernel->interleaved;
    launch.instrumented = kernel->instrumented;
    launch.closure = simt_make_call(kernel, given->arguments, &launch.closure_bytes);
    if (!launch.closure) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    *work =
        (struct simt_work){.type = cudaGraphNodeTypeKernel, .launch = simt_copy_launch(&launch)};
    free(launch.closure);
    return cudaSuccess;
}

bool simt_work_of_fill(struct simt_work *work, const struct cudaMemsetParams *fill)
{
    const unsigned int element = fill ? fill->elementSize : 0;
    if ((element != 1 && element != 2 && element != 4) || fill->height == 0 || fill->width == 0) {
        return false;
    }
    *work = (struct simt_work){
        .type = cudaGraphNodeTypeMemset,
        .to = {fill->dst, fill->height > 1 ? fill->pitch : fill->width * element,
               fill->width * element, fill->height},
        .value = fill->value,
        .element = element,
    };
    return true;
}

void simt_work_of_copy(struct simt_work *work, void *to, const void *from, size_t size,
                       enum cudaMemcpyKind kind)
{
    *work = (struct simt_work){.type = cudaGraphNodeTypeMemcpy,
                               .to = {to, size, size, 1},
                               .from = {(char *)(uintptr_t)from, size, size, 1},
                               .kind = kind};
}

void simt_work_of_graph(struct simt_work *work, cudaGraph_t graph)
{
    *work = (struct simt_work){.type = cudaGraphNodeTypeGraph, .graph_count = 1};
    work->graphs = simt_needed(malloc(sizeof *work->graphs), "a graph");
    work->graphs[0] = simt_graph_clone(graph);
}

/* ---- graphs ---- */

cudaGraph_t simt_graph_make(void)
{
    cudaGraph_t graph = simt_needed(calloc(1, sizeof *graph), "a graph");
    graph->last = &graph->first;
    return graph;
}

void simt_graph_publish(cudaGraph_t graph)
{
    graph->next = graphs;
    graphs = graph;
}

/* Whether `graph` is `other`, or is nested in one of its nodes. */
static bool is_in(cudaGraph_t graph, cudaGraph_t other)
{
    bool found = graph == other;
    for (cudaGraphNode_t node = other->first; node && !found; node = node->next) {
        for (unsigned int i = 0; i < node->work.graph_count && !found; i++) {
            found = is_in(graph, node->work.graphs[i]);
        }
    }
    return found;
}

bool simt_graph_exists(cudaGraph_t graph)
{
    cudaGraph_t known = graphs;
    while (known && !is_in(graph, known)) {
        known = known->next;
    }
    return graph && known;
}

bool simt_is_node_of(cudaGraphNode_t node, cudaGraph_t graph)
{
    cudaGraphNode_t known = graph->first;
    while (known && known != node) {
        known = known->next;
    }
    return node && known;
}

/* Whether the node is in the graph, or in a graph nested in it. */
static bool has_node(cudaGraph_t graph, cudaGraphNode_t node)
{
    for (cudaGraphNode_t known = graph->first; known; known = known->next) {
        bool found = known == node;
        for (unsigned int i = 0; i < known->work.graph_count && !found; i++) {
            found = has_node(known->work.graphs[i], node);
        }
        if (found) {
            return true;
        }
    }
    return false;
}

bool simt_node_exists(cudaGraphNode_t node)
{
    for (cudaGraph_t graph = graphs; graph; graph = graph->next) {
        if (has_node(graph, node)) {
            return true;
        }
    }
    return false;
}

bool simt_node_is_after(cudaGraphNode_t node, cudaGraphNode_t before)
{
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i] == before) {
            return true;
        }
    }
    return false;
}

void simt_node_add_after(cudaGraphNode_t node, cudaGraphNode_t before)
{
    if (simt_node_is_after(node, before)) {
        return;
    }
    node->after = simt_needed(
        realloc(node->after, (node->after_count + 1) * sizeof(cudaGraphNode_t)), "a graph");
    node->after[node->after_count++] = before;
}

cudaGraphNode_t simt_graph_append(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                  const struct simt_work *work)
{
    cudaGraphNode_t node = simt_needed(calloc(1, sizeof *node), "a graph");
    node->graph = graph;
    node->work = *work;
    for (size_t i = 0; i < count; i++) {
        simt_node_add_after(node, after[i]);
    }
    *graph->last = node;
    graph->last = &node->next;
    graph->count++;
    return node;
}

static void forget_node(cudaGraphNode_t node)
{
    simt_work_forget(&node->work);
    free(node->children);
    free(node->after);
    free(node->done.turns);
    free(node);
}

void simt_graph_forget(cudaGraph_t graph)
{
    while (graph->first) {
        cudaGraphNode_t node = graph->first;
        graph->first = node->next;
        forget_node(node);
    }
    free(graph);
}

static cudaGraphNode_t find_clone(cudaGraph_t clone, cudaGraphNode_t original)
{
    cudaGraphNode_t node = clone->first;
    while (node && node->origin != original) {
        node = node->next;
    }
    return node;
}

cudaGraph_t simt_graph_clone(cudaGraph_t graph)
{
    cudaGraph_t clone = simt_graph_make();
    cudaGraphNode_t copy;
    for (cudaGraphNode_t node = graph->first; node; node = node->next) {
        struct simt_work work;
        simt_work_copy(&work, &node->work);
        simt_graph_append(clone, NULL, 0, &work)->origin = node;
    }
    copy = clone->first;
    for (cudaGraphNode_t node = graph->first; node; node = node->next, copy = copy->next) {
        for (size_t i = 0; i < node->after_count; i++) {
            simt_node_add_after(copy, find_clone(clone, node->after[i]));
        }
    }
    return clone;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
    SIMT_CALL;
    if (!graph || flags != 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    *graph = simt_graph_make();
    simt_graph_publish(*graph);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    SIMT_CALL;
    cudaGraph_t *link = &graphs;
    while (*link && *link != graph) {
        link = &(*link)->next;
    }
    if (!*link) {
        return simt_error(cudaErrorInvalidValue);
    }
    *link = graph->next;
    simt_graph_forget(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
    SIMT_CALL;
    if (!clone || !simt_graph_exists(graph)) {
        return simt_error(cudaErrorInvalidValue);
    }
    *clone = simt_graph_clone(graph);
    simt_graph_publish(*clone);
    return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                     cudaGraph_t clone)
{
    SIMT_CALL;
    if (!node || !simt_graph_exists(clone)) {
        return simt_error(cudaErrorInvalidValue);
    }
    *node = find_clone(clone, original);
    return *node ? cudaSuccess : simt_error(cudaErrorInvalidValue);
}

/* ---- removal ---- */

static void remove_after(cudaGraphNode_t node, cudaGraphNode_t before)
{
    size_t kept = 0;
    for (size_t i = 0; i < node->after_count; i++) {
        if (node->after[i] != before) {
            node->after[kept++] = node->after[i];
        }
    }
    node->after_count = kept;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *data,
                                        size_t count)
{
    SIMT_CALL;
    (void)data;
    bool right = simt_graph_exists(graph) && ((from && to) || count == 0);
    for (size_t i = 0; right && i < count; i++) {
        right = simt_is_node_of(from[i], graph) && simt_is_node_of(to[i], graph) &&
                simt_node_is_after(to[i], from[i]);
    }
    for (size_t i = 0; right && i < count; i++) {
        remove_after(to[i], from[i]);
    }
    return simt_error(right ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
    SIMT_CALL;
    cudaGraphNode_t *link;
    cudaGraph_t graph;
    if (!simt_node_exists(node)) {
        return simt_error(cudaErrorInvalidValue);
    }
    graph = node->graph;
    for (cudaGraphNode_t other = graph->first; other; other = other->next) {
        remove_after(other, node);
    }
    link = &graph->first;
    while (*link != node) {
        link = &(*link)->next;
    }
    *link = node->next;
    if (!*link) {
        graph->last = link;
    }
    graph->count--;
    forget_node(node);
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
