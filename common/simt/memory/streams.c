#include "memory/streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "base/own.h"
#include "cuda/cuda_runtime_api.h"
#include "memory/devices.h"
#include "memory/memory.h"
#include "program/source.h"

enum { MOST_PENDING = 1024 /* operations; the oldest beyond that count as done */ };

/* A stream that exists, or an ended one with operations that may be pending. */
struct timeline {
    const void *handle; /* NULL: it was destroyed (or the default stream) */
    int device;
    bool blocking, ended;
    uint64_t turn;              /* operations begun */
    struct simt_progress known; /* per timeline, what is done before the next operation */
};
static struct timeline *timelines;
static size_t timeline_count, timeline_capacity;

static struct simt_progress host; /* what it knows to be done */

static struct simt_operation *latest;
static size_t pending;
static uint64_t first_number, last_number;
static bool several; /* more than one stream has pending operations */

/* ---- progress ---- */

static uint64_t turn_of(const struct simt_progress *progress, size_t timeline)
{
    return timeline < progress->count ? progress->turns[timeline] : 0;
}

static void advance(struct simt_progress *progress, size_t timeline, uint64_t turn)
{
    if (timeline >= progress->count) {
        size_t count = timeline_count > timeline ? timeline_count : timeline + 1;
        progress->turns =
            simt_needed(realloc(progress->turns, count * sizeof *progress->turns), "streams");
        memset(progress->turns + progress->count, 0,
               (count - progress->count) * sizeof *progress->turns);
        progress->count = count;
    }
    if (progress->turns[timeline] < turn) {
        progress->turns[timeline] = turn;
    }
}

static void add(struct simt_progress *progress, const struct simt_progress *more)
{
    for (size_t i = 0; i < more->count; i++) {
        if (more->turns[i]) {
            advance(progress, i, more->turns[i]);
        }
    }
}

/* Adds all operations of the timeline, and all before them. */
static void add_timeline(struct simt_progress *progress, size_t timeline)
{
    add(progress, &timelines[timeline].known);
    advance(progress, timeline, timelines[timeline].turn);
}

static void forget(struct simt_progress *progress)
{
    free(progress->turns);
    *progress = (struct simt_progress){0};
}

/* ---- streams ---- */

static size_t add_one(const void *handle, int device, bool blocking)
{
    timelines =
        simt_with_room(timelines, timeline_count, &timeline_capacity, sizeof *timelines, "streams");
    timelines[timeline_count] =
        (struct timeline){.handle = handle, .device = device, .blocking = blocking};
    return timeline_count++;
}

/* The first timelines: per device, the default stream and cudaStreamPerThread (shared by all host
 * threads). */
static size_t default_of(int device)
{
    return 2 * (size_t)device;
}

static size_t per_thread_of(int device)
{
    return default_of(device) + 1;
}

static size_t first_created(void)
{
    return default_of(simt_device_count());
}

static bool is_default(size_t timeline)
{
    return timeline < first_created() && timeline % 2 == 0;
}

bool simt_stream_is_default(const void *stream)
{
    return !stream || stream == cudaStreamLegacy;
}

static void prepare(void)
{
    for (int device = 0; timeline_count < first_created(); device++) {
        add_one(NULL, device, true);
        add_one(cudaStreamPerThread, device, true);
    }
}

void simt_stream_begins(const void *stream, bool blocking)
{
    prepare();
    /* Reuse an ended stream's slot if all its operations are done. */
    for (size_t i = first_created(); i < timeline_count; i++) {
        struct timeline *timeline = &timelines[i];
        if (timeline->ended && turn_of(&host, i) >= timeline->turn) {
            timeline->handle = stream;
            timeline->device = simt_own.device;
            timeline->blocking = blocking;
            timeline->ended = false;
            forget(&timeline->known);
            return;
        }
    }
    add_one(stream, simt_own.device, blocking);
}

static size_t timeline_of(const void *stream)
{
    prepare();
    if (stream == cudaStreamPerThread) {
        return per_thread_of(simt_own.device);
    }
    for (size_t i = first_created(); i < timeline_count; i++) {
        if (!timelines[i].ended && timelines[i].handle == stream) {
            return i;
        }
    }
    return default_of(simt_own.device);
}

void simt_stream_ends(const void *stream)
{
    size_t timeline = timeline_of(stream);
    if (timeline >= first_created()) {
        timelines[timeline].ended = true;
    }
}

/* Adds what must be done before the next operation. */
static void arrive_at(size_t number)
{
    struct timeline *timeline = &timelines[number];
    add(&timeline->known, &host);
    if (is_default(number)) {
        for (size_t i = 0; i < timeline_count; i++) {
            if (i != number && timelines[i].blocking && timelines[i].device == timeline->device) {
                add_timeline(&timeline->known, i);
            }
        }
    } else if (timeline->blocking) {
        add_timeline(&timeline->known, default_of(timeline->device));
    }
    advance(&timeline->known, number, timeline->turn);
}

static size_t arrive(const void *stream)
{
    size_t number = timeline_of(stream);
    arrive_at(number);
    return number;
}

/* ---- operations ---- */

/* Operations that the host knows to be done are dropped: everything later comes after them. */
static void drop_operations(void)
{
    struct simt_operation **link = &latest;
    size_t kept = 0;
    several = false;
    while (*link) {
        struct simt_operation *operation = *link;
        if (operation->turn <= turn_of(&host, operation->timeline) || kept >= MOST_PENDING) {
            *link = operation->next;
            free(operation);
        } else {
            several = several || operation->timeline != latest->timeline;
            first_number = operation->number;
            link = &operation->next;
            kept++;
        }
    }
    pending = kept;
}

struct simt_operation *simt_operation_begin(const void *stream, const char *name)
{
    struct simt_operation *operation = simt_needed(calloc(1, sizeof *operation), "streams");
    size_t timeline = arrive(stream);
    if (++pending > 2 * MOST_PENDING) {
        drop_operations();
    }
    operation->number = ++last_number;
    first_number = latest ? first_number : last_number;
    several = several || (latest && latest->timeline != timeline);
    operation->timeline = timeline;
    operation->turn = ++timelines[timeline].turn;
    operation->name = name;
    operation->next = latest;
    latest = operation;
    return operation;
}

const struct simt_operation *simt_operations(void)
{
    return latest;
}

uint64_t simt_operations_first(void)
{
    return first_number;
}

bool simt_operations_of_several(void)
{
    return several || (latest && latest->early);
}

bool simt_operation_unordered(const struct simt_operation *earlier)
{
    if (earlier->timeline == latest->timeline) {
        return latest->early && earlier->file && earlier->turn + 1 == latest->turn;
    }
    return earlier->turn > turn_of(&timelines[latest->timeline].known, earlier->timeline);
}

const struct simt_operation *simt_operation_find(uint64_t number)
{
    const struct simt_operation *operation = latest;
    while (operation && operation->number > number) {
        operation = operation->next;
    }
    return operation && operation->number == number ? operation : NULL;
}

/* ---- events and the host ---- */

void simt_stream_record(const void *stream, struct simt_progress *event)
{
    size_t timeline = arrive(stream);
    forget(event);
    add_timeline(event, timeline);
}

void simt_stream_waits(const void *stream, const struct simt_progress *event)
{
    add(&timelines[arrive(stream)].known, event);
}

void simt_host_waits(const void *stream)
{
    add_timeline(&host, arrive(stream));
    drop_operations();
    simt_memory_host_waited();
}

void simt_host_waits_for_event(const struct simt_progress *event)
{
    prepare();
    add(&host, event);
    drop_operations();
    simt_memory_host_waited();
}

void simt_devices_meet(int device, int other)
{
    const size_t a = default_of(device), b = default_of(other);
    prepare();
    arrive_at(a);
    arrive_at(b);
    add(&timelines[a].known, &timelines[b].known);
    add(&timelines[b].known, &timelines[a].known);
}

void simt_host_waits_for_device(int device)
{
    for (size_t i = 0; i < timeline_count; i++) {
        if (timelines[i].device == device) {
            add_timeline(&host, i); /* and what it waits for on another device */
        }
    }
    drop_operations();
    simt_memory_host_waited();
}

void simt_streams_reset(int device)
{
    simt_host_waits_for_device(device);
    for (size_t i = 0; i < timeline_count; i++) {
        if (timelines[i].device == device) {
            forget(&timelines[i].known);
        }
    }
}

/* ---- memory ---- */

static uint64_t end_of(const struct simt_piece *piece)
{
    return piece->address + (piece->height - 1) * piece->pitch + piece->width;
}

bool simt_piece_has(const struct simt_piece *piece, uint64_t address, size_t size)
{
    uint64_t first;
    if (piece->height == 0 || address + size <= piece->address || address >= end_of(piece)) {
        return false;
    }
    if (address <= piece->address) {
        return true;
    }
    first = (address - piece->address) % piece->pitch;
    return first < piece->width || first + size > piece->pitch;
}

bool simt_pieces_meet(const struct simt_piece *a, const struct simt_piece *b)
{
    if (a->height == 0 || b->height == 0) {
        return false;
    }
    if (a->height == 1) {
        return simt_piece_has(b, a->address, a->width);
    }
    for (size_t row = 0; row < a->height; row++) {
        if (simt_piece_has(b, a->address + row * a->pitch, a->width)) {
            return true;
        }
    }
    return false;
}

void simt_operation_tell(FILE *file, const struct simt_operation *operation)
{
    const struct simt_source *source;
    if (operation->file) {
        fprintf(file, "kernel %s (launched at %s:%d)", operation->name, operation->file,
                operation->line);
        return;
    }
    source = simt_source_of(simt_place_of(operation->caller));
    fprintf(file, "%s()", operation->name);
    if (source->line > 0) {
        fprintf(file, " at %s:%d", source->file, source->line);
    }
}
/* SPDX-License-Identifier: MIT */
