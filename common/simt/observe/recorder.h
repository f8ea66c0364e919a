/* The events that the lanes of the running warp have recorded and that are not processed yet.
 *
 * Code compiled with the flags of simt.cmake calls a function of machine/hooks.c at the start of
 * every basic block and before every access to memory. While a launch is analysed, these append an
 * event to the running lane's trace. The runtime adds events for its own calls (barriers, atomics,
 * ...). When the lanes of a warp cannot continue, the machine drains the traces: the observer
 * processes all 32 of them together (count/replay.c). */
#ifndef SIMT_RECORDER_H
#define SIMT_RECORDER_H

#include "base/own.h"
#include "observe/event.h"
#include "observe/watcher.h"

/* Lane i's events are in [begin[i], end[i]). There is one set of traces, for the running warp. */
enum {
    TRACE_EVENTS = 512,
    TRACE_STRIDE = TRACE_EVENTS + 4, /* not a power of two: cache sets */
    TRACE_STRETCHES = 1024,
    TRACE_WARPS = SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE
};
struct simt_traces {
    struct simt_event *begin[SIMT_WARP_SIZE], *end[SIMT_WARP_SIZE];
    struct simt_event *full[SIMT_WARP_SIZE]; /* the limit of end[i] */
    uint32_t filled;                         /* the lanes that have events */
    /* For a warp that is checked in order: the order in which lanes ran since the last check. Each
     * entry is the end of a trace at that time. */
    bool in_order;
    unsigned int stretch_count;
    const struct simt_event *stretches[TRACE_STRETCHES]; /* the buffer identifies the lane */
    bool warp_in_order[TRACE_WARPS];                     /* per warp of the block */
    /* While a warp is checked, lane i is at at[i] + ahead; earlier events are done. Lanes in
     * `together` do their next events together, the lowest first; 0: one lane does. NULL: no
     * check. */
    const struct simt_event *const *at;
    size_t ahead;
    uint32_t together;
};

extern struct simt_traces simt_traces;
/* SIMT_WARP_SIZE buffers of TRACE_STRIDE events, and the same number of simt_stored. */
extern struct simt_event *simt_trace_events;
/* The result of a shuffle from a lane that the mask leaves out: as a float, a NaN. */
#define SIMT_UNDEFINED_4 UINT64_C(0x7fc0dead)
#define SIMT_UNDEFINED_8 UINT64_C(0x7ff8deaddeaddead)
extern bool simt_any_undefined; /* a shuffle has returned such a value */

/* Extra data of a store's event. */
struct simt_stored {
    uint64_t value; /* for 16 bytes, a hash */
    uint64_t order; /* 0: unknown; else 2 * its number among stores, + 1 if it changed nothing */
};
_Static_assert(sizeof(struct simt_stored) == sizeof(struct simt_event), "one behind the other");
static inline struct simt_stored *simt_trace_stored(const struct simt_event *event)
{
    return (struct simt_stored *)event + (size_t)SIMT_WARP_SIZE * TRACE_STRIDE;
}
static inline struct simt_event *simt_trace_buffer(unsigned int lane)
{
    return simt_trace_events + (size_t)lane * TRACE_STRIDE;
}

/* Call depths of the threads that do not run. */
extern uint64_t simt_trace_depths[SIMT_MAX_BLOCK_THREADS];

/* A launch or a block starts or ends; the observer is told. */
void simt_trace_start_launch(const struct simt_launch *launch);
void simt_trace_end_launch(const struct simt_launch *launch);
void simt_trace_start_block(size_t number, unsigned int threads);

/* Checks everything in the traces now, and what follows, in the order in which it was recorded. */
void simt_trace_check(void);

/* The last event is a store, which comes next. */
void simt_trace_before_store(void);
/* The store is done. */
void simt_trace_after_store(void);
/* The lane's store races with an earlier one by `other`, of its warp, or by a thread of another
 * warp (other_lane = SIMT_WARP_SIZE). True if both are known to store the same value. */
bool simt_trace_stores_same(unsigned int lane, unsigned int other_lane);

/* The running lane stops, or continues. Between the two calls, another lane or the runtime may read
 * the traces. */
static inline void simt_trace_pause(void)
{
    struct simt_hook_state *recorder = &simt_recorder;
    unsigned int lane = (unsigned int)recorder->lane;
    if (recorder->lane < 0) {
        return;
    }
    if (simt_watched) {
        simt_watcher.pause();
    }
    if (recorder->stored) {
        simt_trace_after_store();
    }
    if (recorder->next > simt_traces.begin[lane]) {
        simt_traces.end[lane] = recorder->next;
        simt_traces.filled |= (uint32_t)1 << lane;
        if (simt_traces.in_order) {
            simt_traces.stretches[simt_traces.stretch_count++] = recorder->next;
            if (simt_traces.stretch_count == TRACE_STRETCHES) {
                simt_trace_check();
            }
        }
    }
    simt_trace_depths[recorder->thread] = recorder->depth;
    recorder->lane = -1;
    recorder->next = recorder->end = NULL;
}

static inline void simt_trace_resume(unsigned int thread)
{
    struct simt_hook_state *recorder = &simt_recorder;
    unsigned int lane = thread % SIMT_WARP_SIZE;
    recorder->lane = (int)lane;
    recorder->thread = thread;
    simt_traces.in_order = simt_traces.warp_in_order[thread / SIMT_WARP_SIZE];
    recorder->depth = simt_trace_depths[thread];
    recorder->next = simt_traces.end[lane];
    recorder->end = recorder->interleaved || simt_watched ? recorder->next : simt_traces.full[lane];
}

/* Replays the running warp's traces; no lane runs. `cut`: see simt_observer. */
void simt_trace_drain(unsigned int cut);
/* The lanes of this set whose traces are not full. */
unsigned int simt_trace_with_room(unsigned int lanes);
/* What a lane's trace shows: it changes memory; it only reads; or it reads only one or two words,
 * like a loop that waits for a plain variable. `range` grows to all that is read. */
enum simt_idling { SIMT_WORKS, SIMT_READS, SIMT_POLLS };
struct simt_read {
    uint64_t low, high;
};
enum simt_idling simt_trace_idling(unsigned int lane, struct simt_read *range);
/* The place of the lane's loop: the first line at the outermost depth. `word`: the only word that
 * it reads there, or NULL. */
uint32_t simt_trace_loop(unsigned int lane, const void **word);
/* The last event of the running lane, or NULL. */
const struct simt_event *simt_trace_last(void);
/* Removes the last event if it is a basic block: that block is not in the source. */
void simt_trace_forget_block(void);

#endif
/* SPDX-License-Identifier: MIT */
