/* The kernels' own heap, in its own address range. There is a gap between allocations, and no
 * address is reused in a program that frees only now and then. So the checks can tell an allocation
 * from its neighbours, and find a use after free. */
#include "memory/heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/exit.h"
#include "base/own.h"
#include "base/worker.h"
#include "memory/memory.h"
#include "observe/observer.h"

enum {
    ALIGNMENT = 16,
    GAP = 16,
    PAGE_BYTES = 4096,
    COMMIT_BYTES = 1 << 20,
    MOST_UNBURIED = 32 << 20
};

/* Ascending by address. `freed`: the kernel has called free. `buried`: the checks have seen that;
 * they run later (count/replay.c). */
struct allocation {
    char *base;
    size_t size;
    bool freed, buried;
};

size_t simt_heap_limit = 8 << 20;

static struct allocation *allocations;
static size_t allocation_count, allocation_capacity;
static char *heap, *heap_end, *cursor, *committed;
static size_t in_use, unburied; /* unburied: freed, but not yet seen by the checks */
static bool refused;            /* an allocation has failed in this launch */
static bool cursor_traced;      /* the last allocation was made in an analysed launch */

static bool contains(const void *address)
{
    return (uintptr_t)address - (uintptr_t)heap < (uintptr_t)(heap_end - heap);
}

bool simt_heap_is_used(void)
{
    return in_use > 0;
}

bool simt_heap_contains(const void *address)
{
    return contains(address);
}

/* ---- the table ---- */

/* The number of allocations that begin at or below the address. */
static size_t count_below(const void *address)
{
    size_t low = 0, high = allocation_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)allocations[middle].base <= (uintptr_t)address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct allocation *find_base(const void *address)
{
    size_t count = count_below(address);
    return count && allocations[count - 1].base == address ? &allocations[count - 1] : NULL;
}

/* Merges neighbouring buried allocations into one entry. */
static void join_buried(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < allocation_count; i++) {
        struct allocation *last = kept ? &allocations[kept - 1] : NULL;
        if (last && last->buried && allocations[i].buried) {
            last->size = (size_t)(allocations[i].base + allocations[i].size - last->base);
        } else {
            allocations[kept++] = allocations[i];
        }
    }
    allocation_count = kept;
}

static bool have_room(void)
{
    struct allocation *larger;
    size_t capacity = allocation_capacity ? 2 * allocation_capacity : 1024;
    if (allocation_count < allocation_capacity) {
        return true;
    }
    join_buried();
    if (2 * allocation_count < allocation_capacity) {
        return true;
    }
    larger = realloc(allocations, capacity * sizeof *larger);
    if (larger) {
        allocations = larger;
        allocation_capacity = capacity;
    }
    return larger;
}

bool simt_heap_range(uint64_t address, struct simt_range *range)
{
    const char *at = (const char *)(uintptr_t)address;
    size_t count;
    if (!contains(at)) {
        return false;
    }
    count = count_below(at);
    *range = (struct simt_range){address, 1, SPACE_GLOBAL, true};
    if (count && !allocations[count - 1].buried &&
        (size_t)(at - allocations[count - 1].base) < allocations[count - 1].size) {
        *range = (struct simt_range){(uintptr_t)allocations[count - 1].base,
                                     allocations[count - 1].size, SPACE_GLOBAL, false};
    }
    return true;
}

void simt_heap_describe(const void *address, char *text, size_t size)
{
    size_t count = count_below(address);
    const struct allocation *here = count ? &allocations[count - 1] : NULL;
    if (!here) {
        snprintf(text, size, "before all that kernels allocated");
    } else if ((size_t)((const char *)address - here->base) < here->size) {
        snprintf(text, size, "byte %zu of %zu bytes that a kernel allocated%s",
                 (size_t)((const char *)address - here->base), here->size,
                 here->freed ? ", which have been freed" : "");
    } else {
        snprintf(text, size, "%zu bytes past the end of %zu bytes that a kernel allocated%s",
                 (size_t)((const char *)address - here->base) - here->size, here->size,
                 here->freed ? ", which have been freed" : "");
    }
}

/* ---- opening and closing ---- */

static void protect(int protection)
{
    if (committed > heap && mprotect(heap, (size_t)(committed - heap), protection) != 0) {
        perror("simt: cannot change the protection of the kernels' heap");
        simt_exit_without_memory();
    }
}

bool simt_heap_refused(void)
{
    return refused;
}

void simt_heap_open(bool closed)
{
    refused = false;
    if (closed) {
        protect(PROT_READ | PROT_WRITE);
    }
}

void simt_heap_close(void)
{
    protect(PROT_NONE);
}

void simt_heap_reset(void)
{
    if (heap) {
        simt_observer.freed(heap, (size_t)(committed - heap));
        munmap(heap, (size_t)(heap_end - heap));
    }
    heap = heap_end = cursor = committed = NULL;
    allocation_count = 0;
    in_use = unburied = 0;
}

/* ---- allocation ---- */

/* Reserves much address space, no memory. If address space is limited, leaves some of it free. */
static void reserve(void)
{
    size_t size = simt_memory_address_space() / 4;
    void *memory = MAP_FAILED;
    for (; memory == MAP_FAILED && size >= COMMIT_BYTES; size /= 2) {
        memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            heap = committed = memory;
            cursor = heap + PAGE_BYTES; /* the heap also has a part before the first one */
            heap_end = heap + size;
        }
    }
}

static bool commit(char *end)
{
    size_t more = end > committed ? (size_t)(end - committed) : 0;
    more = (more + COMMIT_BYTES - 1) / COMMIT_BYTES * COMMIT_BYTES;
    more = more < (size_t)(heap_end - committed) ? more : (size_t)(heap_end - committed);
    if (more && mprotect(committed, more, PROT_READ | PROT_WRITE) != 0) {
        return false;
    }
    committed += more;
    return true;
}

static char *aligned(char *address, size_t alignment)
{
    return address + (-(uintptr_t)address & (alignment - 1));
}

void *simt_heap_allocate(size_t size, size_t alignment)
{
    char *base;
    bool refused_before = refused;
    simt_only_in_order();
    alignment = alignment > ALIGNMENT ? alignment : ALIGNMENT;
    refused = true; /* until it succeeds */
    if (size > simt_heap_limit || in_use > simt_heap_limit - size) {
        return NULL;
    }
    if (!heap) {
        reserve();
    }
    /* The writes of launches that are not analysed are unknown, so those get separate pages. */
    base = aligned(cursor, cursor_traced == simt_tracing ? alignment
                           : alignment > PAGE_BYTES      ? alignment
                                                         : (size_t)PAGE_BYTES);
    if (!heap || base > heap_end || size + GAP > (size_t)(heap_end - base) || !have_room() ||
        !commit(base + size + GAP)) {
        return NULL;
    }
    refused = refused_before;
    cursor_traced = simt_tracing;
    cursor = base + size + GAP;
    in_use += size;
    allocations[allocation_count++] = (struct allocation){base, size, false, false};
    memset(base, 0xff, size);
    simt_observer.heap_allocated(base, size);
    return base;
}

enum simt_heap_free simt_heap_free(const void *address)
{
    struct allocation *allocation = find_base(address);
    simt_only_in_order();
    if (!allocation) {
        return SIMT_HEAP_UNKNOWN;
    }
    if (allocation->freed) {
        return SIMT_HEAP_FREED_BEFORE;
    }
    allocation->freed = true;
    in_use -= allocation->size;
    unburied += allocation->size;
    return SIMT_HEAP_FREED;
}

bool simt_heap_is_behind(void)
{
    return unburied > MOST_UNBURIED;
}

size_t simt_heap_size(uint64_t address)
{
    const struct allocation *allocation = find_base((const void *)(uintptr_t)address);
    return allocation ? allocation->size : 0;
}

static bool in_no_allocation(const char *page)
{
    if (page + PAGE_BYTES > cursor) {
        return false;
    }
    for (size_t i = count_below(page + PAGE_BYTES - 1); i-- > 0;) {
        const struct allocation *allocation = &allocations[i];
        if (!allocation->buried && allocation->base + allocation->size > page) {
            return false;
        }
        if (allocation->base < page) {
            break; /* all earlier ones end before it begins */
        }
    }
    return true;
}

/* Frees pages without live allocations; they are not used again. */
void simt_heap_bury(uint64_t address)
{
    struct allocation *allocation = find_base((const void *)(uintptr_t)address);
    char *page, *end;
    if (!allocation) {
        return;
    }
    allocation->buried = true;
    unburied -= allocation->size;
    page = heap + (size_t)(allocation->base - heap) / PAGE_BYTES * PAGE_BYTES;
    end = allocation->base + allocation->size;
    for (; page < end; page += PAGE_BYTES) {
        if (in_no_allocation(page)) {
            madvise(page, PAGE_BYTES, MADV_DONTNEED);
            simt_observer.freed(page, PAGE_BYTES);
        }
    }
}
/* SPDX-License-Identifier: MIT */
