/* The host API of executable graphs.
 *
 * Nodes run one after the other, in an order that their edges allow. Nodes that no edge orders are
 * checked like work in different streams. For that, each node is put into a lane. It joins the lane
 * of a node that it depends on, if that node is the last of its lane and on the same device.
 * Otherwise it gets a new lane. The first lane is the stream of the launch, if that is on the first
 * node's device. The other lanes are internal streams. */
#include <stdlib.h>

#include "api/graphs.h"
#include "base/need.h"
#include "base/own.h"
#include "memory/streams.h"

static cudaGraphExec_t execs;

static bool exec_exists(cudaGraphExec_t exec)
{
    cudaGraphExec_t known = execs;
    while (known && known != exec) {
        known = known->next;
    }
    return exec && known;
}

/* ---- instantiation ---- */

static bool can_follow(cudaGraphNode_t node)
{
    for (size_t i = 0; i < node->after_count; i++) {
        if (!node->after[i]->seen) {
            return false;
        }
    }
    return !node->seen;
}

/* False if the edges form a cycle. */
static bool put_in_order(cudaGraph_t graph, cudaGraphNode_t *order)
{
    size_t count = 0;
    bool more = true;
    for (cudaGraphNode_t node = graph->first; node; node = node->next) {
        node->seen = false;
    }
    while (more) {
        more = false;
        for (cudaGraphNode_t node = graph->first; node; node = node->next) {
            if (can_follow(node)) {
                node->seen = more = true;
                order[count++] = node;
            }
        }
    }
    return count == graph->count;
}

static bool can_continue(cudaGraphNode_t node, cudaGraphNode_t next)
{
    return !node->continued && node->work.device == next->work.device;
}

static void choose_lanes(cudaGraphExec_t exec)
{
    for (size_t n = 0; n < exec->graph->count; n++) {
        cudaGraphNode_t node = exec->order[n];
        size_t i = 0;
        while (i < node->after_count && !can_continue(node->after[i], node)) {
            i++;
        }
        if (i < node->after_count) {
            node->after[i]->continued = true;
            node->lane = node->after[i]->lane;
        } else {
            node->lane = exec->lane_count++;
        }
    }
}

static void forget_exec(cudaGraphExec_t exec)
{
    for (cudaGraphNode_t node = exec->graph->first; node; node = node->next) {
        for (unsigned int i = 0; node->children && i < node->work.graph_count; i++) {
            if (node->children[i]) {
                forget_exec(node->children[i]);
            }
        }
    }
    for (size_t i = 0; i < exec->lane_count && exec->lanes; i++) {
        if (exec->lanes[i]) {
            cudaStreamDestroy(exec->lanes[i]);
        }
    }
    simt_graph_forget(exec->graph);
    free(exec->order);
    free(exec->lanes);
    free(exec->done.turns);
    free(exec);
}

static void create_lane(cudaGraphExec_t exec, size_t lane, int device)
{
    const int current = simt_own.device;
    simt_own.device = device;
    cudaStreamCreateWithFlags(&exec->lanes[lane], cudaStreamNonBlocking);
    simt_own.device = current;
}

static bool make_children(cudaGraphNode_t node);

/* NULL if the edges form a cycle. */
static cudaGraphExec_t make_exec(cudaGraph_t graph)
{
    cudaGraphExec_t exec = simt_needed(calloc(1, sizeof *exec), "a graph");
    exec->graph = simt_graph_clone(graph);
    exec->order = simt_needed(calloc(graph->count + 1, sizeof *exec->order), "a graph");
    if (!put_in_order(exec->graph, exec->order)) {
        forget_exec(exec);
        return NULL;
    }
    choose_lanes(exec);
    exec->lanes = simt_needed(calloc(exec->lane_count + 1, sizeof *exec->lanes), "a graph");
    for (size_t n = 0; n < graph->count; n++) {
        const size_t lane = exec->order[n]->lane;
        if (lane > 0 && !exec->lanes[lane]) {
            create_lane(exec, lane, exec->order[n]->work.device);
        }
    }
    for (cudaGraphNode_t node = exec->graph->first; node; node = node->next) {
        if (!make_children(node)) {
            forget_exec(exec);
            return NULL;
        }
    }
    return exec;
}

static bool make_children(cudaGraphNode_t node)
{
    const unsigned int count = node->work.graph_count;
    node->children = count ? simt_needed(calloc(count, sizeof(cudaGraphExec_t)), "a graph") : NULL;
    for (unsigned int i = 0; i < count; i++) {
        node->children[i] = make_exec(node->work.graphs[i]);
        if (!node->children[i]) {
            return false;
        }
    }
    return true;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags)
{
    SIMT_CALL;
    if (!exec || !simt_graph_exists(graph) || flags > 15) {
        return simt_error(cudaErrorInvalidValue);
    }
    *exec = make_exec(graph);
    if (!*exec) {
        return simt_call_failed("cudaGraphInstantiate", __builtin_return_address(0),
                                cudaErrorInvalidValue, "the graph's edges go in a circle");
    }
    (*exec)->flags = flags;
    (*exec)->next = execs;
    execs = *exec;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *parameters)
{
    SIMT_CALL;
    cudaError_t error;
    if (!parameters) {
        return simt_error(cudaErrorInvalidValue);
    }
    error = cudaGraphInstantiate(exec, graph, parameters->flags);
    parameters->errNode_out = NULL;
    parameters->result_out =
        error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
    return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags)
{
    SIMT_CALL;
    if (!exec_exists(exec) || !flags) {
        return simt_error(cudaErrorInvalidValue);
    }
    *flags = exec->flags & ~(unsigned long long)cudaGraphInstantiateFlagUpload;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags)
{
    return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    SIMT_CALL;
    cudaGraphExec_t *link = &execs;
    while (*link && *link != exec) {
        link = &(*link)->next;
    }
    if (!*link) {
        return simt_error(cudaErrorInvalidValue);
    }
    *link = exec->next;
    forget_exec(exec);
    return cudaSuccess;
}

/* ---- launches ---- */

static cudaError_t run(cudaGraphExec_t exec, cudaStream_t stream);

static cudaError_t copy(const struct simt_work *work, cudaStream_t stream)
{
    return work->is_box ? simt_copy_box(&work->box, stream, false, work->function, work->caller)
                        : simt_copy_memory(&work->to, &work->from, work->kind, stream, false,
                                           work->function, work->caller);
}

static cudaError_t launch(const struct simt_work *work, cudaStream_t stream)
{
    struct simt_launch launch = *work->launch;
    launch.stream = stream;
    return (cudaError_t)simt_launch_kernel(&launch);
}

static cudaError_t do_work(cudaGraphNode_t node, cudaStream_t stream)
{
    const struct simt_work *work = &node->work;
    switch (work->type) {
    case cudaGraphNodeTypeKernel:
        return launch(work, stream);
    case cudaGraphNodeTypeMemcpy:
        return copy(work, stream);
    case cudaGraphNodeTypeMemset:
        return simt_fill_elements(&work->to, work->value, work->element, stream, work->function,
                                  work->caller);
    case cudaGraphNodeTypeHost:
        simt_memory_settle();
        simt_host_waits(stream);
        work->host.fn(work->host.userData);
        return cudaSuccess;
    case cudaGraphNodeTypeGraph:
        return run(node->children[0], stream);
    case cudaGraphNodeTypeMemAlloc:
        return simt_graph_allocate(work, stream);
    case cudaGraphNodeTypeMemFree:
        return simt_graph_free(work, stream);
    case cudaGraphNodeTypeWaitEvent:
        return cudaStreamWaitEvent(stream, work->event, 0);
    case cudaGraphNodeTypeEventRecord:
        return cudaEventRecord(work->event, stream);
    default:
        return cudaSuccess;
    }
}

/* Runs the node on its device. */
static cudaError_t run_node(cudaGraphNode_t node, cudaStream_t stream)
{
    const int current = simt_own.device;
    cudaError_t error;
    simt_own.device = node->work.device;
    error = do_work(node, stream);
    simt_own.device = current;
    return error;
}

/* The first lane: the stream of the launch if the device is right, else an internal stream. */
static cudaStream_t first_lane(cudaGraphExec_t exec, cudaStream_t stream)
{
    const int device = exec->graph->count > 0 ? exec->order[0]->work.device : simt_own.device;
    if (simt_stream_device(stream) == device) {
        return stream;
    }
    if (!exec->lanes[0]) {
        create_lane(exec, 0, device);
    }
    return exec->lanes[0];
}

static cudaError_t run(cudaGraphExec_t exec, cudaStream_t stream)
{
    const cudaStream_t first = first_lane(exec, stream);
    struct simt_progress start = {0};
    cudaError_t error = cudaSuccess;
    simt_stream_waits(stream, &exec->done); /* launches of one graph run one after the other */
    simt_stream_record(stream, &start);
    for (size_t i = first == stream; i < exec->lane_count; i++) {
        simt_stream_waits(exec->lanes[i], &start);
    }
    for (size_t n = 0; n < exec->graph->count && error == cudaSuccess; n++) {
        cudaGraphNode_t node = exec->order[n];
        const cudaStream_t lane = node->lane == 0 ? first : exec->lanes[node->lane];
        for (size_t i = 0; i < node->after_count; i++) {
            if (node->after[i]->lane != node->lane) {
                simt_stream_waits(lane, &node->after[i]->done);
            }
        }
        error = node->is_off ? cudaSuccess : run_node(node, lane);
        if (exec->lane_count > 1) {
            simt_stream_record(lane, &node->done);
        }
    }
    for (size_t i = first == stream; i < exec->lane_count; i++) {
        simt_stream_record(exec->lanes[i], &start);
        simt_stream_waits(stream, &start);
    }
    simt_stream_record(stream, &exec->done);
    free(start.turns);
    return error;
}

static void free_what_is_left(cudaGraphExec_t exec, cudaStream_t stream)
{
    for (cudaGraphNode_t node = exec->graph->first; node; node = node->next) {
        if (node->work.type == cudaGraphNodeTypeMemAlloc) {
            simt_graph_free_left(&node->work, stream);
        }
    }
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    SIMT_CALL;
    if (!exec_exists(exec)) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (simt_captures(stream)) {
        struct simt_work work;
        simt_work_of_graph(&work, exec->graph);
        return simt_capture(stream, &work);
    }
    if (exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) {
        free_what_is_left(exec, stream);
    }
    return run(exec, stream);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    SIMT_CALL;
    if (!exec_exists(exec) || !simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

/* ---- changes ---- */

cudaGraphNode_t simt_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node)
{
    cudaGraphNode_t own = exec_exists(exec) ? exec->graph->first : NULL;
    while (own && own->origin != node) {
        own = own->next;
    }
    return own;
}

static size_t number_of(cudaGraphNode_t node)
{
    size_t number = 0;
    for (cudaGraphNode_t other = node->graph->first; other != node; other = other->next) {
        number++;
    }
    return number;
}

/* Compares two nodes at the same position in two graphs. */
static enum cudaGraphExecUpdateResult compare_nodes(cudaGraphNode_t own, cudaGraphNode_t other)
{
    if (own->work.type != other->work.type) {
        return cudaGraphExecUpdateErrorNodeTypeChanged;
    }
    if (own->work.device != other->work.device) {
        return cudaGraphExecUpdateError;
    }
    if (own->after_count != other->after_count ||
        own->work.graph_count != other->work.graph_count) {
        return cudaGraphExecUpdateErrorTopologyChanged;
    }
    if (own->work.memory != other->work.memory) {
        return cudaGraphExecUpdateErrorParametersChanged;
    }
    for (size_t i = 0; i < own->after_count; i++) {
        if (number_of(own->after[i]) != number_of(other->after[i])) {
            return cudaGraphExecUpdateErrorTopologyChanged;
        }
    }
    return cudaGraphExecUpdateSuccess;
}

static cudaGraphExecUpdateResultInfo compare_graphs(cudaGraph_t own, cudaGraph_t other)
{
    cudaGraphExecUpdateResultInfo info = {0};
    cudaGraphNode_t mine = own->first;
    if (own->count != other->count) {
        info.result = cudaGraphExecUpdateErrorTopologyChanged;
        return info;
    }
    for (cudaGraphNode_t node = other->first; node; node = node->next, mine = mine->next) {
        info.result = compare_nodes(mine, node);
        for (unsigned int i = 0;
             info.result == cudaGraphExecUpdateSuccess && i < mine->work.graph_count; i++) {
            info = compare_graphs(mine->work.graphs[i], node->work.graphs[i]);
        }
        if (info.result != cudaGraphExecUpdateSuccess) {
            info.errorNode = node;
            return info;
        }
    }
    return info;
}

static void take_work(cudaGraphExec_t exec, cudaGraph_t graph)
{
    cudaGraphNode_t own = exec->graph->first;
    for (cudaGraphNode_t node = graph->first; node; node = node->next, own = own->next) {
        simt_work_forget(&own->work);
        simt_work_copy(&own->work, &node->work);
        own->origin = node;
        for (unsigned int i = 0; i < own->work.graph_count; i++) {
            take_work(own->children[i], own->work.graphs[i]);
        }
    }
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *result)
{
    SIMT_CALL;
    cudaGraphExecUpdateResultInfo info;
    if (!exec_exists(exec) || !simt_graph_exists(graph)) {
        return simt_error(cudaErrorInvalidValue);
    }
    info = compare_graphs(exec->graph, graph);
    if (result) {
        *result = info;
    }
    if (info.result != cudaGraphExecUpdateSuccess) {
        return simt_error(cudaErrorGraphExecUpdateFailure);
    }
    take_work(exec, graph);
    return cudaSuccess;
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child)
{
    SIMT_CALL;
    const cudaGraphNode_t own = simt_exec_node(exec, node);
    if (!own || own->work.type != cudaGraphNodeTypeGraph || !simt_graph_exists(child) ||
        compare_graphs(own->work.graphs[0], child).result != cudaGraphExecUpdateSuccess) {
        return simt_error(cudaErrorInvalidValue);
    }
    take_work(own->children[0], child);
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
