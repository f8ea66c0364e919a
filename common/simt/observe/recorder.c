#include "observe/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "observe/observer.h"

struct simt_event *simt_trace_events;
struct simt_traces simt_traces;
uint64_t simt_trace_depths[SIMT_MAX_BLOCK_THREADS];
struct simt_watcher simt_watcher;
bool simt_watched;

/* What a key starts from, to which a hook adds a return address as it is: what makes a place of it
 * is in here. */
static uint64_t outermost(void)
{
    extern const char __executable_start[];
    return ((uint64_t)0xffff << EVENT_DEPTH_SHIFT) -
           ((uint64_t)(uintptr_t)__executable_start << EVENT_PLACE_SHIFT);
}

void simt_trace_start_launch(const struct simt_launch *launch)
{
    if (!simt_trace_events) {
        size_t bytes = (size_t)SIMT_WARP_SIZE * TRACE_STRIDE * sizeof *simt_trace_events;
        simt_trace_events = simt_needed(malloc(bytes), "the analysis");
    }
    simt_recorder.interleaved = launch->interleaved;
    simt_recorder.lane = -1;
    simt_tracing = simt_observer.start_launch(launch);
    simt_listening = simt_tracing || simt_recorder.interleaved;
}

void simt_trace_end_launch(const struct simt_launch *launch)
{
    simt_observer.end_launch(launch);
    simt_tracing = simt_listening = simt_recorder.interleaved = false;
    simt_recorder.lane = -1;
    simt_recorder.next = simt_recorder.end = NULL;
    simt_recorder.depth = outermost();
}

void simt_trace_start_block(size_t number, unsigned int threads)
{
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        simt_traces.begin[i] = simt_traces.end[i] = simt_trace_buffer(i);
        simt_traces.full[i] = simt_trace_buffer(i) + TRACE_EVENTS;
    }
    simt_traces.filled = 0;
    simt_traces.stretch_count = 0;
    memset(simt_traces.warp_in_order, 0, sizeof simt_traces.warp_in_order);
    for (unsigned int i = 0; i < threads; i++) {
        simt_trace_depths[i] = outermost();
    }
    simt_observer.start_block(number, threads);
}

void simt_trace_check(void)
{
    unsigned int lane = (unsigned int)simt_recorder.lane;
    if (simt_recorder.lane >= 0 && simt_recorder.next > simt_traces.begin[lane]) {
        simt_traces.end[lane] = simt_recorder.next;
        simt_traces.filled |= (uint32_t)1 << lane;
    }
    simt_observer.check_in_order(&simt_traces, simt_recorder.thread / SIMT_WARP_SIZE);
    simt_traces.in_order = true;
    simt_traces.stretch_count = 0;
}

/* Only loads, of a word or two: a loop that waits for one to change. */
bool simt_trace_polls(unsigned int lane)
{
    uint64_t words[2] = {0, 0};
    unsigned int count = 0;
    for (const struct simt_event *event = simt_traces.begin[lane]; event < simt_traces.end[lane];
         event++) {
        if (event_kind(event) == EVENT_BLOCK || event_kind(event) == EVENT_FENCE) {
            continue;
        }
        if (event_kind(event) != EVENT_LOAD) {
            return false;
        }
        if ((count < 1 || event->address != words[0]) &&
            (count < 2 || event->address != words[1])) {
            if (count == 2) {
                return false;
            }
            words[count++] = event->address;
        }
    }
    return count > 0;
}

void simt_trace_drain(unsigned int cut)
{
    simt_observer.replay(&simt_traces, simt_recorder.thread / SIMT_WARP_SIZE, cut);
    simt_traces.stretch_count = 0;
    if (!simt_traces.filled) {
        memcpy(simt_traces.end, simt_traces.begin, sizeof simt_traces.end);
        return;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        struct simt_event *start = simt_trace_buffer(i);
        if (simt_traces.filled >> i & 1) {
            size_t left = (size_t)(simt_traces.end[i] - simt_traces.begin[i]);
            memmove(start, simt_traces.begin[i], left * sizeof *start);
            simt_traces.end[i] = start + left;
        } else {
            simt_traces.end[i] = start;
        }
        simt_traces.begin[i] = start;
    }
}

unsigned int simt_trace_with_room(unsigned int lanes)
{
    unsigned int with_room = 0;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        if (lanes >> i & 1 && simt_traces.end[i] - simt_traces.begin[i] < TRACE_EVENTS) {
            with_room |= 1u << i;
        }
    }
    return with_room;
}

const struct simt_event *simt_trace_last(void)
{
    return simt_recorder.lane >= 0 && simt_recorder.next > simt_traces.begin[simt_recorder.lane]
               ? simt_recorder.next - 1
               : NULL;
}

void simt_trace_forget_block(void)
{
    const struct simt_event *last = simt_tracing ? simt_trace_last() : NULL;
    if (last && event_kind(last) == EVENT_BLOCK) {
        simt_recorder.next--;
        simt_recorder.end = simt_watched ? simt_recorder.next : simt_recorder.end;
    }
}
