/* What belongs to an OS thread of the program: another one may run while a launch does, and its
 * hooks must not be taken for a kernel's. */
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

/* What the hooks touch, in one cache line. next == end sends a hook the long way. */
struct simt_hook_state {
    struct simt_event *next, *end;
    uint64_t depth; /* as keys start: see simt_outermost */
    bool interleaved;
    int lane; /* that runs; -1: none */
    unsigned int thread;
    const struct simt_event *stored; /* of a store that comes next, or has been; NULL: of none */
    uint64_t before[2];              /* what was at its address */
} __attribute__((aligned(64)));

/* program/layout.c has it. */
struct simt_own {
    char
        past_shared[SIMT_PAST_SHARED]; /* nobody's: writes past the end of shared memory go there */
    bool listening; /* the hooks have something to do; sources test it before they call one */
    bool tracing;   /* the launch that runs is being analysed */
    bool has_handler_stack;
    cudaError_t last_error;
    struct simt_thread *current; /* the CUDA thread that runs; NULL: the host does */
    int device;                  /* the current one */
    int capture_mode;            /* cudaThreadExchangeStreamCaptureMode() */
    unsigned int calls;          /* of the host API, one in the other, that it is in */
    struct simt_group *nccl;     /* between ncclGroupStart() and ncclGroupEnd(); NULL: not */
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
