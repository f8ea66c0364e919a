/* The state of one OS thread of the program. Another thread may run during a launch, and its hooks
 * must not count as the kernel's. */
#ifndef SIMT_OWN_H
#define SIMT_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/cuda_runtime_api.h"
#include "cuda/simt.h"

struct simt_event;
struct simt_group;
struct simt_thread;

/* The data that the hooks use, in one cache line. next == end sends a hook the slow way. */
struct simt_hook_state {
    struct simt_event *next, *end;
    uint64_t depth; /* the start of the keys: see simt_outermost */
    bool interleaved;
    int lane; /* the running lane; -1: none */
    unsigned int thread;
    const struct simt_event *stored; /* the store that comes next, or was last; NULL: none */
    uint64_t before[2];              /* the old value at its address */
} __attribute__((aligned(64)));

/* Defined in program/layout.c. */
struct simt_own {
    char past_shared[SIMT_PAST_SHARED]; /* unused: catches writes past the end of shared memory */
    bool listening; /* the hooks have work to do; sources test it before they call one */
    bool tracing;   /* the running launch is analysed */
    bool has_handler_stack;
    cudaError_t last_error;
    struct simt_thread *current; /* the running CUDA thread; NULL: host code runs */
    int device;                  /* the current one */
    int capture_mode;            /* cudaThreadExchangeStreamCaptureMode() */
    unsigned int calls;          /* nested calls of the host API that are running */
    struct simt_group *nccl;     /* after ncclGroupStart(), before ncclGroupEnd(); NULL: outside */
    struct simt_hook_state recorder;
};
_Static_assert(offsetof(struct simt_own, listening) == SIMT_PAST_SHARED &&
                   offsetof(struct simt_own, current) == SIMT_CURRENT,
               "as sources have it");
extern __thread struct simt_own simt_own __attribute__((tls_model("local-exec")));
#define simt_recorder simt_own.recorder
#define simt_tracing simt_own.tracing
#define simt_listening simt_own.listening
#define simt_current simt_own.current

static inline bool simt_in_kernel(void)
{
    return simt_current != NULL;
}

#endif
/* SPDX-License-Identifier: MIT */
