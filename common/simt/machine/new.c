/* new and delete in device code; see machine/malloc.c. They have a separate file, because a C
 * program does not have the C++ functions that they call. */
#include <stddef.h>

#include "machine/machine.h"
#include "memory/heap.h"

enum { ALIGNMENT = 16 };

#define CALLER __builtin_return_address(0)

/* The host's functions, by their C++ symbols. They throw, and the program may define its own. */
#define HOST_NEW(name, symbol) void *name(size_t) __asm__(symbol);
#define HOST_ALIGNED_NEW(name, symbol) void *name(size_t, size_t) __asm__(symbol);
#define HOST_DELETE(name, symbol) void name(void *) __asm__(symbol);
#define HOST_ALIGNED_DELETE(name, symbol) void name(void *, size_t) __asm__(symbol);
HOST_NEW(host_new, "_Znwm")
HOST_NEW(host_new_array, "_Znam")
void *host_nothrow_new(size_t, const void *) __asm__("_ZnwmRKSt9nothrow_t");
void *host_nothrow_new_array(size_t, const void *) __asm__("_ZnamRKSt9nothrow_t");
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
/* With and without a size: the second argument is ignored. */
#define DELETE(name, host)                                                                         \
    void name(void *address);                                                                      \
    void name(void *address)                                                                       \
    {                                                                                              \
        if (simt_in_kernel()) {                                                                    \
            simt_kernel_free(address, "free() or delete", CALLER);                                 \
        } else {                                                                                   \
            simt_release_on_host(address, host);                                                   \
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
