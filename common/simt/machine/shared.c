#include "machine/shared.h"

#include <string.h>
#include <unistd.h>

#include "machine/cluster.h"
#include "machine/fibers.h"
#include "program/layout.h"

enum { MOST_BYTES = SIMT_MAX_SHARED_BYTES + SIMT_MOST_UNIT };

static char *shared_end; /* the end of dynamic shared memory; a guard page follows */
static char *dynamic;    /* that of the running launch */

void simt_shared_prepare(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t shared = (MOST_BYTES + page - 1) / page * page;
    if (!shared_end) {
        shared_end = (char *)simt_reserve(shared + page) + shared;
        simt_allow(shared_end - shared, shared);
    }
}

void simt_shared_start_launch(void)
{
    const size_t unit = simt_shared_unit();
    size_t skew;
    simt_layout_start_launch(simt_grid.launch->function);
    skew = (size_t)simt_dynamic_offset() % unit;
    dynamic = shared_end - simt_grid.launch->shared_bytes - skew;
    dynamic -= (uintptr_t)dynamic % unit;
    dynamic += skew;
    simt_window_start_launch();
}

size_t simt_shared_bytes(void)
{
    return simt_grid.launch ? simt_grid.launch->shared_bytes : 0;
}

void *simt_dynamic_shared(void)
{
    return dynamic;
}

enum simt_guard simt_guard_of(const void *address)
{
    uintptr_t past_shared = (uintptr_t)address - (uintptr_t)shared_end;
    if (simt_is_stack_guard((uintptr_t)address)) {
        return SIMT_STACK_GUARD;
    }
    return shared_end && past_shared < 4096 ? SIMT_SHARED_GUARD : SIMT_NO_GUARD;
}

struct simt_range simt_machine_stack(unsigned int thread)
{
    const struct simt_fiber *fiber = simt_block->threads[thread].ran_on;
    return fiber ? (struct simt_range){(uintptr_t)fiber->rest->stack, fiber->rest->stack_bytes,
                                       SPACE_LOCAL, false}
                 : (struct simt_range){0, 0, SPACE_LOCAL, false};
}

bool simt_machine_is_own(unsigned int thread, uint64_t address)
{
    const struct simt_range own = simt_machine_stack(thread);
    struct simt_range stacks;
    return simt_in_range(&own, address) || !simt_is_in_stacks(address, &stacks);
}

bool simt_machine_range(uint64_t address, struct simt_range *range)
{
    uint64_t start = (uintptr_t)simt_dynamic_shared();
    uint64_t arguments = (uintptr_t)simt_grid.launch->begin;
    size_t size = simt_grid.launch->shared_bytes;
    unsigned int rank;
    void *own;
    if (simt_is_in_stacks(address, range)) {
        return true;
    }
    if (simt_cluster_find((const void *)(uintptr_t)address, &rank, &own)) {
        const char *state;
        const struct simt_block *block = simt_cluster_block(rank, &state);
        *range = (struct simt_range){address & ~UINT64_C(15), 16, SPACE_GLOBAL,
                                     !block || block == simt_block || !simt_in_shared(own)};
        return true;
    }
    *range = (struct simt_range){arguments, (size_t)((uintptr_t)simt_grid.launch->end - arguments),
                                 SPACE_LOCAL, false};
    if (address - arguments < range->size) {
        return true;
    }
    if (address - ((uintptr_t)shared_end - MOST_BYTES) >= MOST_BYTES + (size_t)4096) {
        return false;
    }
    *range = address - start < size ? (struct simt_range){start, size, SPACE_SHARED, false}
                                    : (struct simt_range){address, 1, SPACE_SHARED, true};
    return true;
}

/* Copies shared memory to `kept` or back. */
static void copy(char *kept, void *shared, size_t bytes, bool keep)
{
    memcpy(keep ? kept : shared, keep ? shared : kept, bytes);
}

size_t simt_kept_bytes(void)
{
    size_t bytes = simt_grid.launch->shared_bytes;
    for (size_t i = 0; i < simt_layout->count; i++) {
        bytes += simt_layout->placed[i].size;
    }
    return bytes;
}

void simt_copy_shared(char *kept, bool keep)
{
    const bool in_cluster = simt_cluster_size() > 1; /* in the place of its rank */
    size_t bytes, done = simt_grid.launch->shared_bytes;
    char *shared = simt_static_shared(&bytes);
    copy(in_cluster ? simt_cluster_place(simt_block->rank, dynamic) : kept, dynamic, done, keep);
    for (size_t i = 0; i < simt_layout->count; i++) {
        const struct simt_placed *placed = &simt_layout->placed[i];
        char *variable = shared + placed->at;
        copy(in_cluster ? simt_cluster_place(simt_block->rank, variable) : kept + done, variable,
             placed->size, keep);
        done += placed->size;
    }
}

/* The C++ compiler calls this for a thread_local object with a destructor; it replaces the
 * library's function. Shared memory has no destructors. */
int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *library);
int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library);

int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *library)
{
    return simt_in_kernel() ? 0 : __cxa_thread_atexit_impl(destructor, object, library);
}
/* SPDX-License-Identifier: MIT */
