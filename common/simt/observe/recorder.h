/* What the lanes of the running warp have recorded and nobody has looked at yet.
 *
 * Code compiled with the flags of simt.cmake calls a function of machine/hooks.c at the start of
 * every basic block and before every access to memory. While a launch is analysed, these append an
 * event to the running lane's trace; calls that the runtime itself serves (barriers, atomics, ...)
 * add events of their own. When the lanes of a warp can go no further, the machine has the traces
 * drained: the observer goes through all 32 of them together (count/replay.c). */
#ifndef SIMT_RECORDER_H
#define SIMT_RECORDER_H

#include "base/own.h"
#include "observe/event.h"
#include "observe/watcher.h"

/* Lane i's events lie from begin[i] up to end[i]. There is one set of traces, the running
 * warp's. */
enum {
    TRACE_EVENTS = 512,
    TRACE_STRIDE = TRACE_EVENTS + 4, /* not a power of two: cache sets */
    TRACE_STRETCHES = 1024,
    TRACE_WARPS = SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE
};
struct simt_traces {
    struct simt_event *begin[SIMT_WARP_SIZE], *end[SIMT_WARP_SIZE];
    struct simt_event *full[SIMT_WARP_SIZE]; /* where it ends at most */
    uint32_t filled;                         /* the lanes that have events */
    /* If the warp is checked in order: in what order lanes ran since the last check, and where
     * their traces ended then. */
    bool in_order;
    unsigned int stretch_count;
    const struct simt_event *stretches[TRACE_STRETCHES]; /* a lane's buffer tells the lane */
    bool warp_in_order[TRACE_WARPS];                     /* by warp of the block */
    /* While a warp is checked, lane i is at at[i] + ahead: what lies before has been. These lanes
     * do their next events together, the lowest first; 0: one lane does. NULL: none is checked. */
    const struct simt_event *const *at;
    size_t ahead;
    uint32_t together;
};

extern struct simt_traces simt_traces;
/* SIMT_WARP_SIZE buffers of TRACE_STRIDE events, and as many of notes. */
extern struct simt_event *simt_trace_events;
/* What lanes get by a shuffle from a lane that its mask leaves out: as a float, a NaN. */
#define SIMT_UNDEFINED_4 UINT64_C(0x7fc0dead)
#define SIMT_UNDEFINED_8 UINT64_C(0x7ff8deaddeaddead)
extern bool simt_any_undefined; /* a shuffle has given such a value */

/* Of an event that is a store. */
struct simt_stored {
    uint64_t value; /* of 16 bytes, a hash */
    uint64_t order; /* 0: not known; else 2 x its number among stores, + 1: it changed nothing */
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

/* Depths of the calls of threads that do not run. */
extern uint64_t simt_trace_depths[SIMT_MAX_BLOCK_THREADS];

/* The machine starts and ends a launch or a block, and the observer is told. */
void simt_trace_start_launch(const struct simt_launch *launch);
void simt_trace_end_launch(const struct simt_launch *launch);
void simt_trace_start_block(size_t number, unsigned int threads);

/* All that is in the traces is checked now, in the order in which it was recorded, and so is what
 * comes after it. */
void simt_trace_check(void);

/* The last event is a store, which comes next. */
void simt_trace_before_store(void);
/* It has been done. */
void simt_trace_after_store(void);
/* The store that a lane is at races with an earlier one by `other`, of its warp, or by a thread of
 * another one (other_lane = SIMT_WARP_SIZE), but both are known to be of the same value. */
bool simt_trace_stores_same(unsigned int lane, unsigned int other_lane);

/* The running lane stops, or goes on. In between, another lane or the runtime may look at the
 * traces. */
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

/* Has the running warp's traces replayed; no lane runs. `cut`: see simt_observer. */
void simt_trace_drain(unsigned int cut);
/* Of these lanes, those whose traces are not full. */
unsigned int simt_trace_with_room(unsigned int lanes);
/* What a lane's trace looks like: it changes memory; it only reads; it reads but a word or two, as
 * a loop does that waits for a plain variable. `range` grows to all that is read. */
enum simt_idling { SIMT_WORKS, SIMT_READS, SIMT_POLLS };
struct simt_read {
    uint64_t low, high;
};
enum simt_idling simt_trace_idling(unsigned int lane, struct simt_read *range);
/* Where it has gone round a loop: of the outermost lines the first; and the only word that it reads
 * there, or NULL. */
uint32_t simt_trace_loop(unsigned int lane, const void **word);
/* The last event of the running lane, or NULL. */
const struct simt_event *simt_trace_last(void);
/* The last event was a block that is not the source's: it has not been. */
void simt_trace_forget_block(void);

#endif
/* SPDX-License-Identifier: MIT */
