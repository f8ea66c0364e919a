/* Graphs: their nodes, and stream capture. */
#ifndef SIMT_API_GRAPHS_H
#define SIMT_API_GRAPHS_H

#include "api/api.h"
#include "memory/streams.h"

/* The work of a node. */
struct simt_work {
    enum cudaGraphNodeType type;
    const char *function; /* the CUDA function that the program called from `caller` */
    const void *caller;
    struct simt_launch *launch; /* for a kernel */
    bool is_box;                /* a copy of `box`, not of rows */
    struct cudaMemcpy3DParms box;
    struct simt_rows to, from;
    enum cudaMemcpyKind kind;
    unsigned int value, element; /* for a fill */
    struct cudaHostNodeParams host;
    cudaGraph_t *graphs; /* nested graphs */
    unsigned int graph_count;
    void *memory; /* to allocate or free */
    size_t memory_bytes;
    cudaEvent_t event;
    int device; /* the device that does it */
};

struct CUgraphNode_st {
    struct CUgraphNode_st *next; /* in the order of creation */
    cudaGraph_t graph;
    struct simt_work work;
    cudaGraphNode_t *after; /* nodes that this one depends on */
    size_t after_count;
    cudaGraphNode_t origin; /* in a clone: the original node */
    /* Used in executable graphs, and during a search: */
    cudaGraphExec_t *children; /* one per graph of the work */
    bool is_off;
    size_t lane;
    bool continued; /* a later node has joined its lane */
    bool seen;
    struct simt_progress done;
};

struct CUgraph_st {
    struct CUgraph_st *next; /* list of all that a program can name */
    cudaGraphNode_t first, *last;
    size_t count;
};

/* An executable graph. */
struct CUgraphExec_st {
    struct CUgraphExec_st *next; /* list of all that a program can name */
    cudaGraph_t graph;           /* a clone */
    unsigned long long flags;
    cudaGraphNode_t *order;
    cudaStream_t *lanes; /* the first: only if a launch's stream is on another device */
    size_t lane_count;
    struct simt_progress done; /* the previous launch */
};

/* A graph that no program can name. simt_graph_forget() destroys it. */
cudaGraph_t simt_graph_make(void);
cudaGraph_t simt_graph_clone(cudaGraph_t graph);
void simt_graph_forget(cudaGraph_t graph);
/* Lets the program name the graph. */
void simt_graph_publish(cudaGraph_t graph);
bool simt_graph_exists(cudaGraph_t graph);
bool simt_is_node_of(cudaGraphNode_t node, cudaGraph_t graph);
bool simt_node_exists(cudaGraphNode_t node); /* in any graph */
/* The node takes ownership of the work. */
cudaGraphNode_t simt_graph_append(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                  const struct simt_work *work);
void simt_node_add_after(cudaGraphNode_t node, cudaGraphNode_t before);
bool simt_node_is_after(cudaGraphNode_t node, cudaGraphNode_t before);
/* Adds a node on the current device if the arguments are valid. Always takes over the work. */
cudaError_t simt_graph_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                           size_t count, struct simt_work *work);
/* The copy of the graph's node in the executable graph, or NULL. */
cudaGraphNode_t simt_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node);
void simt_work_copy(struct simt_work *to, const struct simt_work *from);
void simt_work_forget(struct simt_work *work);
/* Makes the work of a launch by address, or returns the error. */
cudaError_t simt_work_of_kernel(struct simt_work *work, const struct simt_kernel_node *kernel,
                                const char *file, int line);
bool simt_work_of_fill(struct simt_work *work, const struct cudaMemsetParams *fill);
void simt_work_of_graph(struct simt_work *work, cudaGraph_t graph); /* clones it */
void simt_work_of_copy(struct simt_work *work, void *to, const void *from, size_t size,
                       enum cudaMemcpyKind kind);

/* ---- memory ---- */

/* False if no address range is left. */
bool simt_work_of_memory(struct simt_work *work, size_t size);
cudaError_t simt_graph_allocate(const struct simt_work *work, cudaStream_t stream);
cudaError_t simt_graph_free(const struct simt_work *work, cudaStream_t stream);
void simt_graph_free_left(const struct simt_work *work, cudaStream_t stream);
/* Counts as a write of the whole region, so any use that is not ordered with it is a race. */
struct simt_region;
void simt_begin_allocation(const struct simt_region *region, cudaStream_t stream, const char *verb,
                           const char *function, const void *caller);

/* ---- capture.c ---- */

/* Whether the stream is being captured. If so, work becomes nodes. */
bool simt_captures(cudaStream_t stream);
/* Takes ownership of the work if the function returns cudaSuccess. */
cudaError_t simt_capture(cudaStream_t stream, const struct simt_work *work);
/* The error of a call that is not allowed during a capture, which it ends; or cudaSuccess. The
 * functions check, in order, work in a stream that is not captured, a call that waits for the
 * stream, and a call that concerns all streams. */
cudaError_t simt_capture_forbids_work(cudaStream_t stream, const char *function,
                                      const void *caller);
cudaError_t simt_capture_forbids_wait(cudaStream_t stream, const char *function,
                                      const void *caller);
cudaError_t simt_capture_forbids(const char *function, const void *caller);
/* Captures the recording of an event, or a wait for it. `recorded`: earlier, outside a capture. */
cudaError_t simt_capture_record(cudaStream_t stream, cudaEvent_t event);
cudaError_t simt_capture_wait(cudaStream_t stream, cudaEvent_t event, bool recorded);
bool simt_event_is_captured(cudaEvent_t event);
void simt_event_forget(cudaEvent_t event);
/* Whether the stream synchronizes with the legacy default stream. */
bool simt_stream_is_blocking(const void *stream);

#endif
/* SPDX-License-Identifier: MIT */
