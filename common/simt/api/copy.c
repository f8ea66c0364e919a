/* The host API of memory: copies and fills. */
#include <stdio.h>
#include <string.h>

#include "api/graphs.h"
#include "base/own.h"
#include "memory/devices.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "observe/observer.h"
#include "program/symbols.h"

#define CALLER __builtin_return_address(0)

void simt_copy(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
}

static char *symbol_base(const volatile void *address, size_t size)
{
    char *base = (char *)(uintptr_t)address;
    if (!simt_region_find(base)) {
        simt_region_add((struct simt_region){
            .base = base, .size = size, .kind = REGION_SYMBOL, .device = simt_own.device});
    }
    return base;
}

void *simt_symbol(const volatile void *address, size_t symbol_size, size_t offset, size_t size)
{
    SIMT_API;
    char *base = symbol_base(address, symbol_size);
    simt_region_find(base)->made = (struct simt_call){"cudaGetSymbolAddress", CALLER};
    return offset <= symbol_size && size <= symbol_size - offset ? base + offset : NULL;
}

/* Why [address, address + size) may not be copied, in words; NULL if it may. Allowed: bytes inside
 * one region, or the host's own memory. `kind_says_device`: the copy's direction says device. */
static const char *trouble(const void *address, size_t size, bool kind_says_device, bool any_place)
{
    static char text[SIMT_REASON];
    const struct simt_region *region = simt_region_find(address);
    const size_t left = region ? region->size - (size_t)((const char *)address - region->base) : 0;
    if (!address) {
        return "is a null pointer";
    }
    if (kind_says_device && !any_place && simt_memory_is_address_of_host(address)) {
        return "is a variable of the device by its address on the host: use cudaMemcpyToSymbol() "
               "or cudaMemcpyFromSymbol(), or what cudaGetSymbolAddress() gives";
    }
    if (region && size <= left) {
        return NULL;
    }
    if (region) {
        char made[SIMT_REASON];
        simt_call_describe(&region->made, made, sizeof made);
        snprintf(text, sizeof text, "ends %zu bytes past the end of a %zu-byte allocation%.200s",
                 size - left, region->size, made);
        return text;
    }
    if (simt_memory_is_device(address) || simt_memory_is_of_host(address)) {
        strcpy(text, "is ");
        simt_memory_describe(address, text + 3, sizeof text - 3);
        return text;
    }
    if (simt_is_variable((uintptr_t)address, true)) {
        return NULL;
    }
    return kind_says_device ? "is memory of the host, where memory of the device must be" : NULL;
}

static const char *const kinds[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                    "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                    "cudaMemcpyDefault"};

struct copy {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, width, height;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
    bool waits;     /* the function returns only when the copy is done */
    bool any_place; /* also a variable whose address was never asked for */
};

/* Pageable host memory. Streams cannot use it while the host continues, so it is copied at once. */
static bool is_pageable(const void *address)
{
    return !simt_region_find(address);
}

static bool is_of_device(const void *address)
{
    const struct simt_region *region = simt_region_find(address);
    return region && (region->kind == REGION_DEVICE || region->kind == REGION_SYMBOL);
}

/* A copy between two devices in the default stream is ordered after all earlier work of both
 * devices, and before all later work. */
static void meet_others(const struct copy *copy)
{
    const struct simt_region *to = simt_region_find(copy->to), *from = simt_region_find(copy->from);
    if (!is_of_device(copy->to) || !is_of_device(copy->from) || to->device == from->device ||
        !simt_stream_is_default(copy->stream)) {
        return;
    }
    simt_devices_meet(simt_own.device, to->device);
    simt_devices_meet(simt_own.device, from->device);
}

/* Notes a direction that says host if the memory is the device's. */
static void note_way(char *text, size_t size, const struct copy *copy)
{
    const bool from_host =
        copy->kind == cudaMemcpyHostToDevice || copy->kind == cudaMemcpyHostToHost;
    const bool to_host = copy->kind == cudaMemcpyDeviceToHost || copy->kind == cudaMemcpyHostToHost;
    const bool wrong_from = from_host && is_of_device(copy->from);
    if (wrong_from || (to_host && is_of_device(copy->to))) {
        snprintf(text, size, "wrong direction: %s, but the %s is memory of the device",
                 kinds[copy->kind], wrong_from ? "source" : "destination");
    }
}

/* The host waits for a synchronous copy to or from its own memory. It always waits for a copy to
 * pageable memory. */
static void copy_in_order(const struct copy *copy, const char *function, const void *caller)
{
    struct simt_operation *operation;
    bool between = is_of_device(copy->to) && is_of_device(copy->from);
    meet_others(copy);
    operation = simt_operation_begin(copy->stream, function);
    operation->caller = caller;
    operation->to =
        (struct simt_piece){(uintptr_t)copy->to, copy->to_pitch, copy->width, copy->height};
    if (!is_pageable(copy->from)) {
        operation->from =
            (struct simt_piece){(uintptr_t)copy->from, copy->from_pitch, copy->width, copy->height};
    }
    note_way(operation->wrong_way, sizeof operation->wrong_way, copy);
    operation->source = (const unsigned char *)copy->from;
    operation->source_pitch = copy->from_pitch;
    simt_observer.operation();
    meet_others(copy);
    if ((copy->waits && !between) || is_pageable(copy->to)) {
        simt_host_waits(copy->stream);
    }
}

static cudaError_t capture_copy(const struct copy *copy, const char *function, const void *caller)
{
    const struct simt_work work = {
        .type = cudaGraphNodeTypeMemcpy,
        .function = function,
        .caller = caller,
        .to = {copy->to, copy->to_pitch, copy->width, copy->height},
        .from = {(char *)(uintptr_t)copy->from, copy->from_pitch, copy->width, copy->height},
        .kind = copy->kind,
    };
    return simt_capture(copy->stream, &work);
}

/* Next to pinned or managed memory a GPU's copy may succeed, so this is also a finding. */
static cudaError_t refuse(const struct copy *copy, const char *function, const void *caller,
                          const char *end, const char *trouble)
{
    const void *address = end[0] == 'd' ? copy->to : copy->from;
    const char *way = "";
    if (copy->kind == cudaMemcpyHostToDevice && !is_of_device(copy->to) &&
        is_of_device(copy->from)) {
        way = "; this way is cudaMemcpyDeviceToHost";
    } else if (copy->kind == cudaMemcpyDeviceToHost && is_of_device(copy->to) &&
               !is_of_device(copy->from)) {
        way = "; this way is cudaMemcpyHostToDevice";
    }
    if (simt_memory_is_of_host(address) && !simt_region_find(address)) {
        struct simt_operation *operation = simt_operation_begin(copy->stream, function);
        operation->caller = caller;
        snprintf(operation->wrong_way, sizeof operation->wrong_way, "the %s %s", end, trouble);
        simt_observer.operation();
    }
    return simt_call_failed(function, caller, cudaErrorInvalidValue, "%s: the %s %s%s",
                            kinds[copy->kind], end, trouble, way);
}

static void note_filled(const void *to, size_t bytes)
{
    struct simt_region *region = simt_region_find(to);
    if (region) {
        region->filled = simt_call_now;
        region->filled_bytes = bytes;
    }
}

static cudaError_t copy_memory(const struct copy *copy, const char *function, const void *caller)
{
    enum cudaMemcpyKind kind = copy->kind;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    const char *to_trouble, *from_trouble;
    size_t to_size, from_size;
    cudaError_t error;
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
    if (simt_captures(copy->stream)) {
        return capture_copy(copy, function, caller);
    }
    error = simt_capture_forbids_work(copy->stream, function, caller);
    if (error != cudaSuccess) {
        return error;
    }
    if (copy->width > copy->to_pitch || copy->width > copy->from_pitch) {
        return simt_call_failed(function, caller, cudaErrorInvalidPitchValue,
                                "a row is wider than the pitch");
    }
    to_size = (copy->height - 1) * copy->to_pitch + copy->width;
    from_size = (copy->height - 1) * copy->from_pitch + copy->width;
    to_trouble = trouble(copy->to, to_size, to_device, copy->any_place);
    from_trouble = trouble(copy->from, from_size, from_device, copy->any_place);
    if (to_trouble || from_trouble) {
        return refuse(copy, function, caller, to_trouble ? "destination" : "source",
                      to_trouble ? to_trouble : from_trouble);
    }
    copy_in_order(copy, function, caller);
    simt_memory_unguard();
    if (simt_region_find(copy->from)) {
        simt_region_look(simt_region_find(copy->from));
    }
    simt_region_open_part(copy->from, from_size, SIMT_READ);
    simt_region_open_part(copy->to, to_size, SIMT_WRITTEN);
    for (size_t row = 0; row < copy->height; row++) {
        char *to = copy->to + row * copy->to_pitch;
        const char *from = copy->from + row * copy->from_pitch;
        memmove(to, from, copy->width);
        simt_observer.written(to, copy->width, from);
    }
    simt_region_open_part(copy->to, to_size, SIMT_CLOSED);
    simt_region_open_part(copy->from, from_size, SIMT_CLOSED);
    note_filled(copy->to, copy->width * copy->height);
    if (!copy->waits) {
        simt_memory_guard();
    }
    return cudaSuccess;
}

cudaError_t simt_copy_memory(const struct simt_rows *to, const struct simt_rows *from,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waits,
                             const char *function, const void *caller)
{
    const struct copy copy = {to->first,  from->first, to->pitch, from->pitch, to->width,
                              to->height, kind,        stream,    waits,       true};
    return simt_stream_exists(stream) ? copy_memory(&copy, function, caller)
                                      : simt_error(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source,
                         size_t source_pitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const struct copy copy = {
        destination, source, destination_pitch, source_pitch, width, height, kind, NULL,
        true,        false};
    SIMT_CALL;
    return copy_memory(&copy, "cudaMemcpy2D", CALLER);
}

cudaError_t cudaMemcpy(void *destination, const void *source, size_t size, enum cudaMemcpyKind kind)
{
    const struct copy copy = {destination, source, size, size, size, 1, kind, NULL, true, false};
    SIMT_CALL;
    return copy_memory(&copy, "cudaMemcpy", CALLER);
}

struct fill {
    char *to;
    unsigned int value; /* of elements of `element` bytes; 0 means 1 */
    size_t pitch, width, height;
    cudaStream_t stream;
    unsigned int element;
};

static void fill_row(char *to, const struct fill *fill)
{
    if (fill->element <= 1) {
        memset(to, (int)fill->value, fill->width);
        return;
    }
    for (size_t i = 0; i < fill->width; i += fill->element) {
        memcpy(to + i, &fill->value, fill->element); /* little-endian: the low bytes come first */
    }
}

/* The latest fills of device memory. Benchmarks fill a buffer before each launch to flush the
 * caches. If no write was possible since the last fill, the buffer still has its values. */
static struct {
    struct fill fill;
    uint64_t changed; /* the last time when that memory could be written */
} filled[4];
static unsigned int next_filled;

static bool is_filled(const struct fill *fill)
{
    const uint64_t changed = simt_memory_changed(fill->to);
    for (size_t i = 0; i < sizeof filled / sizeof *filled; i++) {
        const struct fill *const other = &filled[i].fill;
        if (other->to == fill->to && filled[i].changed == changed && other->value == fill->value &&
            other->element == fill->element && other->pitch == fill->pitch &&
            other->width == fill->width && other->height == fill->height) {
            return true;
        }
    }
    return false;
}

static void fill_rows(const struct fill *fill, size_t size)
{
    const struct simt_region *region = simt_region_find(fill->to);
    const bool is_device = region && region->kind == REGION_DEVICE;
    const bool is_done = is_device && is_filled(fill);
    if (!is_done) {
        simt_region_open_part(fill->to, size, SIMT_WRITTEN);
        for (size_t row = 0; row < fill->height; row++) {
            fill_row(fill->to + row * fill->pitch, fill);
        }
        simt_region_open_part(fill->to, size, SIMT_CLOSED);
    }
    for (size_t row = 0; row < fill->height; row++) {
        simt_observer.written(fill->to + row * fill->pitch, fill->width, NULL);
    }
    note_filled(fill->to, fill->width * fill->height);
    if (is_device && !is_done) {
        filled[next_filled].fill = *fill;
        filled[next_filled].changed = simt_memory_changed(fill->to);
        next_filled = (next_filled + 1) % (sizeof filled / sizeof *filled);
    }
}

static cudaError_t capture_fill(const struct fill *fill, const char *function, const void *caller)
{
    const struct simt_work work = {
        .type = cudaGraphNodeTypeMemset,
        .function = function,
        .caller = caller,
        .to = {fill->to, fill->pitch, fill->width, fill->height},
        .value = fill->value,
        .element = fill->element,
    };
    return simt_capture(fill->stream, &work);
}

static cudaError_t set_memory(const struct fill *fill, const char *function, const void *caller)
{
    struct simt_operation *operation;
    const char *why;
    size_t size;
    cudaError_t error;
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
    if (simt_captures(fill->stream)) {
        return capture_fill(fill, function, caller);
    }
    error = simt_capture_forbids_work(fill->stream, function, caller);
    if (error != cudaSuccess) {
        return error;
    }
    size = (fill->height - 1) * fill->pitch + fill->width;
    why = trouble(fill->to, size, true, false);
    if (why) {
        return simt_call_failed(function, caller, cudaErrorInvalidValue, "the memory %s", why);
    }
    operation = simt_operation_begin(fill->stream, function);
    operation->caller = caller;
    operation->to =
        (struct simt_piece){(uintptr_t)fill->to, fill->pitch, fill->width, fill->height};
    operation->value = fill->value;
    operation->element = fill->element > 0 ? fill->element : 1;
    simt_observer.operation();
    fill_rows(fill, size);
    return cudaSuccess;
}

cudaError_t simt_fill_memory(const struct simt_rows *to, int value, cudaStream_t stream,
                             const char *function, const void *caller)
{
    return simt_fill_elements(to, (unsigned int)value, 1, stream, function, caller);
}

cudaError_t simt_fill_elements(const struct simt_rows *to, unsigned int value, unsigned int element,
                               cudaStream_t stream, const char *function, const void *caller)
{
    const struct fill fill = {to->first, value, to->pitch, to->width, to->height, stream, element};
    return set_memory(&fill, function, caller);
}

cudaError_t cudaMemset(void *pointer, int value, size_t size)
{
    const struct fill fill = {pointer, (unsigned int)value, size, size, 1, NULL, 1};
    SIMT_CALL;
    return set_memory(&fill, "cudaMemset", CALLER);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t size, cudaStream_t stream)
{
    const struct fill fill = {pointer, (unsigned int)value, size, size, 1, stream, 1};
    SIMT_CALL;
    return set_memory(&fill, "cudaMemsetAsync", CALLER);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width, size_t height)
{
    const struct fill fill = {pointer, (unsigned int)value, pitch, width, height, NULL, 1};
    SIMT_CALL;
    return set_memory(&fill, "cudaMemset2D", CALLER);
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    const struct fill fill = {pointer, (unsigned int)value, pitch, width, height, stream, 1};
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
    const struct copy copy = {destination, source, size, size, size, 1, kind, stream, false, false};
    SIMT_CALL;
    return simt_stream_exists(stream) ? copy_memory(&copy, "cudaMemcpyAsync", CALLER)
                                      : bad_stream();
}

cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source,
                              size_t source_pitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
{
    const struct copy copy = {
        destination, source, destination_pitch, source_pitch, width, height, kind, stream,
        false,       false};
    SIMT_CALL;
    return simt_stream_exists(stream) ? copy_memory(&copy, "cudaMemcpy2DAsync", CALLER)
                                      : bad_stream();
}

cudaError_t simt_copy_symbol(const char *function, const volatile void *symbol, size_t bytes,
                             size_t offset, void *to, const void *from, size_t size,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    SIMT_CALL;
    const size_t shift[] = {to == symbol ? offset : 0, from == symbol ? offset : 0};
    const struct copy copy = {(char *)to + shift[0],
                              (const char *)from + shift[1],
                              size,
                              size,
                              size,
                              1,
                              kind,
                              stream,
                              waits,
                              true};
    simt_call_now.function = function;
    if (offset > bytes || size > bytes - offset) {
        return simt_call_failed(function, CALLER, cudaErrorInvalidValue,
                                "%zu bytes from byte %zu on, of a variable of %zu bytes", size,
                                offset, bytes);
    }
    symbol_base(symbol, bytes);
    return simt_stream_exists(stream) ? copy_memory(&copy, function, CALLER) : bad_stream();
}

/* ---- between devices ---- */

/* Whether the memory is this device's, or no device's. */
static bool is_of(const void *address, int device)
{
    const struct simt_region *region = simt_region_find(address);
    return !region || region->kind != REGION_DEVICE || region->device == device;
}

static cudaError_t copy_peer(const struct copy *copy, int to_device, int from_device,
                             const char *function, const void *caller)
{
    if (!simt_device_exists(to_device) || !simt_device_exists(from_device)) {
        return simt_call_failed(function, caller, cudaErrorInvalidDevice, "there are %d devices",
                                simt_device_count());
    }
    if (!is_of(copy->to, to_device) || !is_of(copy->from, from_device)) {
        const bool to_is = is_of(copy->to, to_device);
        return simt_call_failed(function, caller, cudaErrorInvalidValue,
                                "the %s is not memory of device %d",
                                to_is ? "source" : "destination", to_is ? from_device : to_device);
    }
    return copy_memory(copy, function, caller);
}

cudaError_t cudaMemcpyPeer(void *destination, int to_device, const void *source, int from_device,
                           size_t size)
{
    const struct copy copy = {destination, source, size, size, size, 1, cudaMemcpyDeviceToDevice,
                              NULL,        true,   false};
    SIMT_CALL;
    return copy_peer(&copy, to_device, from_device, "cudaMemcpyPeer", CALLER);
}

cudaError_t cudaMemcpyPeerAsync(void *destination, int to_device, const void *source,
                                int from_device, size_t size, cudaStream_t stream)
{
    const struct copy copy = {destination, source, size, size, size, 1, cudaMemcpyDeviceToDevice,
                              stream,      false,  false};
    SIMT_CALL;
    return simt_stream_exists(stream)
               ? copy_peer(&copy, to_device, from_device, "cudaMemcpyPeerAsync", CALLER)
               : bad_stream();
}
/* SPDX-License-Identifier: MIT */
