#include "observe/recorder.h"

#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "observe/observer.h"
#include "program/source.h"
#include "program/symbols.h"

struct simt_event *simt_trace_events;
struct simt_traces simt_traces;
uint64_t simt_trace_depths[SIMT_MAX_BLOCK_THREADS];
struct simt_watcher simt_watcher;
bool simt_watched;

/* The start of a key. A hook adds its return address unchanged; the constant subtracted here turns
 * that into a place. */
static uint64_t outermost(void)
{
    extern const char __executable_start[];
    return ((uint64_t)0xffff << EVENT_DEPTH_SHIFT) -
           ((uint64_t)(uintptr_t)__executable_start << EVENT_PLACE_SHIFT);
}

void simt_trace_start_launch(const struct simt_launch *launch)
{
    if (!simt_trace_events) {
        size_t bytes = (size_t)2 * SIMT_WARP_SIZE * TRACE_STRIDE * sizeof *simt_trace_events;
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

/* ---- values that are stored ---- */

/* One load of the store's size: any other would wait until the store reaches the cache. */
static inline uint64_t word_at(const void *at, unsigned int size)
{
    typedef uint16_t two __attribute__((aligned(1), may_alias));
    typedef uint32_t four __attribute__((aligned(1), may_alias));
    typedef uint64_t eight __attribute__((aligned(1), may_alias));
    return size == 1   ? *(const unsigned char *)at
           : size == 2 ? *(const two *)at
           : size == 4 ? *(const four *)at
                       : *(const eight *)at;
}

static inline void what_is_at(uint64_t address, unsigned int size, uint64_t words[2])
{
    const char *at = (const char *)(uintptr_t)address;
    words[0] = word_at(at, size);
    words[1] = size > 8 ? word_at(at + 8, 8) : 0;
}

bool simt_any_undefined;

void simt_trace_before_store(void)
{
    struct simt_hook_state *recorder = &simt_recorder;
    const struct simt_event *event = recorder->next - 1;
    if (recorder->stored) {
        simt_trace_after_store();
    }
    /* If the address is invalid, this faults instead of the store, which is the last event. */
    what_is_at(event->address, event_size(event), recorder->before);
    recorder->stored = event;
}

void simt_trace_after_store(void)
{
    static uint64_t stores;
    struct simt_hook_state *recorder = &simt_recorder;
    const struct simt_event *event = recorder->stored;
    uint64_t words[2];
    recorder->stored = NULL;
    what_is_at(event->address, event_size(event), words);
    if (__builtin_expect(simt_any_undefined || words[0] == SIMT_UNDEFINED_4 ||
                             words[0] == SIMT_UNDEFINED_8,
                         0)) {
        simt_observer.undefined_stored(event, words[0]);
    }
    if (simt_is_of_program(words[0]) || simt_is_of_program(words[1])) {
        simt_observer.pointers_stored(words, sizeof words);
    }
    *simt_trace_stored(event) = (struct simt_stored){
        words[0] ^ words[1] * UINT64_C(0x9e3779b97f4a7c15),
        2 * ++stores + (words[0] == recorder->before[0] && words[1] == recorder->before[1])};
}

static bool is_same_place(const struct simt_event *event, const struct simt_event *store)
{
    return event_kind(event) == EVENT_STORE && event->address == store->address &&
           event_size(event) == event_size(store);
}

/* Any access except for a load. */
static bool changes_part_of(const struct simt_event *event, const struct simt_event *store)
{
    return event_is_access(event) && event_kind(event) != EVENT_LOAD &&
           event->address < store->address + event_size(store) &&
           store->address < event->address + event_size(event);
}

/* The other lane's last checked change of this address; NULL: its trace has none. */
static const struct simt_event *last_change(const struct simt_event *store, unsigned int lane,
                                            unsigned int other)
{
    const struct simt_event *next = simt_traces.at[other] + simt_traces.ahead;
    if (simt_traces.together >> other & 1 && other < lane && changes_part_of(next, store)) {
        return next;
    }
    while (next-- > simt_trace_buffer(other)) {
        if (changes_part_of(next, store)) {
            return next;
        }
    }
    return NULL;
}

/* The first store to it in all traces. NULL: unknown. */
static const struct simt_stored *first_store(const struct simt_event *store)
{
    const struct simt_stored *first = NULL;
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        for (const struct simt_event *event = simt_trace_buffer(lane);
             event < simt_traces.end[lane]; event++) {
            if (changes_part_of(event, store)) {
                const struct simt_stored *stored = simt_trace_stored(event);
                if (!is_same_place(event, store) || !stored->order) {
                    return NULL;
                }
                first = !first || stored->order < first->order ? stored : first;
            }
        }
    }
    return first;
}

bool simt_trace_stores_same(unsigned int lane, unsigned int other_lane)
{
    const struct simt_event *store, *earlier;
    const struct simt_stored *stored, *first;
    if (!simt_traces.at) {
        return false;
    }
    store = simt_traces.at[lane] + simt_traces.ahead;
    stored = simt_trace_stored(store);
    if (event_kind(store) != EVENT_STORE || !stored->order) {
        return false;
    }
    earlier = other_lane < SIMT_WARP_SIZE ? last_change(store, lane, other_lane) : NULL;
    if (earlier) {
        return is_same_place(earlier, store) && simt_trace_stored(earlier)->order &&
               simt_trace_stored(earlier)->value == stored->value;
    }
    /* The other store came before all of these, so the first of them saw its value. */
    first = first_store(store);
    return first && first->order % 2 == 1 && first->value == stored->value;
}

void simt_trace_check(void)
{
    unsigned int lane = (unsigned int)simt_recorder.lane;
    if (simt_recorder.stored) {
        simt_trace_after_store();
    }
    if (simt_recorder.lane >= 0 && simt_recorder.next > simt_traces.begin[lane]) {
        simt_traces.end[lane] = simt_recorder.next;
        simt_traces.filled |= (uint32_t)1 << lane;
    }
    simt_observer.check_in_order(&simt_traces, simt_recorder.thread / SIMT_WARP_SIZE);
    simt_traces.at = NULL;
    simt_traces.in_order = true;
    simt_traces.stretch_count = 0;
}

/* A store of the value that is already there changes nothing. */
static bool changes_nothing(const struct simt_event *event)
{
    const enum simt_event_kind kind = event_kind(event);
    return kind == EVENT_BLOCK || kind == EVENT_LOAD || kind == EVENT_FENCE ||
           kind == EVENT_SYNCWARP || kind == EVENT_COLLECTIVE ||
           (kind == EVENT_STORE && simt_trace_stored(event)->order % 2 == 1);
}

enum simt_idling simt_trace_idling(unsigned int lane, struct simt_read *range)
{
    uint64_t words[2] = {0, 0};
    unsigned int count = 0;
    for (const struct simt_event *event = simt_traces.begin[lane]; event < simt_traces.end[lane];
         event++) {
        if (!changes_nothing(event)) {
            return SIMT_WORKS;
        }
        if (event_kind(event) == EVENT_LOAD && event->address != words[0] &&
            event->address != words[1]) {
            words[count++ % 2] = event->address;
            range->low = event->address < range->low ? event->address : range->low;
            range->high = event->address > range->high ? event->address : range->high;
        }
    }
    return count == 1 || count == 2 ? SIMT_POLLS : SIMT_READS;
}

static uint32_t place_of(const struct simt_event *event)
{
    const uint32_t place = event_place(event);
    return event_kind(event) == EVENT_BLOCK ? simt_observer.branch(place) : place;
}

static int line_of(const struct simt_event *event)
{
    return simt_source_of(place_of(event))->kernel_line;
}

uint32_t simt_trace_loop(unsigned int lane, const void **word)
{
    const struct simt_event *first = NULL;
    uint64_t only = 0;
    bool several = false;
    for (const struct simt_event *event = simt_traces.begin[lane]; event < simt_traces.end[lane];
         event++) {
        if (event_kind(event) == EVENT_LOAD) {
            several = several || (only && event->address != only);
            only = event->address;
        }
        if (!first || event_depth(event) < event_depth(first) ||
            (event_depth(event) == event_depth(first) && line_of(event) < line_of(first))) {
            first = event;
        }
    }
    *word = several ? NULL : (const void *)(uintptr_t)only;
    return first ? place_of(first) : 0;
}

void simt_trace_drain(unsigned int cut)
{
    simt_observer.replay(&simt_traces, simt_recorder.thread / SIMT_WARP_SIZE, cut);
    simt_traces.at = NULL;
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
            memmove(simt_trace_stored(start), simt_trace_stored(simt_traces.begin[i]),
                    left * sizeof *start);
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
/* SPDX-License-Identifier: MIT */
