/* Launches that carry their arguments: launches of a kernel by address, and later launches by
 * kernels (dynamic parallelism) or by a graph. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "base/need.h"
#include "base/repeatable.h"
#include "machine/machine.h"
#include "observe/observer.h"

enum { ALIGNMENT = 64 };

struct simt_launch *simt_copy_launch(const struct simt_launch *launch)
{
    const size_t head = (sizeof *launch + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    const size_t all = head + (launch->closure_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct simt_launch *copy = simt_needed(aligned_alloc(ALIGNMENT, all), "a launch");
    *copy = *launch;
    copy->closure = (char *)copy + head;
    memcpy(copy->closure, launch->closure, launch->closure_bytes);
    copy->begin = copy->closure; /* the arguments */
    copy->end = (char *)copy + all;
    return copy;
}

/* ---- launches by address ---- */

/* The closure of such a launch. The values follow it, each aligned to VALUE bytes. */
enum { VALUE = 64 };
struct call {
    const struct simt_kernel *kernel;
};

static size_t value_bytes(size_t size)
{
    return (size + VALUE - 1) / VALUE * VALUE;
}

void simt_invoke_call(void *closure)
{
    const struct simt_kernel *kernel = ((const struct call *)closure)->kernel;
    void *arguments[kernel->parameters + 1];
    char *value = (char *)closure + VALUE;
    for (size_t i = 0; i < kernel->parameters; i++) {
        arguments[i] = value;
        value += value_bytes(kernel->sizes[i]);
    }
    kernel->invoke(kernel->function, arguments);
}

void *simt_make_call(const struct simt_kernel *kernel, void **arguments, size_t *bytes)
{
    char *closure, *value;
    *bytes = VALUE;
    for (size_t i = 0; i < kernel->parameters; i++) {
        *bytes += value_bytes(kernel->sizes[i]);
    }
    closure = aligned_alloc(VALUE, *bytes);
    if (!closure) {
        return NULL;
    }
    memset(closure, 0, *bytes); /* also the padding: equal launches have equal bytes */
    *(struct call *)closure = (struct call){kernel};
    value = closure + VALUE;
    for (size_t i = 0; i < kernel->parameters; i++) {
        memcpy(value, arguments[i], kernel->sizes[i]);
        value += value_bytes(kernel->sizes[i]);
    }
    return closure;
}

/* ---- dynamic parallelism ---- */

/* The launches still to run, in order. A grid's launches run as soon as the grid has ended, before
 * anything that follows the grid. First its children run, each with everything that it launches.
 * Then its launches into cudaStreamTailLaunch run. */
struct child {
    struct child *next;
    struct simt_launch *launch;
};
static struct child *to_run;
static struct {
    struct child *first, **end;
} children = {NULL, &children.first}, tails = {NULL, &tails.first}; /* of the current grid */

cudaError_t simt_launch_later(const struct simt_launch *launch)
{
    struct child *child;
    char reason[SIMT_REASON];
    struct simt_launch checked = *launch;
    cudaError_t error;
    const bool is_tail = launch->stream == cudaStreamTailLaunch;
    simt_not_repeatable();
    /* All launches run in order here, so the kernel's own streams have no effect. */
    checked.stream = simt_grid.launch->stream;
    error = simt_check_launch(&checked, reason, sizeof reason);
    if (error != cudaSuccess) {
        simt_launch_failed(launch, error, reason);
        return error;
    }
    if (!is_tail && simt_tracing) {
        checked.origin = simt_observer.launches();
    }
    child = simt_needed(malloc(sizeof *child), "a launch");
    *child = (struct child){NULL, simt_copy_launch(&checked)};
    if (is_tail) {
        *tails.end = child;
        tails.end = &child->next;
    } else {
        *children.end = child;
        children.end = &child->next;
    }
    return cudaSuccess;
}

void simt_launch_children(int (*run)(const struct simt_launch *launch))
{
    for (;;) {
        struct child *child;
        *tails.end = to_run;
        *children.end = tails.first;
        to_run = child = children.first;
        children.first = tails.first = NULL;
        children.end = &children.first;
        tails.end = &tails.first;
        if (!child) {
            return;
        }
        to_run = child->next;
        run(child->launch);
        if (child->launch->origin) {
            simt_observer.forget_origin(child->launch->origin);
        }
        free(child->launch);
        free(child);
    }
}
/* SPDX-License-Identifier: MIT */
