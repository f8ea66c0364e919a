#include "memory/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/exit.h"
#include "base/own.h"
#include "base/setting.h"
#include "cuda/simt_analysis.h"
#include "memory/devices.h"
#include "memory/heap.h"
#include "memory/regions.h"
#include "memory/unwritten.h"
#include "observe/observer.h"
#include "program/source.h"
#include "program/symbols.h"

enum { ALIGNMENT = 256, FREED_KEPT = 64, USUAL_GB = 6, CALL_TEXT = 320 };

struct simt_region *simt_regions;
size_t simt_region_count;
static size_t region_capacity;
static struct {
    struct simt_region region;
    struct simt_call by;
} freed[FREED_KEPT]; /* for messages only */
static size_t freed_count;

/* Much address space, no memory, to avoid reusing freed addresses soon. The part before the first
 * allocation detects indices that are too small. */
static struct arena {
    char *start, *first, *end, *cursor;
} of_device, of_host;
static size_t page_size, total, used;

struct simt_call simt_call_now;

/* ---- how much there is ---- */

/* The number after `prefix` at the start of a line of a file; `otherwise` if there is none. */
static size_t number_in_file(const char *path, const char *prefix, size_t otherwise)
{
    FILE *file = fopen(path, "r");
    size_t length = strlen(prefix), found = otherwise;
    char line[256];
    if (!file) {
        return otherwise;
    }
    while (fgets(line, sizeof line, file)) {
        char *end;
        if (strncmp(line, prefix, length) == 0) {
            unsigned long long value = strtoull(line + length, &end, 10);
            found = end != line + length ? (size_t)value : otherwise;
            break;
        }
    }
    fclose(file);
    return found;
}

static struct arena reserve(size_t size)
{
    for (; size >= page_size; size /= 2) {
        char *memory =
            mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            char *const first = memory + size / 64 / page_size * page_size;
            return (struct arena){memory, first, memory + size, first};
        }
    }
    return (struct arena){0};
}

static size_t size_of(const struct arena *arena)
{
    return (size_t)(arena->end - arena->start);
}

static void prepare(void)
{
    size_t limit, all;
    if (of_device.start) {
        return;
    }
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    /* A fixed default, which a setting can raise; the host keeps some of its memory. */
    total = (size_t)simt_setting("SIMT_MEMORY", USUAL_GB) << 30;
    limit = number_in_file("/sys/fs/cgroup/memory.max", "", SIZE_MAX);
    all = number_in_file("/proc/meminfo", "MemTotal:", (size_t)USUAL_GB << 20) << 10;
    limit = (all < limit ? all : limit) / 10 * 9 / page_size * page_size;
    total = total < limit ? total : limit;
    of_device = reserve((size_t)1 << 40);
    of_host = reserve(size_of(&of_device) / 8); /* a limit on address space leaves little */
    total = total < size_of(&of_device) ? total : size_of(&of_device);
}

size_t simt_memory_available(void)
{
    prepare();
    return total - used;
}

size_t simt_memory_total(void)
{
    prepare();
    return total;
}

/* ---- the table of simt_regions ---- */

static bool contains(const struct simt_region *region, const void *address)
{
    return (uintptr_t)address - (uintptr_t)region->base < region->size;
}

struct simt_region *simt_region_find(const void *address)
{
    for (size_t i = 0; i < simt_region_count; i++) {
        if (contains(&simt_regions[i], address)) {
            return &simt_regions[i];
        }
    }
    return NULL;
}

struct simt_region *simt_region_find_base(const void *address)
{
    struct simt_region *region = simt_region_find(address);
    return region && region->base == address ? region : NULL;
}

const struct simt_region *simt_region_number(size_t number)
{
    return number < simt_region_count ? &simt_regions[number] : NULL;
}

bool simt_region_add(struct simt_region region)
{
    if (simt_region_count == region_capacity) {
        size_t capacity = region_capacity ? 2 * region_capacity : 64;
        struct simt_region *larger = realloc(simt_regions, capacity * sizeof *larger);
        if (!larger) {
            return false;
        }
        simt_regions = larger;
        region_capacity = capacity;
    }
    simt_regions[simt_region_count++] = region;
    return true;
}

static void drop(struct simt_region *region)
{
    *region = simt_regions[--simt_region_count];
}

static bool is_in(const struct arena *arena, const void *address)
{
    return (uintptr_t)address - (uintptr_t)arena->start < size_of(arena);
}

bool simt_memory_is_device(const void *address)
{
    return is_in(&of_device, address) || simt_heap_contains(address);
}

bool simt_memory_host_has_any(void)
{
    for (size_t i = 0; i < simt_region_count; i++) {
        if (simt_regions[i].kind != REGION_DEVICE && simt_regions[i].kind != REGION_SYMBOL) {
            return true;
        }
    }
    return false;
}

bool simt_memory_is_of_host(const void *address)
{
    return is_in(&of_host, address);
}

size_t simt_memory_address_space(void)
{
    prepare();
    return size_of(&of_device);
}

enum cudaMemoryType simt_memory_type(const void *address)
{
    static const enum cudaMemoryType types[] = {cudaMemoryTypeDevice, cudaMemoryTypeHost,
                                                cudaMemoryTypeManaged, cudaMemoryTypeDevice,
                                                cudaMemoryTypeHost};
    const struct simt_region *region = simt_region_find(address);
    return region ? types[region->kind] : cudaMemoryTypeUnregistered;
}

bool simt_region_is_foreign(const struct simt_region *region)
{
    return region->kind == REGION_DEVICE && !simt_device_reaches(simt_own.device, region->device);
}

bool simt_memory_is_foreign(const void *address)
{
    const struct simt_region *region = simt_region_find(address);
    return region && simt_region_is_foreign(region);
}

bool simt_memory_is_address_of_host(const void *address)
{
    const struct simt_region *region;
    if (!simt_is_variable((uintptr_t)address, false)) {
        return false;
    }
    region = simt_region_find(address);
    return !region || !region->made.function;
}

bool simt_memory_range(uint64_t address, struct simt_range *range)
{
    const struct simt_region *region = simt_region_find((const void *)(uintptr_t)address);
    if (region && region->kind != REGION_SYMBOL) {
        *range = (struct simt_range){(uintptr_t)region->base, region->size, SPACE_GLOBAL,
                                     simt_region_is_foreign(region)};
        return true;
    }
    if (simt_heap_range(address, range)) {
        return true;
    }
    if (!is_in(&of_device, (const void *)(uintptr_t)address) &&
        !is_in(&of_host, (const void *)(uintptr_t)address)) {
        return false;
    }
    *range = (struct simt_range){address, 1, SPACE_GLOBAL, true};
    return true;
}

/* For the host, it is ordinary device memory. */
static bool describe_foreign(const void *address, char *text, size_t size)
{
    const struct simt_region *region =
        simt_in_kernel() || simt_tracing ? simt_region_find(address) : NULL;
    if (!region || !simt_region_is_foreign(region)) {
        return false;
    }
    snprintf(text, size, "memory of device %d, to which device %d has no peer access",
             region->device, simt_own.device);
    return true;
}

void simt_call_describe(const struct simt_call *call, char *text, size_t size)
{
    const struct simt_source *source =
        call->caller ? simt_source_of(simt_place_of(call->caller)) : NULL;
    text[0] = '\0';
    if (source && source->line > 0) {
        snprintf(text, size, " (%s() at %s:%d)", call->function, source->file, source->line);
    }
}

/* The nearest regions at or below an address and above it, in the same arena. Registered memory
 * counts only if the address is close behind it. */
static void find_neighbours(const char *address, const struct simt_region **below,
                            const struct simt_region **above)
{
    const bool in_arena = is_in(&of_device, address) || is_in(&of_host, address);
    *below = *above = NULL;
    for (size_t i = 0; i < simt_region_count; i++) {
        const struct simt_region *region = &simt_regions[i];
        const bool lies_with =
            in_arena ? is_in(&of_device, address) == is_in(&of_device, region->base) &&
                           is_in(&of_host, address) == is_in(&of_host, region->base)
                     : region->kind == REGION_REGISTERED &&
                           (uintptr_t)address - (uintptr_t)region->base - region->size < page_size;
        if (!lies_with) {
            continue;
        }
        if (region->base > address && (!*above || region->base < (*above)->base)) {
            *above = region;
        }
        if (region->base <= address && (!*below || region->base > (*below)->base)) {
            *below = region;
        }
    }
}

bool simt_memory_describe(const void *at, char *text, size_t size)
{
    const char *const address = at, *hint = "";
    const struct simt_region *nearest, *next;
    char made[CALL_TEXT], by[CALL_TEXT] = "";
    size_t distance;
    if (simt_heap_contains(address)) {
        simt_heap_describe(address, text, size);
        return true;
    }
    if (describe_foreign(address, text, size)) {
        return true;
    }
    find_neighbours(address, &nearest, &next);
    for (size_t i = 0; i < FREED_KEPT && !(nearest && contains(nearest, address)); i++) {
        if (contains(&freed[i].region, address)) {
            nearest = &freed[i].region;
            simt_call_describe(&freed[i].by, by, sizeof by);
            simt_call_describe(&nearest->made, made, sizeof made);
            snprintf(text, size, "byte %zu of a %zu-byte allocation%s, which has been freed%s",
                     (size_t)(address - nearest->base), nearest->size, made, by);
            return true;
        }
    }
    if (!nearest && !next) {
        snprintf(text, size, "device memory that no cudaMalloc gave");
        return simt_memory_is_device(address);
    }
    if (next && !(nearest && contains(nearest, address)) &&
        (!nearest || next->base - address < address - (nearest->base + nearest->size))) {
        nearest = next;
    }
    simt_call_describe(&nearest->made, made, sizeof made);
    if (contains(nearest, address)) {
        snprintf(text, size, "byte %zu of a %zu-byte allocation%s",
                 (size_t)(address - nearest->base), nearest->size, made);
        return true;
    }
    distance = (size_t)(nearest == next ? nearest->base - address
                                        : address - nearest->base - (ptrdiff_t)nearest->size);
    if (distance >> 30) {
        hint = "; does an index of 32 bits overflow?";
    }
    snprintf(text, size, "%zu bytes %s a %zu-byte allocation%s%s", distance,
             nearest == next ? "before the start of" : "past the end of", nearest->size, made,
             hint);
    return true;
}

/* ---- allocation ---- */

/* Address space for `span` bytes: after the last allocation, as long as there is any left. */
static char *place(const struct arena *arena, size_t span)
{
    char *candidate = arena->cursor;
    bool wrapped = false;
    for (;;) {
        const struct simt_region *in_the_way = NULL;
        if (span > (size_t)(arena->end - candidate)) {
            if (wrapped) {
                return NULL;
            }
            wrapped = true;
            candidate = arena->first;
            continue;
        }
        for (size_t i = 0; i < simt_region_count && !in_the_way; i++) {
            const struct simt_region *region = &simt_regions[i];
            if (region->map && region->map < candidate + span &&
                candidate < region->map + region->map_size + page_size) {
                in_the_way = region;
            }
        }
        if (!in_the_way) {
            return candidate;
        }
        candidate = in_the_way->map + in_the_way->map_size + page_size;
    }
}

static size_t pages_of(size_t size)
{
    return (size + page_size - 1) / page_size * page_size;
}

static size_t rounded(size_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The allocation ends at the end of its pages, so an overrun hits the page after it. */
static void *reserve_in(struct arena *arena, size_t size)
{
    const size_t span = pages_of(rounded(size));
    char *map = span < size ? NULL : place(arena, span + page_size);
    if (!map) {
        return NULL;
    }
    arena->cursor = map + span + page_size;
    return map + span - rounded(size);
}

void *simt_memory_reserve(size_t size)
{
    prepare();
    return rounded(size) < size || rounded(size) > total ? NULL : reserve_in(&of_device, size);
}

bool simt_memory_allocate_at(void *base, size_t size)
{
    struct simt_region region = {.base = base,
                                 .size = size,
                                 .kind = REGION_DEVICE,
                                 .device = simt_own.device,
                                 .made = simt_call_now};
    region.map_size = pages_of(rounded(size));
    region.map = (char *)base + rounded(size) - region.map_size;
    if (region.map_size > total - used ||
        mprotect(region.map, region.map_size, PROT_READ | PROT_WRITE) != 0 ||
        !simt_unwritten_fill(true, region.map, region.map_size, PROT_NONE)) {
        return false;
    }
    /* Flags that no neighbour has, or else areas would be split and joined each time. */
    madvise(region.map, region.map_size, MADV_DONTDUMP);
    if (mprotect(region.map, region.map_size, PROT_NONE) != 0) {
        return false;
    }
    region.changed = ++simt_memory_changes;
    if (!simt_region_add(region)) {
        return false;
    }
    simt_observer.allocated(region.base, size);
    used += region.map_size;
    return true;
}

void *simt_memory_allocate(size_t size)
{
    void *base;
    prepare();
    if (rounded(size) < size || pages_of(rounded(size)) > total - used) {
        return NULL;
    }
    base = simt_memory_reserve(size);
    return base && simt_memory_allocate_at(base, size) ? base : NULL;
}

void *simt_memory_allocate_host(size_t size, enum simt_region_kind kind)
{
    struct simt_region region = {
        .size = size, .kind = kind, .device = simt_own.device, .made = simt_call_now};
    prepare();
    if (rounded(size) < size || !(region.base = reserve_in(&of_host, size))) {
        return NULL;
    }
    region.map_size = pages_of(rounded(size));
    region.map = region.base + rounded(size) - region.map_size;
    if (mprotect(region.map, region.map_size, PROT_READ | PROT_WRITE) != 0 ||
        !simt_unwritten_fill(false, region.map, region.map_size, PROT_READ | PROT_WRITE) ||
        !simt_region_add(region)) {
        return NULL;
    }
    simt_observer.allocated(region.base, size);
    return region.base;
}

bool simt_regions_overlap(const char *address, size_t size)
{
    for (size_t i = 0; i < simt_region_count; i++) {
        if (simt_regions[i].kind != REGION_SYMBOL &&
            address < simt_regions[i].base + simt_regions[i].size &&
            simt_regions[i].base < address + size) {
            return true;
        }
    }
    return false;
}

void simt_region_release(struct simt_region *region)
{
    if (region->map) {
        /* Frees the pages but keeps the addresses reserved. */
        mmap(region->map, region->map_size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        used -= region->kind == REGION_DEVICE ? region->map_size : 0;
        simt_observer.freed(region->base, region->size);
        freed[freed_count % FREED_KEPT].region = *region;
        freed[freed_count++ % FREED_KEPT].by = simt_call_now;
    }
    drop(region);
}

void simt_memory_reset(int device)
{
    bool others = false;
    for (size_t i = simt_region_count; i-- > 0;) {
        if (simt_regions[i].kind != REGION_SYMBOL && simt_regions[i].device == device) {
            simt_region_release(&simt_regions[i]);
        } else {
            others = others || simt_regions[i].kind == REGION_DEVICE;
        }
    }
    if (!others) {
        simt_heap_reset();
    }
}
/* SPDX-License-Identifier: MIT */
