/* The host API of stream capture: calls on a captured stream do no work, but become nodes of a
 * graph. */
#include <stdlib.h>

#include "api/graphs.h"
#include "base/need.h"
#include "base/own.h"

#define CALLER __builtin_return_address(0)

struct capture {
    unsigned long long number;
    cudaStream_t origin;
    cudaGraph_t graph;
    enum cudaStreamCaptureMode mode;
    bool invalid;
    bool is_given; /* the program passed the graph */
};

/* The next nodes of a stream depend on these. */
struct front {
    cudaGraphNode_t *nodes;
    size_t count;
};

/* A stream that takes part in a capture. */
struct part {
    struct part *next;
    cudaStream_t stream;
    struct capture *capture;
    struct front front;
};
static struct part *parts;

/* An event that was recorded in a captured stream. */
struct mark {
    struct mark *next;
    cudaEvent_t event;
    unsigned long long capture;
    struct front front;
};
static struct mark *marks;
static unsigned long long last_number;

static struct part *part_of(cudaStream_t stream)
{
    struct part *part = parts;
    while (part && part->stream != stream) {
        part = part->next;
    }
    return part;
}

static void add_node(struct front *front, cudaGraphNode_t node)
{
    for (size_t i = 0; i < front->count; i++) {
        if (front->nodes[i] == node) {
            return;
        }
    }
    front->nodes =
        simt_needed(realloc(front->nodes, (front->count + 1) * sizeof(cudaGraphNode_t)), "a graph");
    front->nodes[front->count++] = node;
}

static void add_front(struct front *front, const struct front *more)
{
    for (size_t i = 0; i < more->count; i++) {
        add_node(front, more->nodes[i]);
    }
}

static struct part *add_part(cudaStream_t stream, struct capture *capture)
{
    struct part *part = simt_needed(calloc(1, sizeof *part), "a graph");
    *part = (struct part){.next = parts, .stream = stream, .capture = capture};
    parts = part;
    return part;
}

bool simt_captures(cudaStream_t stream)
{
    return parts && part_of(stream);
}

cudaError_t simt_capture(cudaStream_t stream, const struct simt_work *work)
{
    struct part *part = part_of(stream);
    cudaGraphNode_t node;
    struct simt_work placed = *work;
    if (part->capture->invalid) {
        simt_work_forget(&placed);
        return simt_error(cudaErrorStreamCaptureInvalidated);
    }
    placed.device = simt_stream_device(stream);
    node = simt_graph_append(part->capture->graph, part->front.nodes, part->front.count, &placed);
    part->front.count = 0;
    add_node(&part->front, node);
    return cudaSuccess;
}

/* ---- calls that are not allowed during a capture ---- */

static cudaError_t forbid(struct capture *capture, cudaError_t error, const char *function,
                          const void *caller)
{
    capture->invalid = true;
    return simt_call_failed(function, caller, error, "a stream is being captured");
}

cudaError_t simt_capture_forbids_work(cudaStream_t stream, const char *function, const void *caller)
{
    for (struct part *part = parts; part && simt_stream_is_default(stream); part = part->next) {
        if (simt_stream_is_blocking(part->stream)) {
            return forbid(part->capture, cudaErrorStreamCaptureImplicit, function, caller);
        }
    }
    return cudaSuccess;
}

cudaError_t simt_capture_forbids_wait(cudaStream_t stream, const char *function, const void *caller)
{
    struct part *part = part_of(stream);
    return part ? forbid(part->capture, cudaErrorStreamCaptureUnsupported, function, caller)
                : simt_capture_forbids_work(stream, function, caller);
}

cudaError_t simt_capture_forbids(const char *function, const void *caller)
{
    for (struct part *part = parts; part; part = part->next) {
        if (part->capture->mode != cudaStreamCaptureModeRelaxed &&
            simt_own.capture_mode != cudaStreamCaptureModeRelaxed) {
            return forbid(part->capture, cudaErrorStreamCaptureUnsupported, function, caller);
        }
    }
    return cudaSuccess;
}

/* ---- events ---- */

static struct mark *mark_of(cudaEvent_t event)
{
    struct mark *mark = marks;
    while (mark && mark->event != event) {
        mark = mark->next;
    }
    return mark;
}

void simt_event_forget(cudaEvent_t event)
{
    struct mark **link = &marks, *mark;
    while (*link && (*link)->event != event) {
        link = &(*link)->next;
    }
    if (*link) {
        mark = *link;
        *link = mark->next;
        free(mark->front.nodes);
        free(mark);
    }
}

bool simt_event_is_captured(cudaEvent_t event)
{
    return marks && mark_of(event);
}

cudaError_t simt_capture_record(cudaStream_t stream, cudaEvent_t event)
{
    const struct part *part = part_of(stream);
    struct mark *mark;
    if (part->capture->invalid) {
        return simt_error(cudaErrorStreamCaptureInvalidated);
    }
    simt_event_forget(event);
    mark = simt_needed(calloc(1, sizeof *mark), "a graph");
    *mark = (struct mark){.next = marks, .event = event, .capture = part->capture->number};
    add_front(&mark->front, &part->front);
    marks = mark;
    return cudaSuccess;
}

static struct capture *capture_with(unsigned long long number)
{
    for (struct part *part = parts; part; part = part->next) {
        if (part->capture->number == number) {
            return part->capture;
        }
    }
    return NULL;
}

cudaError_t simt_capture_wait(cudaStream_t stream, cudaEvent_t event, bool recorded)
{
    struct part *part = part_of(stream);
    const struct mark *mark = mark_of(event);
    struct capture *capture = mark ? capture_with(mark->capture) : NULL;
    if (!mark) {
        return recorded ? forbid(part->capture, cudaErrorStreamCaptureIsolation,
                                 "cudaStreamWaitEvent", CALLER)
                        : cudaSuccess;
    }
    if (!capture) {
        return simt_error(cudaErrorCapturedEvent);
    }
    if (part && part->capture != capture) {
        part->capture->invalid = true;
        return forbid(capture, cudaErrorStreamCaptureMerge, "cudaStreamWaitEvent", CALLER);
    }
    if (!part) {
        if (simt_stream_is_default(stream)) {
            return forbid(capture, cudaErrorStreamCaptureImplicit, "cudaStreamWaitEvent", CALLER);
        }
        part = add_part(stream, capture);
    }
    add_front(&part->front, &mark->front);
    return cudaSuccess;
}

/* ---- begin and end ---- */

/* `graph`: the program's graph, or NULL to make a new one. */
static cudaError_t begin(cudaStream_t stream, cudaGraph_t graph, enum cudaStreamCaptureMode mode,
                         const void *caller)
{
    struct capture *capture;
    if ((unsigned int)mode > cudaStreamCaptureModeRelaxed) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (simt_stream_is_default(stream)) {
        return simt_call_failed("cudaStreamBeginCapture", caller, cudaErrorStreamCaptureUnsupported,
                                "the legacy default stream cannot be captured");
    }
    if (part_of(stream)) {
        return simt_error(cudaErrorIllegalState);
    }
    capture = simt_needed(calloc(1, sizeof *capture), "a graph");
    *capture = (struct capture){.number = ++last_number,
                                .origin = stream,
                                .graph = graph ? graph : simt_graph_make(),
                                .mode = mode,
                                .is_given = graph};
    add_part(stream, capture);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    SIMT_CALL;
    return begin(stream, NULL, mode, CALLER);
}

static bool are_nodes_of(cudaGraph_t graph, const cudaGraphNode_t *nodes, size_t count)
{
    bool right = nodes || count == 0;
    for (size_t i = 0; right && i < count; i++) {
        right = simt_is_node_of(nodes[i], graph);
    }
    return right;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *data, size_t count,
                                          enum cudaStreamCaptureMode mode)
{
    SIMT_CALL;
    cudaError_t error;
    (void)data;
    if (!simt_graph_exists(graph) || !are_nodes_of(graph, after, count)) {
        return simt_error(cudaErrorInvalidValue);
    }
    error = begin(stream, graph, mode, CALLER);
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        add_node(&part_of(stream)->front, after[i]);
    }
    return error;
}

static void look_back(cudaGraphNode_t node)
{
    if (!node->seen) {
        node->seen = true;
        for (size_t i = 0; i < node->after_count; i++) {
            look_back(node->after[i]);
        }
    }
}

/* Whether the current position of the origin stream depends on all captured nodes. */
static bool is_joined(const struct part *origin)
{
    for (cudaGraphNode_t node = origin->capture->graph->first; node; node = node->next) {
        node->seen = false;
    }
    for (size_t i = 0; i < origin->front.count; i++) {
        look_back(origin->front.nodes[i]);
    }
    for (cudaGraphNode_t node = origin->capture->graph->first; node; node = node->next) {
        if (!node->seen) {
            return false;
        }
    }
    return true;
}

static void end(struct capture *capture)
{
    for (struct part **link = &parts; *link;) {
        struct part *part = *link;
        if (part->capture == capture) {
            *link = part->next;
            free(part->front.nodes);
            free(part);
        } else {
            link = &part->next;
        }
    }
    free(capture);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    SIMT_CALL;
    const struct part *part = simt_stream_exists(stream) ? part_of(stream) : NULL;
    cudaError_t error = cudaSuccess;
    if (!graph || !part) {
        return simt_error(graph ? cudaErrorIllegalState : cudaErrorInvalidValue);
    }
    *graph = NULL;
    if (part->capture->origin != stream) {
        return forbid(part->capture, cudaErrorStreamCaptureUnmatched, "cudaStreamEndCapture",
                      CALLER);
    }
    if (part->capture->invalid) {
        error = simt_error(cudaErrorStreamCaptureInvalidated);
    } else if (!part->capture->is_given && !is_joined(part)) {
        error = simt_call_failed("cudaStreamEndCapture", CALLER, cudaErrorStreamCaptureUnjoined,
                                 "a stream that took part was not waited for");
    }
    if (error == cudaSuccess) {
        *graph = part->capture->graph;
    }
    if (error == cudaSuccess && !part->capture->is_given) {
        simt_graph_publish(*graph);
    } else if (!part->capture->is_given) {
        simt_graph_forget(part->capture->graph);
    }
    end(part->capture);
    return error;
}

static enum cudaStreamCaptureStatus status_of(const struct part *part)
{
    return !part                    ? cudaStreamCaptureStatusNone
           : part->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    SIMT_CALL;
    if (!status || !simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidValue);
    }
    *status = status_of(part_of(stream));
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **after, const cudaGraphEdgeData **data,
                                     size_t *count)
{
    SIMT_CALL;
    const struct part *part;
    if (!status || !simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidValue);
    }
    part = part_of(stream);
    *status = status_of(part);
    if (*status != cudaStreamCaptureStatusActive) {
        return cudaSuccess;
    }
    if (id) {
        *id = part->capture->number;
    }
    if (graph) {
        *graph = part->capture->graph;
    }
    if (after) {
        *after = part->front.nodes;
    }
    if (data) {
        *data = NULL;
    }
    if (count) {
        *count = part->front.count;
    }
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    SIMT_CALL;
    if (!mode || (unsigned int)*mode > cudaStreamCaptureModeRelaxed) {
        return simt_error(cudaErrorInvalidValue);
    }
    const enum cudaStreamCaptureMode before = (enum cudaStreamCaptureMode)simt_own.capture_mode;
    simt_own.capture_mode = *mode;
    *mode = before;
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
