/* malloc and free in device code, and cudaFree() there (machine/new.c: new, delete).
 *
 * A source for the back end calls the functions below instead of the library's
 * (cuda/cuda_runtime.h). In host code they call the library. In a kernel the memory comes from the
 * kernels' heap, up to the limit cudaLimitMallocHeapSize. Beyond it, malloc and new return NULL, as
 * on a device. */
#include <stdio.h>
#include <stdlib.h>

#include "base/exit.h"
#include "machine/hooks.h"
#include "machine/machine.h"
#include "machine/reports.h"
#include "memory/heap.h"
#include "observe/observer.h"

enum { ALIGNMENT = 16 };

__attribute__((noreturn)) static void refuse(const char *function, const char *what,
                                             const void *address, const void *caller)
{
    char where[128] = "";
    if (simt_heap_contains(address)) {
        snprintf(where, sizeof where, ": ");
        simt_heap_describe(address, where + 2, sizeof where - 2);
    }
    simt_report_place();
    fprintf(stderr, ": %s of %p, %s%s\n", function, address, what, where);
    simt_observer.tell_place(stderr, caller);
    simt_exit();
}

void simt_kernel_free(void *address, const char *function, const void *caller)
{
    if (!address) {
        return;
    }
    switch (simt_heap_free(address)) {
    case SIMT_HEAP_UNKNOWN:
        refuse(function, "which no kernel allocated", address, caller);
    case SIMT_HEAP_FREED_BEFORE:
        refuse(function, "a second time", address, caller);
    case SIMT_HEAP_FREED:
        break;
    }
    if (!simt_tracing) {
        simt_heap_bury((uintptr_t)address);
        return;
    }
    simt_trace_event(EVENT_FREE, caller, (uintptr_t)address, 0);
    if (simt_heap_is_behind()) {
        simt_wait_for_replay();
    }
}

/* ---- functions that a source calls; no header declares these ---- */

void *simt_malloc(size_t size);
void *simt_malloc(size_t size)
{
    return simt_in_kernel() ? (size ? simt_heap_allocate(size, ALIGNMENT) : NULL) : malloc(size);
}

void simt_release_on_host(void *address, void (*give_back)(void *))
{
    if (simt_heap_contains(address)) {
        fflush(stdout);
        fprintf(stderr,
                "simt: host code frees memory that a kernel allocated, %p: free it in a kernel\n",
                address);
        simt_exit();
    }
    give_back(address);
}

void simt_free(void *address);
void simt_free(void *address)
{
    if (simt_in_kernel()) {
        simt_kernel_free(address, "free() or delete", __builtin_return_address(0));
    } else {
        simt_release_on_host(address, free);
    }
}
/* SPDX-License-Identifier: MIT */
