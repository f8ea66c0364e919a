/* malloc, free, new and delete in device code, and what cudaFree() there comes to.
 *
 * A source for the back end calls the functions below in place of the library's
 * (cuda/cuda_runtime.h). On the host they pass the call on. In a kernel memory comes from the
 * kernels' heap, of which the limit cudaLimitMallocHeapSize may be in use; beyond that malloc and
 * new give NULL, as on a device. */
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

/* ---- what a source calls; no header declares these ---- */

#define CALLER __builtin_return_address(0)

void *simt_malloc(size_t size);
void *simt_malloc(size_t size)
{
    return simt_in_kernel() ? (size ? simt_heap_allocate(size, ALIGNMENT) : NULL) : malloc(size);
}

static void release_on_host(void *address, void (*give_back)(void *))
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
        simt_kernel_free(address, "free() or delete", CALLER);
    } else {
        release_on_host(address, free);
    }
}

/* The host's, by their names in C++: throws, and may be the program's own. Not there in a C
 * program. */
#define HOST_NEW(name, symbol) void *name(size_t) __asm__(symbol) __attribute__((weak));
#define HOST_ALIGNED_NEW(name, symbol)                                                             \
    void *name(size_t, size_t) __asm__(symbol) __attribute__((weak));
#define HOST_DELETE(name, symbol) void name(void *) __asm__(symbol) __attribute__((weak));
#define HOST_ALIGNED_DELETE(name, symbol)                                                          \
    void name(void *, size_t) __asm__(symbol) __attribute__((weak));
HOST_NEW(host_new, "_Znwm")
HOST_NEW(host_new_array, "_Znam")
void *host_nothrow_new(size_t, const void *) __asm__("_ZnwmRKSt9nothrow_t") __attribute__((weak));
void *host_nothrow_new_array(size_t, const void *) __asm__("_ZnamRKSt9nothrow_t")
    __attribute__((weak));
HOST_ALIGNED_NEW(host_aligned_new, "_ZnwmSt11align_val_t")
HOST_ALIGNED_NEW(host_aligned_new_array, "_ZnamSt11align_val_t")
HOST_DELETE(host_delete, "_ZdlPv")
HOST_DELETE(host_delete_array, "_ZdaPv")
HOST_ALIGNED_DELETE(host_aligned_delete, "_ZdlPvSt11align_val_t")
HOST_ALIGNED_DELETE(host_aligned_delete_array, "_ZdaPvSt11align_val_t")

#define NEW(name, host)                                                                            \
    void *name(size_t size);                                                                       \
    void *name(size_t size)                                                                        \
    {                                                                                              \
        return simt_in_kernel() ? simt_heap_allocate(size, ALIGNMENT) : host(size);                \
    }
#define ALIGNED_NEW(name, host)                                                                    \
    void *name(size_t size, size_t alignment);                                                     \
    void *name(size_t size, size_t alignment)                                                      \
    {                                                                                              \
        return simt_in_kernel() ? simt_heap_allocate(size, alignment) : host(size, alignment);     \
    }
/* With and without a size: the second argument is not looked at. */
#define DELETE(name, host)                                                                         \
    void name(void *address);                                                                      \
    void name(void *address)                                                                       \
    {                                                                                              \
        if (simt_in_kernel()) {                                                                    \
            simt_kernel_free(address, "free() or delete", CALLER);                                 \
        } else {                                                                                   \
            release_on_host(address, host);                                                        \
        }                                                                                          \
    }
#define ALIGNED_DELETE(name, host)                                                                 \
    void name(void *address, size_t alignment);                                                    \
    void name(void *address, size_t alignment)                                                     \
    {                                                                                              \
        if (simt_in_kernel()) {                                                                    \
            simt_kernel_free(address, "free() or delete", CALLER);                                 \
        } else {                                                                                   \
            host(address, alignment);                                                              \
        }                                                                                          \
    }
#define SIZED_ALIGNED_DELETE(name, host)                                                           \
    void name(void *address, size_t size, size_t alignment);                                       \
    void name(void *address, size_t size, size_t alignment)                                        \
    {                                                                                              \
        (void)size;                                                                                \
        if (simt_in_kernel()) {                                                                    \
            simt_kernel_free(address, "free() or delete", CALLER);                                 \
        } else {                                                                                   \
            host(address, alignment);                                                              \
        }                                                                                          \
    }
#define NOTHROW_NEW(name, host)                                                                    \
    void *name(size_t size, const void *tag);                                                      \
    void *name(size_t size, const void *tag)                                                       \
    {                                                                                              \
        return simt_in_kernel() ? simt_heap_allocate(size, ALIGNMENT) : host(size, tag);           \
    }
NEW(simt_new, host_new)
NEW(simt_new_array, host_new_array)
NOTHROW_NEW(simt_nothrow_new, host_nothrow_new)
NOTHROW_NEW(simt_nothrow_new_array, host_nothrow_new_array)
ALIGNED_NEW(simt_aligned_new, host_aligned_new)
ALIGNED_NEW(simt_aligned_new_array, host_aligned_new_array)
DELETE(simt_delete, host_delete)
DELETE(simt_delete_array, host_delete_array)
ALIGNED_DELETE(simt_aligned_delete, host_aligned_delete)
ALIGNED_DELETE(simt_aligned_delete_array, host_aligned_delete_array)
SIZED_ALIGNED_DELETE(simt_sized_aligned_delete, host_aligned_delete)
SIZED_ALIGNED_DELETE(simt_sized_aligned_delete_array, host_aligned_delete_array)
/* SPDX-License-Identifier: MIT */
