/* Chooses the next thread. */
#ifndef SIMT_TURNS_H
#define SIMT_TURNS_H

#include "machine/fibers.h"
#include "machine/machine.h"
#include "machine/schedule.h"
#include "observe/recorder.h"

static inline void simt_make_ready(unsigned int warp, unsigned int lanes)
{
    simt_block->warps[warp].ready |= lanes;
}

static inline void simt_note_progress(void)
{
    simt_grid.progress++;
    simt_block->rounds = 0;
}

/* A warp with a ready lane: the first one, unless the order is shuffled; simt_grid.warps if there
 * is none. */
static inline unsigned int simt_ready_warp(void)
{
    const unsigned int warps = simt_grid.warps;
    unsigned int warp = simt_shuffled ? simt_schedule_below(warps) : 0;
    for (unsigned int i = 0; i < warps; i++, warp = warp + 1 < warps ? warp + 1 : 0) {
        if (simt_block->warps[warp].ready) {
            return warp;
        }
    }
    return warps;
}

/* Whether more processor time has passed than `times` times SIMT_WATCHDOG. */
bool simt_lasts(double since, unsigned int times);

/* The current warp has no ready lane: makes one ready, or switches to another warp or block. */
void simt_find_ready_warp(void);

/* A block's stacks do not fit into the first-level cache: prefetches the stack of the thread after
 * the next. */
static inline void simt_prefetch(const struct simt_thread *thread)
{
#ifndef SIMT_UCONTEXT
    if (thread->fiber) {
        __builtin_prefetch(thread->fiber->context.stack_pointer);
        __builtin_prefetch((char *)thread->fiber->context.stack_pointer + 64);
    }
#else
    (void)thread;
#endif
}

/* Takes the lowest ready lane, from the current warp while it has any. */
static inline __attribute__((always_inline)) struct simt_thread *simt_next_thread(void)
{
    struct simt_warp *warp = simt_block->current_warp;
    unsigned int lane;
    if (!warp->ready) {
        simt_find_ready_warp();
        warp = simt_block->current_warp;
    }
    lane = __builtin_expect(simt_shuffled, 0) ? simt_schedule_lane(warp->ready)
                                              : simt_lowest(warp->ready);
    warp->ready &= ~(1u << lane);
    if (warp->ready) {
        simt_prefetch(&warp->lanes[simt_lowest(warp->ready)]);
    }
    return &warp->lanes[lane];
}

/* Suspends the running thread, which has already put itself into one of its warp's sets. */
static inline __attribute__((always_inline)) void simt_wait_turn(void)
{
    struct simt_thread *self = simt_current, *next = simt_next_thread();
    if (simt_tracing) {
        simt_trace_pause(); /* simt_find_ready_warp may have done so already */
        simt_trace_resume(simt_linear(next));
    }
    if (next == self) {
        return;
    }
    if (!next->fiber) {
        next->ran_on = next->fiber = simt_take_fiber();
    }
    simt_current = next;
    simt_switch_fiber(self->fiber, next->fiber);
}

#endif
/* SPDX-License-Identifier: MIT */
