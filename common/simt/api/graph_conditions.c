/* The host API of graphs: nodes whose graphs run if, or as long as, a kernel has said so. */
#include <stdlib.h>

#include "api/graphs.h"
#include "base/need.h"
#include "base/repeatable.h"
#include "base/worker.h"

static struct condition {
    unsigned int value, at_launch;
    bool assigned; /* at each launch */
} * conditions;
static size_t count, capacity;

static struct condition *find(cudaGraphConditionalHandle handle)
{
    return handle > 0 && handle <= count ? &conditions[handle - 1] : NULL;
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle, cudaGraph_t graph,
                                             unsigned int at_launch, unsigned int flags)
{
    SIMT_CALL;
    if (!handle || !simt_graph_exists(graph) || flags & ~(unsigned int)cudaGraphCondAssignDefault) {
        return simt_error(cudaErrorInvalidValue);
    }
    conditions = simt_with_room(conditions, count, &capacity, sizeof *conditions, "a graph");
    conditions[count++] =
        (struct condition){.at_launch = at_launch, .assigned = flags & cudaGraphCondAssignDefault};
    *handle = count;
    return cudaSuccess;
}

static bool is_right(const struct cudaConditionalNodeParams *condition)
{
    return condition && find(condition->handle) && condition->size > 0 &&
           (unsigned int)condition->type <= cudaGraphCondTypeSwitch &&
           (condition->type == cudaGraphCondTypeSwitch ||
            condition->size <= (condition->type == cudaGraphCondTypeIf ? 2 : 1));
}

cudaError_t simt_graph_add_condition(cudaGraphNode_t *node, cudaGraph_t graph,
                                     const cudaGraphNode_t *after, size_t number,
                                     struct cudaConditionalNodeParams *condition)
{
    SIMT_CALL;
    struct simt_work work = {.type = cudaGraphNodeTypeConditional};
    cudaError_t error;
    if (!is_right(condition)) {
        return simt_error(cudaErrorInvalidValue);
    }
    work.condition = condition->handle;
    work.condition_type = condition->type;
    work.graph_count = condition->size;
    work.graphs = simt_needed(calloc(condition->size, sizeof *work.graphs), "a graph");
    for (unsigned int i = 0; i < work.graph_count; i++) {
        work.graphs[i] = simt_graph_make();
    }
    error = simt_graph_add(node, graph, after, number, &work);
    if (error == cudaSuccess) {
        condition->phGraph_out = work.graphs;
    }
    return error;
}

/* Called by kernels, as cudaGraphSetConditional(). */
void simt_graph_set_condition(cudaGraphConditionalHandle handle, unsigned int value)
{
    struct condition *condition = find(handle);
    simt_only_in_order();
    simt_not_repeatable();
    if (condition) {
        condition->value = value;
    }
}

void simt_conditions_start(cudaGraph_t graph)
{
    for (cudaGraphNode_t node = graph->first; node; node = node->next) {
        struct condition *condition = find(node->work.condition);
        if (condition && condition->assigned) {
            condition->value = condition->at_launch;
        }
        for (unsigned int i = 0; i < node->work.graph_count; i++) {
            simt_conditions_start(node->work.graphs[i]);
        }
    }
}

int simt_condition_choice(const struct simt_work *work)
{
    const unsigned int value = find(work->condition)->value;
    const unsigned int chosen =
        work->condition_type == cudaGraphCondTypeSwitch ? value : value == 0;
    return chosen < work->graph_count ? (int)chosen : -1;
}
/* SPDX-License-Identifier: MIT */
