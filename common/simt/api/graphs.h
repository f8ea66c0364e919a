/* Graphs: their nodes, and the capture of streams. */
#ifndef SIMT_API_GRAPHS_H
#define SIMT_API_GRAPHS_H

#include "api/api.h"
#include "memory/streams.h"

/* What a node does. */
struct simt_work {
    enum cudaGraphNodeType type;
    const char *function; /* of CUDA's, which the program has called from `caller` */
    const void *caller;
    struct simt_launch *launch; /* a kernel's */
    bool is_box;                /* a copy of `box`, not of rows */
    struct cudaMemcpy3DParms box;
    struct simt_rows to, from;
    enum cudaMemcpyKind kind;
    unsigned int value, element; /* of a fill */
    struct cudaHostNodeParams host;
    cudaGraph_t *graphs; /* a graph in a graph */
    unsigned int graph_count;
    void *memory; /* that it allocates or frees */
    size_t memory_bytes;
    cudaEvent_t event;
    int device; /* on which it is done */
};

struct CUgraphNode_st {
    struct CUgraphNode_st *next; /* in the order in which they were made */
    cudaGraph_t graph;
    struct simt_work work;
    cudaGraphNode_t *after; /* what it comes after */
    size_t after_count;
    cudaGraphNode_t origin; /* in a clone: of which it is one */
    /* In a graph that runs, and while one is looked through: */
    cudaGraphExec_t *children; /* as many as the work has graphs */
    bool is_off;
    size_t lane;
    bool continued; /* the next node of its lane comes directly after it */
    bool seen;
    struct simt_progress done;
};

struct CUgraph_st {
    struct CUgraph_st *next; /* of all that a program can name */
    cudaGraphNode_t first, *last;
    size_t count;
};

/* A graph that runs. */
struct CUgraphExec_st {
    struct CUgraphExec_st *next; /* of all that a program can name */
    cudaGraph_t graph;           /* a clone */
    unsigned long long flags;
    cudaGraphNode_t *order;
    cudaStream_t *lanes; /* the first only where a launch's stream is of another device */
    size_t lane_count;
    struct simt_progress done; /* the launch before */
};

/* A graph that no program can name; destroyed with simt_graph_forget. */
cudaGraph_t simt_graph_make(void);
cudaGraph_t simt_graph_clone(cudaGraph_t graph);
void simt_graph_forget(cudaGraph_t graph);
/* From now on the program can name it. */
void simt_graph_publish(cudaGraph_t graph);
bool simt_graph_exists(cudaGraph_t graph);
bool simt_is_node_of(cudaGraphNode_t node, cudaGraph_t graph);
bool simt_node_exists(cudaGraphNode_t node); /* of any graph */
/* The work is the node's from now on. */
cudaGraphNode_t simt_graph_append(cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                  const struct simt_work *work);
void simt_node_add_after(cudaGraphNode_t node, cudaGraphNode_t before);
bool simt_node_is_after(cudaGraphNode_t node, cudaGraphNode_t before);
/* Of the current device, if all is right; takes the work over in any case. */
cudaError_t simt_graph_add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after,
                           size_t count, struct simt_work *work);
/* The node that runs for one of the graph, or NULL. */
cudaGraphNode_t simt_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node);
void simt_work_copy(struct simt_work *to, const struct simt_work *from);
void simt_work_forget(struct simt_work *work);
/* The work of a launch by address, or the error. */
cudaError_t simt_work_of_kernel(struct simt_work *work, const struct simt_kernel_node *kernel,
                                const char *file, int line);
bool simt_work_of_fill(struct simt_work *work, const struct cudaMemsetParams *fill);
void simt_work_of_graph(struct simt_work *work, cudaGraph_t graph); /* a clone of it */
void simt_work_of_copy(struct simt_work *work, void *to, const void *from, size_t size,
                       enum cudaMemcpyKind kind);

/* ---- memory ---- */

/* False if there is no address left. */
bool simt_work_of_memory(struct simt_work *work, size_t size);
cudaError_t simt_graph_allocate(const struct simt_work *work, cudaStream_t stream);
cudaError_t simt_graph_free(const struct simt_work *work, cudaStream_t stream);
void simt_graph_free_left(const struct simt_work *work, cudaStream_t stream);
/* Memory is given out or freed in a stream: before and after, it is nobody's. */
struct simt_region;
void simt_begin_allocation(const struct simt_region *region, cudaStream_t stream, const char *verb,
                           const char *function, const void *caller);

/* ---- capture.c ---- */

/* The stream is being captured: what it is asked for becomes a node. */
bool simt_captures(cudaStream_t stream);
/* Takes the work over if the function returns cudaSuccess. */
cudaError_t simt_capture(cudaStream_t stream, const struct simt_work *work);
/* The error of a call that is not allowed while a stream is captured, which ends that capture;
 * cudaSuccess if it is allowed. Of work in a stream that is not captured; of a call that waits for
 * the stream; of one that concerns all streams. */
cudaError_t simt_capture_forbids_work(cudaStream_t stream, const char *function,
                                      const void *caller);
cudaError_t simt_capture_forbids_wait(cudaStream_t stream, const char *function,
                                      const void *caller);
cudaError_t simt_capture_forbids(const char *function, const void *caller);
/* An event is recorded in a stream, or waited for; `recorded`: before, outside of a capture. */
cudaError_t simt_capture_record(cudaStream_t stream, cudaEvent_t event);
cudaError_t simt_capture_wait(cudaStream_t stream, cudaEvent_t event, bool recorded);
bool simt_event_is_captured(cudaEvent_t event);
void simt_event_forget(cudaEvent_t event);
/* A stream that does work of the legacy default stream's after it, and before. */
bool simt_stream_is_blocking(const void *stream);

#endif
/* SPDX-License-Identifier: MIT */
