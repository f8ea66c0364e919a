/* The values that lanes load and store. The hook reads a load's value just before the load. A
 * store's value is read back when the lane continues or stops. The replay pairs the lanes later.
 * Until then, a lane's values wait in a queue, one per event except for basic blocks. */
#include <string.h>

#include "explore/explore.h"
#include "machine/bulk.h"
#include "machine/cluster.h"
#include "machine/shared.h"
#include "machine/sums.h"
#include "observe/recorder.h"
#include "program/source.h"

enum { QUEUE = TRACE_STRIDE };
static struct {
    struct explored_value values[QUEUE];
    unsigned int first, count;
} queues[SIMT_WARP_SIZE];
static uint64_t numbers[SIMT_WARP_SIZE][QUEUE][EXPLORED_NUMBERS];

/* The running lane's unfinished access: where its result will be, and the value to fill in. */
static struct {
    struct explored_value *value;
    const void *from;
    unsigned char *to;
    size_t size;
} pending;

/* The value of the running lane's last event, for more numbers; NULL: the queue was full. */
static struct explored_value *latest;
static unsigned int running; /* the warp whose values are queued */

void explore_values_start(void)
{
    running = 0;
    latest = NULL;
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        queues[lane].first = queues[lane].count = 0;
    }
    pending.value = NULL;
}

/* The access is complete. */
static void finish(void)
{
    if (pending.value) {
        memcpy(pending.to, pending.from, pending.size);
        pending.value->known = true;
        pending.value = NULL;
    }
}

/* The access will not be performed. */
void explore_values_stop(void)
{
    pending.value = NULL;
    latest = NULL;
}

/* Interleaved threads stop before each access, so that access is not yet complete. */
void explore_values_pause(void)
{
    if (simt_recorder.interleaved) {
        pending.value = NULL;
    } else {
        finish();
    }
}

static unsigned int source_of(const struct simt_thread *thread, unsigned int lane)
{
    return thread->operation >= SIMT_SHUFFLE && thread->operation <= SIMT_SHUFFLE_XOR
               ? simt_collective_source(thread, lane)
               : lane;
}

/* Adds a value to the running lane's queue, with room for its numbers; NULL: the queue is full. */
static struct explored_value *append(void)
{
    unsigned int lane = (unsigned int)simt_recorder.lane, slot;
    unsigned int warp = simt_recorder.thread / SIMT_WARP_SIZE;
    struct explored_value *value;
    if (warp != running) {
        explore_values_leave();
        running = warp;
    }
    if (queues[lane].count == QUEUE) {
        return NULL;
    }
    slot = (queues[lane].first + queues[lane].count++) % QUEUE;
    value = &queues[lane].values[slot];
    *value = (struct explored_value){.numbers = numbers[lane][slot]};
    return value;
}

void explore_values_leave(void)
{
    explore_notes(running);
    explore_values_start();
}

static void add_number(struct explored_value *value, uint64_t number)
{
    value->numbers[value->number_count++] = number;
}

static void add_place(struct explored_value *value, const void *address)
{
    add_number(value, (uintptr_t)address);
    add_number(value, 0);
}

/* The start of a matrix descriptor's tile. */
static const void *tile_of(uint64_t descriptor)
{
    enum { START = 0x3fff, UNIT = 16 };
    return simt_shared_find(simt_described_offset((descriptor & START) * UNIT));
}

/* The lane's part of a tensor core operation. */
static void take_matrix(struct explored_value *value, const struct lane_matrix *matrix)
{
    value->operation = (unsigned char)(EXPLORED_MATRIX + matrix->what);
    if (matrix->what == WGMMA_WAIT) {
        add_number(value, matrix->groups);
    } else if (matrix->what == WGMMA) {
        const struct simt_wgmma_call *call = matrix->wgmma;
        add_number(value, call->columns);
        add_number(value, 256 / simt_element_bits(call->type_a));
        add_place(value, call->a_in_registers ? NULL : tile_of(call->a));
        add_place(value, tile_of(call->b));
    }
}

void explore_values_event(const struct simt_event *event)
{
    unsigned int size = event_size(event);
    const void *address = (const void *)(uintptr_t)event->address;
    enum simt_event_kind kind = event_kind(event);
    struct explored_value *value;
    finish();
    latest = NULL;
    if (kind == EVENT_BLOCK || !(value = append())) {
        return;
    }
    latest = value;
    value->address = event->address;
    if (kind == EVENT_COLLECTIVE &&
        (simt_current->operation == SIMT_MATRIX || simt_current->operation == SIMT_WGMMA)) {
        take_matrix(value, (const struct lane_matrix *)(uintptr_t)simt_current->value);
    } else if (kind == EVENT_COLLECTIVE || kind == EVENT_SYNCWARP) {
        const struct simt_thread *self = simt_current;
        unsigned int lane = (unsigned int)simt_recorder.lane;
        value->operation = self->operation;
        value->source = (unsigned char)source_of(self, lane);
        value->size = self->size;
        memcpy(value->bytes, &self->value, sizeof self->value);
        value->known = true; /* the lane's input; its result follows from all inputs */
    } else if ((kind == EVENT_LOAD || kind == EVENT_ATOMIC) && size <= sizeof value->bytes) {
        memcpy(value->bytes, address, size);
        value->known = true;
    }
    if ((kind == EVENT_STORE || kind == EVENT_COPIED || kind == EVENT_ATOMIC) &&
        size <= (kind == EVENT_ATOMIC ? 8 : sizeof value->bytes)) {
        value->known = false;
        pending.value = value;
        pending.from = address;
        pending.to = value->bytes + (kind == EVENT_ATOMIC ? size : 0);
        pending.size = size;
    }
}

void explore_values_mbarrier(const struct simt_mbarrier_use *use)
{
    if (latest) {
        add_number(latest, use->how);
        add_number(latest, use->before);
        add_number(latest, use->after);
        add_number(latest, use->pending);
        add_number(latest, (uint64_t)use->bytes);
        add_number(latest, use->number);
        latest = NULL;
    }
}

/* ---- actions that are not events ---- */

/* Queues the note after the running lane's events. */
static void add_note(const struct explored_value *note)
{
    struct explored_value *value;
    finish();
    latest = NULL;
    if (simt_recorder.lane < 0) {
        explore_note_now(note);
    } else if ((value = append()) != NULL) {
        uint64_t *room = value->numbers;
        memcpy(room, note->numbers, note->number_count * sizeof *room);
        *value = *note;
        value->numbers = room;
    }
}

void explore_values_copy(const struct simt_bulk_copy *copy)
{
    const bool leaves = !copy->barrier;
    uint64_t room[EXPLORED_NUMBERS];
    struct explored_value note = {
        .note = EXPLORED_BULK, .place = simt_place_of(copy->caller), .numbers = room};
    add_number(&note, copy->number);
    add_number(&note, (uint64_t)simt_bulk_bytes(copy));
    add_number(&note, leaves);
    add_number(&note, strstr(copy->name, "tensor") != NULL);
    add_place(&note, copy->pieces[0].to);
    add_place(&note, leaves ? NULL
                     : copy->barrier->block == simt_block
                         ? copy->barrier->address
                         : simt_cluster_place(copy->barrier->block->rank, copy->barrier->address));
    add_note(&note);
}

void explore_values_copied(const struct simt_bulk_copy *copy, uint64_t phase)
{
    const struct simt_mbarrier *barrier = copy->barrier;
    uint64_t room[EXPLORED_NUMBERS];
    struct explored_value note = {.note = EXPLORED_BULK_END,
                                  .place = simt_place_of(copy->caller),
                                  .numbers = room,
                                  .warp = copy->thread / SIMT_WARP_SIZE};
    add_number(&note, copy->number);
    add_number(&note, phase);
    add_number(&note, barrier ? barrier->phase : 0);
    add_number(&note, barrier ? barrier->pending : 0);
    add_number(&note, barrier ? (uint64_t)barrier->bytes : 0);
    add_place(&note, barrier ? barrier->address : NULL);
    add_note(&note);
}

void explore_values_named(const void *caller, unsigned int number, bool completes, bool waits)
{
    uint64_t room[EXPLORED_NUMBERS];
    struct explored_value note = {
        .note = EXPLORED_NAMED_BARRIER, .place = simt_place_of(caller), .numbers = room};
    add_number(&note, number);
    add_number(&note, completes);
    add_number(&note, waits);
    add_note(&note);
}

void explore_values_deed(enum simt_deed deed, const void *caller, uint64_t number, bool over)
{
    uint64_t room[EXPLORED_NUMBERS];
    struct explored_value note = {
        .note = EXPLORED_DEED, .place = simt_place_of(caller), .numbers = room};
    add_number(&note, deed);
    add_number(&note, over);
    add_number(&note, number);
    add_note(&note);
}

const struct explored_value *explore_values_note(unsigned int lane)
{
    const struct explored_value *first = &queues[lane].values[queues[lane].first];
    return queues[lane].count > 0 && first->note ? first : NULL;
}

void explore_values_take_note(unsigned int lane)
{
    queues[lane].first = (queues[lane].first + 1) % QUEUE;
    queues[lane].count--;
}

struct explored_value explore_values_take(unsigned int lane, const struct simt_event *event)
{
    struct explored_value value = {.known = false};
    if (queues[lane].count == 0 ||
        queues[lane].values[queues[lane].first].address != event->address) {
        return value;
    }
    value = queues[lane].values[queues[lane].first];
    queues[lane].first = (queues[lane].first + 1) % QUEUE;
    queues[lane].count--;
    return value;
}
/* SPDX-License-Identifier: MIT */
