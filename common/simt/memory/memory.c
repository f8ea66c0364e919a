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

enum { ALIGNMENT = 256, FREED_KEPT = 64, USUAL_GB = 6 };

struct simt_region *simt_regions;
size_t simt_region_count;
static size_t region_capacity;
static struct simt_region freed[FREED_KEPT]; /* for messages only */
static size_t freed_count;

static char *arena, *arena_end, *cursor;
static size_t page_size, total, used;

/* ---- how much there is ---- */

/* A number from the first line of a file that starts with `prefix`; `otherwise` if there is
 * none. */
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

static void prepare(void)
{
    size_t size = (size_t)1 << 40, limit, all;
    void *memory = MAP_FAILED;
    if (arena) {
        return;
    }
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    /* The same in every run, and on demand more; but the host keeps some of what it has. */
    total = (size_t)simt_setting("SIMT_MEMORY", USUAL_GB) << 30;
    limit = number_in_file("/sys/fs/cgroup/memory.max", "", SIZE_MAX);
    all = number_in_file("/proc/meminfo", "MemTotal:", (size_t)USUAL_GB << 20) << 10;
    limit = (all < limit ? all : limit) / 10 * 9 / page_size * page_size;
    total = total < limit ? total : limit;
    /* Address space only, and much of it, so that freed addresses are not soon used again. */
    for (; memory == MAP_FAILED && size >= page_size; size /= 2) {
        memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory != MAP_FAILED) {
            arena = cursor = memory;
            arena_end = arena + size;
        }
    }
    total = total < (size_t)(arena_end - arena) ? total : (size_t)(arena_end - arena);
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

static bool in_arena(const void *address)
{
    return (uintptr_t)address - (uintptr_t)arena < (uintptr_t)(arena_end - arena);
}

bool simt_memory_is_device(const void *address)
{
    return in_arena(address) || simt_heap_contains(address);
}

size_t simt_memory_address_space(void)
{
    prepare();
    return (size_t)(arena_end - arena);
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
    if (!in_arena((const void *)(uintptr_t)address)) {
        return false;
    }
    *range = (struct simt_range){address, 1, SPACE_GLOBAL, true};
    return true;
}

/* Of the host it is device memory like any other. */
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

void simt_memory_describe(const void *address, char *text, size_t size)
{
    const struct simt_region *nearest = NULL, *next = NULL;
    const char *state = "";
    if (simt_heap_contains(address)) {
        simt_heap_describe(address, text, size);
        return;
    }
    if (describe_foreign(address, text, size)) {
        return;
    }
    for (size_t i = 0; i < simt_region_count; i++) {
        const struct simt_region *region = &simt_regions[i];
        if (region->kind == REGION_DEVICE && region->base > (const char *)address &&
            (!next || region->base < next->base)) {
            next = region;
        }
        if (region->kind == REGION_DEVICE && region->base <= (const char *)address &&
            (!nearest || region->base > nearest->base)) {
            nearest = region;
        }
    }
    for (size_t i = 0; i < FREED_KEPT && !(nearest && contains(nearest, address)); i++) {
        if (contains(&freed[i], address)) {
            nearest = &freed[i];
            state = ", which has been freed";
        }
    }
    if (next && !(nearest && contains(nearest, address)) &&
        (!nearest || next->base - (const char *)address <
                         (const char *)address - (nearest->base + nearest->size))) {
        snprintf(text, size, "%zu bytes before the start of a %zu-byte allocation",
                 (size_t)(next->base - (const char *)address), next->size);
    } else if (!nearest) {
        snprintf(text, size, "device memory that no cudaMalloc gave");
    } else if (contains(nearest, address)) {
        snprintf(text, size, "byte %zu of a %zu-byte allocation%s",
                 (size_t)((const char *)address - nearest->base), nearest->size, state);
    } else {
        snprintf(text, size, "%zu bytes past the end of a %zu-byte allocation",
                 (size_t)((const char *)address - nearest->base) - nearest->size, nearest->size);
    }
}

/* ---- allocation ---- */

/* Address space for `span` bytes, after the last allocation as long as there is any left. */
static char *place(size_t span)
{
    char *candidate = cursor;
    bool wrapped = false;
    for (;;) {
        const struct simt_region *in_the_way = NULL;
        if (span > (size_t)(arena_end - candidate)) {
            if (wrapped) {
                return NULL;
            }
            wrapped = true;
            candidate = arena;
            continue;
        }
        for (size_t i = 0; i < simt_region_count && !in_the_way; i++) {
            const struct simt_region *region = &simt_regions[i];
            if (region->kind == REGION_DEVICE && region->map < candidate + span &&
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

void *simt_memory_reserve(size_t size)
{
    char *map;
    prepare();
    if (rounded(size) < size || rounded(size) > total) {
        return NULL;
    }
    map = place(pages_of(rounded(size)) + page_size);
    if (!map) {
        return NULL;
    }
    cursor = map + pages_of(rounded(size)) + page_size;
    /* At the end of its pages, so that what runs past the end meets the page after it. */
    return map + pages_of(rounded(size)) - rounded(size);
}

bool simt_memory_allocate_at(void *base, size_t size)
{
    struct simt_region region = {
        .base = base, .size = size, .kind = REGION_DEVICE, .device = simt_own.device};
    region.map_size = pages_of(rounded(size));
    region.map = (char *)base + rounded(size) - region.map_size;
    if (region.map_size > total - used ||
        mprotect(region.map, region.map_size, PROT_READ | PROT_WRITE) != 0 ||
        !simt_unwritten_fill(true, region.map, region.map_size, PROT_NONE)) {
        return false;
    }
    /* Other flags than its neighbours have: else areas would be split and joined each time. */
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
    struct simt_region region = {.size = size, .kind = kind, .device = simt_own.device};
    void *map;
    prepare();
    region.map_size = (size + page_size - 1) / page_size * page_size;
    map = region.map_size < size ? MAP_FAILED
                                 : mmap(NULL, region.map_size, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        return NULL;
    }
    region.base = region.map = map;
    if (!simt_unwritten_fill(false, map, region.map_size, PROT_READ | PROT_WRITE) ||
        !simt_region_add(region)) {
        munmap(map, region.map_size);
        return NULL;
    }
    simt_observer.allocated(map, size);
    return map;
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
    if (region->kind == REGION_DEVICE) {
        /* Gives the pages back and keeps the addresses out of use. */
        mmap(region->map, region->map_size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        used -= region->map_size;
        simt_observer.freed(region->base, region->size);
        freed[freed_count++ % FREED_KEPT] = *region;
    } else if (region->map) {
        simt_observer.freed(region->base, region->size);
        munmap(region->map, region->map_size);
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
