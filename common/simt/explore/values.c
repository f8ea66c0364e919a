/* What lanes read and write. A load's value is read where the lane says that it is about to load; a
 * store's is read back when the lane goes on or stops. The replay pairs lanes later: until then, a
 * lane's values wait in a queue, one for each event but those of basic blocks. */
#include <string.h>

#include "explore/explore.h"
#include "machine/machine.h"
#include "observe/recorder.h"

enum { QUEUE = TRACE_STRIDE };
static struct {
    struct explored_value values[QUEUE];
    unsigned int first, count;
} queues[SIMT_WARP_SIZE];

/* What the running lane has yet to do: where the result will be, and which value it becomes. */
static struct {
    struct explored_value *value;
    const void *from;
    unsigned char *to;
    size_t size;
} pending;

void explore_values_start(void)
{
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        queues[lane].first = queues[lane].count = 0;
    }
    pending.value = NULL;
}

/* The access has been made. */
static void finish(void)
{
    if (pending.value) {
        memcpy(pending.to, pending.from, pending.size);
        pending.value->known = true;
        pending.value = NULL;
    }
}

/* Threads that take turns at every access stop before it. */
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

void explore_values_event(const struct simt_event *event)
{
    unsigned int lane = (unsigned int)simt_recorder.lane, size = event_size(event);
    const void *address = (const void *)(uintptr_t)event->address;
    enum simt_event_kind kind = event_kind(event);
    struct explored_value *value;
    finish();
    if (kind == EVENT_BLOCK || queues[lane].count == QUEUE) {
        return;
    }
    value = &queues[lane].values[(queues[lane].first + queues[lane].count++) % QUEUE];
    *value = (struct explored_value){.address = event->address};
    if (kind == EVENT_COLLECTIVE || kind == EVENT_SYNCWARP) {
        const struct simt_thread *self = simt_current;
        value->operation = self->operation;
        value->source = (unsigned char)source_of(self, lane);
        value->size = self->operation == SIMT_MATRIX ? 0 : self->size;
        memcpy(value->bytes, &self->value, sizeof self->value);
        value->known = true; /* what the lane gives; what it gets follows from all lanes' */
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

void explore_values_bulk(uint32_t place, size_t bytes)
{
    unsigned int lane = (unsigned int)simt_recorder.lane;
    finish();
    if (simt_recorder.lane >= 0 && queues[lane].count < QUEUE) {
        queues[lane].values[(queues[lane].first + queues[lane].count++) % QUEUE] =
            (struct explored_value){.is_bulk = true, .place = place, .address = bytes};
    }
}

bool explore_values_take_bulk(unsigned int lane, struct explored_value *value)
{
    *value = queues[lane].values[queues[lane].first];
    if (queues[lane].count == 0 || !value->is_bulk) {
        return false;
    }
    queues[lane].first = (queues[lane].first + 1) % QUEUE;
    queues[lane].count--;
    return true;
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
