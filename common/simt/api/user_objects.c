/* The host API of objects that graphs keep: counted, and destroyed by a function of the program's
 * when nobody refers to them any more. */
#include <stdlib.h>

#include "api/graphs.h"
#include "base/need.h"

struct CUuserObject_st {
    struct CUuserObject_st *next;
    void *data;
    cudaHostFn_t destroy;
    unsigned int references;
};
static cudaUserObject_t objects;

static bool exists(cudaUserObject_t object)
{
    cudaUserObject_t known = objects;
    while (known && known != object) {
        known = known->next;
    }
    return object && known;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy,
                                 unsigned int references, unsigned int flags)
{
    SIMT_CALL;
    if (!object || !destroy || references == 0 || flags != cudaUserObjectNoDestructorSync) {
        return simt_error(cudaErrorInvalidValue);
    }
    *object = simt_needed(malloc(sizeof **object), "a graph");
    **object = (struct CUuserObject_st){objects, data, destroy, references};
    objects = *object;
    return cudaSuccess;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count)
{
    SIMT_CALL;
    if (!exists(object) || count == 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    object->references += count;
    return cudaSuccess;
}

static void release(cudaUserObject_t object, unsigned int count)
{
    cudaUserObject_t *link = &objects;
    object->references -= count;
    if (object->references > 0) {
        return;
    }
    while (*link != object) {
        link = &(*link)->next;
    }
    *link = object->next;
    object->destroy(object->data);
    free(object);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count)
{
    SIMT_CALL;
    if (!exists(object) || count == 0 || count > object->references) {
        return simt_error(cudaErrorInvalidValue);
    }
    release(object, count);
    return cudaSuccess;
}

/* ---- kept by graphs ---- */

struct simt_kept {
    struct simt_kept *next;
    cudaUserObject_t object;
    unsigned int count;
};

static void keep(cudaGraph_t graph, cudaUserObject_t object, unsigned int count)
{
    struct simt_kept *kept = simt_needed(malloc(sizeof *kept), "a graph");
    *kept = (struct simt_kept){graph->kept, object, count};
    graph->kept = kept;
}

void simt_graph_keep_too(cudaGraph_t graph, cudaGraph_t other)
{
    for (const struct simt_kept *kept = other->kept; kept; kept = kept->next) {
        kept->object->references += kept->count;
        keep(graph, kept->object, kept->count);
    }
}

void simt_graph_keep_none(cudaGraph_t graph)
{
    while (graph->kept) {
        struct simt_kept *kept = graph->kept;
        graph->kept = kept->next;
        release(kept->object, kept->count);
        free(kept);
    }
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags)
{
    SIMT_CALL;
    if (!simt_graph_exists(graph) || !exists(object) || count == 0 ||
        flags & ~(unsigned int)cudaGraphUserObjectMove) {
        return simt_error(cudaErrorInvalidValue);
    }
    object->references += flags & cudaGraphUserObjectMove ? 0 : count;
    keep(graph, object, count);
    return cudaSuccess;
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count)
{
    SIMT_CALL;
    struct simt_kept **link;
    if (!simt_graph_exists(graph) || !exists(object) || count == 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    link = &graph->kept;
    while (*link && ((*link)->object != object || (*link)->count < count)) {
        link = &(*link)->next;
    }
    if (!*link) {
        return simt_error(cudaErrorInvalidValue);
    }
    (*link)->count -= count;
    if ((*link)->count == 0) {
        struct simt_kept *empty = *link;
        *link = empty->next;
        free(empty);
    }
    release(object, count);
    return cudaSuccess;
}
/* SPDX-License-Identifier: MIT */
