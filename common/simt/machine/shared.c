#include "machine/shared.h"

#include <string.h>
#include <unistd.h>

#include "machine/cluster.h"
#include "machine/fibers.h"
#include "program/symbols.h"

enum { SHARED_ALIGNMENT = 1024 /* what kernels ask for at most: a swizzled tile */ };

static char *shared_end; /* dynamic shared memory ends here, a guard page follows */

void simt_shared_prepare(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t shared = (SIMT_MAX_SHARED_BYTES + page - 1) / page * page;
    if (!shared_end) {
        shared_end = (char *)simt_reserve(shared + page) + shared;
        simt_allow(shared_end - shared, shared);
    }
}

size_t simt_shared_bytes(void)
{
    return simt_grid.launch ? simt_grid.launch->shared_bytes : 0;
}

void *simt_dynamic_shared(void)
{
    size_t size = (simt_grid.launch->shared_bytes + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT;
    return shared_end - size * SHARED_ALIGNMENT;
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
    return fiber ? (struct simt_range){(uintptr_t)fiber->stack, fiber->stack_bytes, SPACE_LOCAL,
                                       false}
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
    if (address - ((uintptr_t)shared_end - SIMT_MAX_SHARED_BYTES) >=
        SIMT_MAX_SHARED_BYTES + (size_t)4096) {
        return false;
    }
    *range = address - start < size ? (struct simt_range){start, size, SPACE_SHARED, false}
                                    : (struct simt_range){address, 1, SPACE_SHARED, true};
    return true;
}

void simt_copy_shared(char *kept, bool keep)
{
    size_t bytes, dynamic = simt_grid.launch->shared_bytes;
    void *shared = simt_static_shared(&bytes);
    if (simt_cluster_size() > 1) { /* in the place of its rank */
        char *dynamic_place = simt_cluster_place(simt_block->rank, simt_dynamic_shared());
        char *static_place = simt_cluster_place(simt_block->rank, shared);
        memcpy(keep ? dynamic_place : simt_dynamic_shared(),
               keep ? simt_dynamic_shared() : dynamic_place, dynamic);
        memcpy(keep ? static_place : shared, keep ? shared : static_place, bytes);
        return;
    }
    memcpy(keep ? kept : simt_dynamic_shared(), keep ? simt_dynamic_shared() : kept, dynamic);
    if (bytes) {
        memcpy(keep ? kept + dynamic : shared, keep ? shared : kept + dynamic, bytes);
    }
}
