/* Device memory: one reserved address range, inaccessible except where an allocation is open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/internal.h"
#include "memory/streams.h"
#include "memory/unwritten.h"
#include "observe/trace.h"

#define CALLER __builtin_return_address(0)

enum { ALIGNMENT = 256, FREED_KEPT = 64 };

enum kind { DEVICE, HOST, MANAGED, SYMBOL, REGISTERED };

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
    SIMT_API;
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
                                                cudaMemoryTypeManaged, cudaMemoryTypeDevice,
                                                cudaMemoryTypeHost};
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

/* Managed or pinned memory, to which the host writes unseen. */
static void look_at_host_memory(const struct region *region)
{
    if (simt_instrumented() && region->map && (region->kind == MANAGED || region->kind == HOST)) {
        simt_unwritten_look(region->map, region->map_size);
    }
}

void simt_memory_open(void)
{
    for (size_t i = 0; i < region_count; i++) {
        look_at_host_memory(&regions[i]);
    }
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
    SIMT_CALL;
    struct region region = {.size = size, .kind = DEVICE};
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    prepare();
    if (simt_lost() != cudaSuccess) {
        return simt_lost();
    }
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
    if (!simt_unwritten_fill(true, region.map, region.map_size, PROT_NONE)) {
        return simt_error(cudaErrorMemoryAllocation);
    }
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
    } else if (region->map) {
        simt_check_freed(region->base, region->size);
        munmap(region->map, region->map_size);
    }
    drop(region);
}

/* It waits for all that may use the memory. */
cudaError_t cudaFree(void *pointer)
{
    SIMT_CALL;
    struct region *region = find_base(pointer);
    if (!pointer) {
        return cudaSuccess;
    }
    if (!region || (region->kind != DEVICE && region->kind != MANAGED)) {
        return simt_error(cudaErrorInvalidValue);
    }
    simt_host_waits_for_all();
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
    SIMT_CALL;
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
    struct region region = {.size = size, .kind = kind};
    void *map;
    prepare();
    if (!pointer) {
        return simt_error(cudaErrorInvalidValue);
    }
    *pointer = NULL;
    if (size == 0) {
        return cudaSuccess;
    }
    region.map_size = (size + page_size - 1) / page_size * page_size;
    map = region.map_size < size ? MAP_FAILED
                                 : mmap(NULL, region.map_size, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        return simt_error(cudaErrorMemoryAllocation);
    }
    region.base = region.map = map;
    if (!simt_unwritten_fill(false, map, region.map_size, PROT_READ | PROT_WRITE) || !add(region)) {
        munmap(map, region.map_size);
        return simt_error(cudaErrorMemoryAllocation);
    }
    simt_check_allocated(map, size);
    *pointer = map;
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void **pointer, size_t size)
{
    SIMT_CALL;
    return allocate_host(pointer, size, HOST);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    SIMT_CALL;
    if (flags & ~7u) {
        return simt_error(cudaErrorInvalidValue);
    }
    return allocate_host(pointer, size, HOST);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    SIMT_CALL;
    if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || size == 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    return allocate_host(pointer, size, MANAGED);
}

cudaError_t cudaFreeHost(void *pointer)
{
    SIMT_CALL;
    struct region *region = find_base(pointer);
    if (!pointer) {
        return cudaSuccess;
    }
    if (!region || region->kind != HOST) {
        return simt_error(cudaErrorInvalidValue);
    }
    simt_host_waits_for_all();
    release(region);
    return cudaSuccess;
}

/* ---- registered host memory ---- */

static bool overlaps_registered(const char *address, size_t size)
{
    for (size_t i = 0; i < region_count; i++) {
        if (regions[i].kind != SYMBOL && address < regions[i].base + regions[i].size &&
            regions[i].base < address + size) {
            return true;
        }
    }
    return false;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned int flags)
{
    SIMT_CALL;
    prepare();
    if (!pointer || size == 0 || flags > 15 || simt_memory_is_device(pointer)) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (overlaps_registered(pointer, size)) {
        return simt_error(cudaErrorHostMemoryAlreadyRegistered);
    }
    return simt_error(add((struct region){pointer, size, REGISTERED, NULL, 0})
                          ? cudaSuccess
                          : cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *pointer)
{
    struct region *region;
    SIMT_CALL;
    region = find_base(pointer);
    if (!region || region->kind != REGISTERED) {
        return simt_error(cudaErrorHostMemoryNotRegistered);
    }
    release(region);
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    const struct region *region;
    SIMT_CALL;
    region = find(host);
    if (!device || flags != 0 || !region ||
        (region->kind != HOST && region->kind != REGISTERED && region->kind != MANAGED)) {
        return simt_error(cudaErrorInvalidValue);
    }
    *device = host;
    return cudaSuccess;
}

/* Before and after, the memory is nobody's: as if the whole of it were written. */
static void begin_allocation(const struct region *region, cudaStream_t stream, const char *verb,
                             const char *function, const void *caller)
{
    struct simt_operation *operation = simt_operation_begin(stream, function);
    operation->caller = caller;
    operation->to = (struct simt_piece){(uintptr_t)region->base, region->size, region->size, 1};
    operation->verb = verb;
    simt_check_operation();
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    SIMT_CALL;
    cudaError_t error;
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    error = cudaMalloc(pointer, size);
    if (error == cudaSuccess && *pointer) {
        begin_allocation(find_base(*pointer), stream, "allocates", "cudaMallocAsync", CALLER);
    }
    return error;
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    SIMT_CALL;
    struct region *region = find_base(pointer);
    if (!simt_stream_exists(stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (!pointer) {
        return cudaSuccess;
    }
    if (!region || region->kind != DEVICE) {
        return simt_error(cudaErrorInvalidValue);
    }
    begin_allocation(region, stream, "frees", "cudaFreeAsync", CALLER);
    release(region);
    return cudaSuccess;
}

/* ---- copies ---- */

void simt_copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

/* Why [address, address + size) may not be copied, in words; NULL if it may. It is inside one
 * region, or the host's own. `kind_says_device`: the direction of the copy does. */
static const char *trouble(const void *address, size_t size, bool kind_says_device)
{
    const struct region *region = find(address);
    if (!address) {
        return "is a null pointer";
    }
    if (region) {
        return size <= region->size - (size_t)((const char *)address - region->base)
                   ? NULL
                   : "ends past its allocation";
    }
    if (simt_memory_is_device(address)) {
        return "is device memory that is not allocated";
    }
    return kind_says_device ? "is memory of the host, where memory of the device must be" : NULL;
}

static void open_at(const void *address, int protection)
{
    const struct region *region = find(address);
    if (region && region->kind == DEVICE) {
        protect(region, protection);
    }
}

struct copy {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, width, height;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool waits; /* the function returns when it is done */
};

/* Memory of the host that no stream may use while the host goes on: it is copied at once. */
static bool is_pageable(const void *address)
{
    return !find(address);
}

static bool is_of_device(const void *address)
{
    const struct region *region = find(address);
    return region && (region->kind == DEVICE || region->kind == SYMBOL);
}

/* The host waits for copies to or from its own memory, if they are not asynchronous; for those to
 * pageable memory in any case. */
static void copy_in_order(const struct copy *copy, const char *function, const void *caller)
{
    struct simt_operation *operation = simt_operation_begin(copy->stream, function);
    bool between = is_of_device(copy->to) && is_of_device(copy->from);
    operation->caller = caller;
    operation->to =
        (struct simt_piece){(uintptr_t)copy->to, copy->to_pitch, copy->width, copy->height};
    if (!is_pageable(copy->from)) {
        operation->from =
            (struct simt_piece){(uintptr_t)copy->from, copy->from_pitch, copy->width, copy->height};
    }
    simt_check_operation();
    if ((copy->waits && !between) || is_pageable(copy->to)) {
        simt_host_waits(copy->stream);
    }
}

static cudaError_t copy_memory(const struct copy *copy, const char *function, const void *caller)
{
    static const char *const kinds[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                        "cudaMemcpyDefault"};
    enum cudaMemcpyKind kind = copy->kind;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const char *to_trouble, *from_trouble;
    if (simt_lost() != cudaSuccess) {
        return simt_lost();
    }
    if ((unsigned int)kind > cudaMemcpyDefault) {
        return simt_call_failed(function, caller, cudaErrorInvalidMemcpyDirection,
                                "%d is no direction", (int)kind);
    }
    if (copy->width == 0 || copy->height == 0) {
        return cudaSuccess;
    }
    if (copy->width > copy->to_pitch || copy->width > copy->from_pitch) {
        return simt_call_failed(function, caller, cudaErrorInvalidPitchValue,
                                "a row is wider than the pitch");
    }
    to_trouble = trouble(copy->to, (copy->height - 1) * copy->to_pitch + copy->width, to_device);
    from_trouble =
        trouble(copy->from, (copy->height - 1) * copy->from_pitch + copy->width, from_device);
    if (to_trouble || from_trouble) {
        return simt_call_failed(function, caller, cudaErrorInvalidValue, "%s: the %s %s",
                                kinds[kind], to_trouble ? "destination" : "source",
                                to_trouble ? to_trouble : from_trouble);
    }
    copy_in_order(copy, function, caller);
    if (find(copy->from)) {
        look_at_host_memory(find(copy->from));
    }
    open_at(copy->to, PROT_READ | PROT_WRITE);
    open_at(copy->from, PROT_READ | PROT_WRITE);
    for (size_t row = 0; row < copy->height; row++) {
        char *to = copy->to + row * copy->to_pitch;
        const char *from = copy->from + row * copy->from_pitch;
        memmove(to, from, copy->width);
        simt_check_written(to, copy->width, from);
    }
    open_at(copy->to, PROT_NONE);
    open_at(copy->from, PROT_NONE);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source,
                         size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const struct copy copy = {
        destination, source, destination_pitch, source_pitch, width, height, kind, NULL, true};
    SIMT_CALL;
    return copy_memory(&copy, "cudaMemcpy2D", CALLER);
}

cudaError_t cudaMemcpy(void *destination, const void *source, size_t size, enum cudaMemcpyKind kind)
{
    const struct copy copy = {destination, source, size, size, size, 1, kind, NULL, true};
    SIMT_CALL;
    return copy_memory(&copy, "cudaMemcpy", CALLER);
}

struct fill {
    char *to;
    int value;
    size_t pitch, width, height;
    cudaStream_t stream;
};

static cudaError_t set_memory(const struct fill *fill, const char *function, const void *caller)
{
    struct simt_operation *operation;
    const char *why;
    if (!simt_stream_exists(fill->stream)) {
        return simt_error(cudaErrorInvalidResourceHandle);
    }
    if (simt_lost() != cudaSuccess) {
        return simt_lost();
    }
    if (fill->width > fill->pitch) {
        return simt_error(cudaErrorInvalidValue);
    }
    if (fill->width == 0 || fill->height == 0) {
        return cudaSuccess;
    }
    why = trouble(fill->to, (fill->height - 1) * fill->pitch + fill->width, true);
    if (why) {
        return simt_call_failed(function, caller, cudaErrorInvalidValue, "the memory %s", why);
    }
    operation = simt_operation_begin(fill->stream, function);
    operation->caller = caller;
    operation->to =
        (struct simt_piece){(uintptr_t)fill->to, fill->pitch, fill->width, fill->height};
    simt_check_operation();
    open_at(fill->to, PROT_READ | PROT_WRITE);
    for (size_t row = 0; row < fill->height; row++) {
        memset(fill->to + row * fill->pitch, fill->value, fill->width);
        simt_check_written(fill->to + row * fill->pitch, fill->width, NULL);
    }
    open_at(fill->to, PROT_NONE);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *pointer, int value, size_t size)
{
    const struct fill fill = {pointer, value, size, size, 1, NULL};
    SIMT_CALL;
    return set_memory(&fill, "cudaMemset", CALLER);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream)
{
    const struct fill fill = {pointer, value, size, size, 1, stream};
    SIMT_CALL;
    return set_memory(&fill, "cudaMemsetAsync", CALLER);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    const struct fill fill = {pointer, value, pitch, width, height, NULL};
    SIMT_CALL;
    return set_memory(&fill, "cudaMemset2D", CALLER);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    const struct fill fill = {pointer, value, pitch, width, height, stream};
    SIMT_CALL;
    return set_memory(&fill, "cudaMemset2DAsync", CALLER);
}

static cudaError_t bad_stream(void)
{
    return simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t size,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct copy copy = {destination, source, size, size, size, 1, kind, stream, false};
    SIMT_CALL;
    return simt_stream_exists(stream) ? copy_memory(&copy, "cudaMemcpyAsync", CALLER)
                                      : bad_stream();
}

cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source,
                              size_t source_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct copy copy = {
        destination, source, destination_pitch, source_pitch, width, height, kind, stream, false};
    SIMT_CALL;
    return simt_stream_exists(stream) ? copy_memory(&copy, "cudaMemcpy2DAsync", CALLER)
                                      : bad_stream();
}
