/* Device memory: one reserved address range, inaccessible except where an allocation is open. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/internal.h"
#include "observe/trace.h"

enum { ALIGNMENT = 256, FREED_KEPT = 64, POISON_BYTES = 32 << 20 };

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

/* What nobody has written is a NaN. Large allocations get it from a file that their pages share
 * until they are written. */
static bool poison(char *map, size_t size)
{
    static int file = -1;
    if (size < POISON_BYTES) {
        memset(map, 0xff, size);
        return true;
    }
    if (file < 0) {
        void *bytes = MAP_FAILED;
        file = memfd_create("simt_unwritten", MFD_CLOEXEC);
        if (file >= 0 && ftruncate(file, POISON_BYTES) == 0) {
            bytes = mmap(NULL, POISON_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        }
        if (bytes == MAP_FAILED) {
            return false;
        }
        memset(bytes, 0xff, POISON_BYTES);
        munmap(bytes, POISON_BYTES);
    }
    for (size_t at = 0; at < size; at += POISON_BYTES) {
        size_t piece = size - at < POISON_BYTES ? size - at : POISON_BYTES;
        if (mmap(map + at, piece, PROT_NONE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) ==
            MAP_FAILED) {
            return false;
        }
    }
    return true;
}

cudaError_t cudaMalloc(void **pointer, size_t size)
{
    SIMT_API;
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
    if (!poison(region.map, region.map_size)) {
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
    } else if (region->kind != REGISTERED) {
        free(region->base);
    }
    drop(region);
}

cudaError_t cudaFree(void *pointer)
{
    SIMT_API;
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
    SIMT_API;
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
    SIMT_API;
    return allocate_host(pointer, size, HOST);
}

cudaError_t cudaHostAlloc(void **pointer, size_t size, unsigned int flags)
{
    SIMT_API;
    if (flags & ~7u) {
        return simt_error(cudaErrorInvalidValue);
    }
    return allocate_host(pointer, size, HOST);
}

cudaError_t cudaMallocManaged(void **pointer, size_t size, unsigned int flags)
{
    SIMT_API;
    if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || size == 0) {
        return simt_error(cudaErrorInvalidValue);
    }
    return allocate_host(pointer, size, MANAGED);
}

cudaError_t cudaFreeHost(void *pointer)
{
    SIMT_API;
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
    SIMT_API;
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
    SIMT_API;
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
    SIMT_API;
    region = find(host);
    if (!device || flags != 0 || !region ||
        (region->kind != HOST && region->kind != REGISTERED && region->kind != MANAGED)) {
        return simt_error(cudaErrorInvalidValue);
    }
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **pointer, size_t size, cudaStream_t stream)
{
    SIMT_API;
    return simt_stream_exists(stream) ? cudaMalloc(pointer, size)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream)
{
    SIMT_API;
    return simt_stream_exists(stream) ? cudaFree(pointer)
                                      : simt_error(cudaErrorInvalidResourceHandle);
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
};

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

#define CALLER __builtin_return_address(0)

cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source,
                         size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const struct copy copy = {destination, source, destination_pitch, source_pitch, width,
                              height,      kind};
    SIMT_API;
    return copy_memory(&copy, "cudaMemcpy2D", CALLER);
}

cudaError_t cudaMemcpy(void *destination, const void *source, size_t size, enum cudaMemcpyKind kind)
{
    const struct copy copy = {destination, source, size, size, size, 1, kind};
    SIMT_API;
    return copy_memory(&copy, "cudaMemcpy", CALLER);
}

static cudaError_t set_memory(void *pointer, int value, size_t size, const char *function,
                              const void *caller)
{
    const char *why;
    if (simt_lost() != cudaSuccess) {
        return simt_lost();
    }
    if (size == 0) {
        return cudaSuccess;
    }
    why = trouble(pointer, size, true);
    if (why) {
        return simt_call_failed(function, caller, cudaErrorInvalidValue, "the memory %s", why);
    }
    open_at(pointer, PROT_READ | PROT_WRITE);
    memset(pointer, value, size);
    simt_check_written(pointer, size, NULL);
    open_at(pointer, PROT_NONE);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *pointer, int value, size_t size)
{
    SIMT_API;
    return set_memory(pointer, value, size, "cudaMemset", CALLER);
}

static cudaError_t bad_stream(void)
{
    return simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t size,
                            enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct copy copy = {destination, source, size, size, size, 1, kind};
    SIMT_API;
    return simt_stream_exists(stream) ? copy_memory(&copy, "cudaMemcpyAsync", CALLER)
                                      : bad_stream();
}

cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source,
                              size_t source_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct copy copy = {destination, source, destination_pitch, source_pitch, width,
                              height,      kind};
    SIMT_API;
    return simt_stream_exists(stream) ? copy_memory(&copy, "cudaMemcpy2DAsync", CALLER)
                                      : bad_stream();
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream)
{
    SIMT_API;
    return simt_stream_exists(stream) ? set_memory(pointer, value, size, "cudaMemsetAsync", CALLER)
                                      : bad_stream();
}
