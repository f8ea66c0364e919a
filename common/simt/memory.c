/* Device memory: one reserved address range, inaccessible except where an allocation is open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"
#include "trace.h"

enum { ALIGNMENT = 256, FREED_KEPT = 64 };

enum kind { DEVICE, HOST, MANAGED, SYMBOL };

struct region {
    char *base;
    size_t size;
    enum kind kind;
    char *map; /* of a DEVICE region: its pages */
    size_t map_size;
};

static struct region *regions;
static size_t region_count, region_capacity;
static struct region freed[FREED_KEPT]; /* for messages only */
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
    size_t size = (size_t)1 << 40, limit;
    void *memory = MAP_FAILED;
    if (arena) {
        return;
    }
    simt_fault_install();
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    total = number_in_file("/proc/meminfo", "MemAvailable:", (size_t)4 << 20) << 10;
    limit = number_in_file("/sys/fs/cgroup/memory.max", "", SIZE_MAX);
    total = total < limit ? total : limit;
    total = total / 10 * 9 / page_size * page_size; /* leave the host some */
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

size_t simt_memory_total(void)
{
    prepare();
    return total;
}

/* ---- the table of regions ---- */

static bool contains(const struct region *region, const void *address)
{
    return (uintptr_t)address - (uintptr_t)region->base < region->size;
}

static struct region *find(const void *address)
{
    for (size_t i = 0; i < region_count; i++) {
        if (contains(&regions[i], address)) {
            return &regions[i];
        }
    }
    return NULL;
}

static struct region *find_base(const void *address)
{
    struct region *region = find(address);
    return region && region->base == address ? region : NULL;
}

static bool add(struct region region)
{
    if (region_count == region_capacity) {
        size_t capacity = region_capacity ? 2 * region_capacity : 64;
        struct region *larger = realloc(regions, capacity * sizeof *larger);
        if (!larger) {
            return false;
        }
        regions = larger;
        region_capacity = capacity;
    }
    regions[region_count++] = region;
    return true;
}

static void drop(struct region *region)
{
    *region = regions[--region_count];
}

void *simt_symbol(const void *address, size_t symbol_size, size_t offset, size_t size)
{
    char *base = (char *)(uintptr_t)address;
    if (!find(base)) {
        add((struct region){base, symbol_size, SYMBOL, NULL, 0});
    }
    return offset <= symbol_size && size <= symbol_size - offset ? base + offset : NULL;
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
                                                cudaMemoryTypeManaged, cudaMemoryTypeDevice};
    const struct region *region = find(address);
    return region ? types[region->kind] : cudaMemoryTypeUnregistered;
}

bool simt_memory_range(uint64_t address, struct simt_range *range)
{
    const struct region *region = find((const void *)(uintptr_t)address);
    if (region && region->kind != SYMBOL) {
        *range = (struct simt_range){(uintptr_t)region->base, region->size, SPACE_GLOBAL, false};
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

void simt_memory_describe(const void *address, char *text, size_t size)
{
    const struct region *nearest = NULL, *next = NULL;
    const char *state = "";
    if (simt_heap_contains(address)) {
        simt_heap_describe(address, text, size);
        return;
    }
    for (size_t i = 0; i < region_count; i++) {
        const struct region *region = &regions[i];
        if (region->kind == DEVICE && region->base > (const char *)address &&
            (!next || region->base < next->base)) {
            next = region;
        }
        if (region->kind == DEVICE && region->base <= (const char *)address &&
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

/* ---- opening and closing ---- */

static void protect(const struct region *region, int protection)
{
    if (mprotect(region->map, region->map_size, protection) != 0) {
        perror("simt: cannot change the protection of device memory");
        simt_exit_without_memory();
    }
}

static void protect_all(int protection)
{
    for (size_t i = 0; i < region_count; i++) {
        if (regions[i].kind == DEVICE) {
            protect(&regions[i], protection);
        }
    }
}

void simt_memory_open(void)
{
    protect_all(PROT_READ | PROT_WRITE);
    simt_heap_open();
}

void simt_memory_close(void)
{
    protect_all(PROT_NONE);
    simt_heap_close();
}

/* ---- allocation ---- */

/* Address space for `span` bytes, after the last allocation as long as there is any left. */
static char *place(size_t span)
{
    char *candidate = cursor;
    bool wrapped = false;
    for (;;) {
        const struct region *in_the_way = NULL;
        if (span > (size_t)(arena_end - candidate)) {
            if (wrapped) {
                return NULL;
            }
            wrapped = true;
            candidate = arena;
            continue;
        }
        for (size_t i = 0; i < region_count && !in_the_way; i++) {
            const struct region *region = &regions[i];
            if (region->kind == DEVICE && region->map < candidate + span &&
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

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    struct region region = {.size = size, .kind = DEVICE};
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    prepare();
    if (!pointer) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (size == 0) {
        *pointer = NULL;
        return cudaSuccess;
    }
    if (rounded < size || rounded > total - used) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    region.map_size = (rounded + page_size - 1) / page_size * page_size;
    region.map = region.map_size <= total - used ? place(region.map_size + page_size) : NULL;
    if (!region.map || mprotect(region.map, region.map_size, PROT_READ | PROT_WRITE) != 0) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    /* At the end of its pages, so that what runs past the end meets the page after it. */
    region.base = region.map + region.map_size - rounded;
    memset(region.map, 0xff, region.map_size);
    protect(&region, PROT_NONE);
    if (!add(region)) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    simt_check_allocated(region.base, size);
    cursor = region.map + region.map_size + page_size;
    used += region.map_size;
    *pointer = region.base;
    return cudaSuccess;
}

static void release(struct region *region)
{
    if (region->kind == DEVICE) {
        /* Gives the pages back and keeps the addresses out of use. */
        mmap(region->map, region->map_size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        used -= region->map_size;
        simt_check_freed(region->base, region->size);
        freed[freed_count++ % FREED_KEPT] = *region;
    } else {
        free(region->base);
    }
    drop(region);
}

cudaError_t cudaFree(void *pointer)
{
    struct region *region = find_base(pointer);
    if (!pointer) {
        return cudaSuccess;
    }
    if (!region || (region->kind != DEVICE && region->kind != MANAGED)) {
        return simt_error(cudaErrorInvalidValue);
    }
    release(region);
    return cudaSuccess;
}

void simt_memory_reset(void)
{
    for (size_t i = region_count; i-- > 0;) {
        if (regions[i].kind != SYMBOL) {
            release(&regions[i]);
        }
    }
    simt_heap_reset();
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *all)
{
    prepare();
    if (!available || !all) {
        return simt_error(cudaErrorInvalidValue);
    }
    *available = total - used;
    *all = total;
    return cudaSuccess;
}

static cudaError_t allocate_host(void **pointer, size_t size, enum kind kind)
{
    prepare();
    if (!pointer) {
        return simt_error(cudaErrorInvalidValue);
    }
    *pointer = NULL;
    if (size == 0) {
        return cudaSuccess;
    }
    if (posix_memalign(pointer, ALIGNMENT, size) != 0) {
        *pointer = NULL;
        return simt_error(cudaErrorMemoryAllocation);
    }
    if (!add((struct region){*pointer, size, kind, NULL, 0})) {
        free(*pointer);
        *pointer = NULL;
        return simt_error(cudaErrorMemoryAllocation);
    }
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    return allocate_host(pointer, size, HOST);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    if (flags & ~7u) {
        return simt_error(cudaErrorInvalidValue);
    }
    return allocate_host(pointer, size, HOST);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || size == 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    return allocate_host(pointer, size, MANAGED);
}

cudaError_t cudaFreeHost(void *pointer)
{
    struct region *region = find_base(pointer);
    if (!pointer) {
        return cudaSuccess;
    }
    if (!region || region->kind != HOST) {
        return simt_error(cudaErrorInvalidValue);
    }
    release(region);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    return simt_stream_exists(stream) ? cudaMalloc(pointer, size)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    return simt_stream_exists(stream) ? cudaFree(pointer)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}

/* ---- copies ---- */

/* Whether [address, address + size) may be copied: inside one region, or the host's own. */
static bool usable(const void *address, size_t size, bool must_be_device)
{
    const struct region *region = find(address);
    if (!address) {
        return false;
    }
    if (region) {
        return size <= region->size - (size_t)((const char *)address - region->base);
    }
    return !must_be_device && !simt_memory_is_device(address);
}

static void open_at(const void *address, int protection)
{
    const struct region *region = find(address);
    if (region && region->kind == DEVICE) {
        protect(region, protection);
    }
}

cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source,
                         size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((unsigned int)kind > cudaMemcpyDefault) {
        return simt_error(cudaErrorInvalidMemcpyDirection);
    }
    if (width == 0 || height == 0) {
        return cudaSuccess;
    }
    if (width > destination_pitch || width > source_pitch) {
        return simt_error(cudaErrorInvalidPitchValue);
    }
    if (!usable(destination, (height - 1) * destination_pitch + width, to_device) ||
        !usable(source, (height - 1) * source_pitch + width, from_device)) {
        return simt_error(cudaErrorInvalidValue);
    }
    open_at(destination, PROT_READ | PROT_WRITE);
    open_at(source, PROT_READ | PROT_WRITE);
    for (size_t row = 0; row < height; row++) {
        memmove((char *)destination + row * destination_pitch,
                (const char *)source + row * source_pitch, width);
        simt_check_written((char *)destination + row * destination_pitch, width,
                           (const char *)source + row * source_pitch);
    }
    open_at(destination, PROT_NONE);
    open_at(source, PROT_NONE);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *destination, const void *source, size_t size, enum cudaMemcpyKind kind)
{
    return cudaMemcpy2D(destination, size, source, size, size, 1, kind);
}

cudaError_t cudaMemset(void *pointer, int value, size_t size)
{
    if (size == 0) {
        return cudaSuccess;
    }
    if (!usable(pointer, size, true)) {
        return simt_error(cudaErrorInvalidValue);
    }
    open_at(pointer, PROT_READ | PROT_WRITE);
    memset(pointer, value, size);
    simt_check_written(pointer, size, NULL);
    open_at(pointer, PROT_NONE);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t size,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return simt_stream_exists(stream) ? cudaMemcpy(destination, source, size, kind)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source,
                              size_t source_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return simt_stream_exists(stream) ? cudaMemcpy2D(destination, destination_pitch, source,
                                                     source_pitch, width, height, kind)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream)
{
    return simt_stream_exists(stream) ? cudaMemset(pointer, value, size)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}
