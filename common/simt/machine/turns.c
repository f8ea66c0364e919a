/* Chooses the next thread, and acts when no thread can run. */
#include "machine/turns.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "base/setting.h"
#include "machine/blocks.h"
#include "machine/endless.h"
#include "machine/progress.h"
#include "machine/ptx.h"
#include "machine/reports.h"

enum {
    ROUNDS_BEFORE_OTHERS = 2,   /* of polls, before another block runs */
    WAKES_BEFORE_OTHERS = 8,    /* the same if there are not only polls */
    ROUNDS_BEFORE_A_LOOK = 256, /* at the clock */
    ROUNDS_AT_MBARRIERS = 4096, /* that nothing can end */
    FULL_BEFORE_OTHERS = 64,    /* consecutive traces without a change */
    SECONDS_OF_POLLS = 3,       /* unless SIMT_WATCHDOG sets another number */
    LONGER_IN_LOOPS = 10        /* for loops that may still end */
};

/* Nothing else in the warp can run: lanes that wait at the same __activemask() proceed together. */
static void resolve_activemask(unsigned int number)
{
    struct simt_warp *warp = &simt_block->warps[number];
    const struct simt_thread *first = &warp->lanes[simt_lowest(warp->at_activemask)];
    unsigned int together = 0;
    for (unsigned int set = warp->at_activemask; set; set &= set - 1) {
        const struct simt_thread *lane = &warp->lanes[simt_lowest(set)];
        if (lane->line == first->line && strcmp(lane->file, first->file) == 0) {
            together |= 1u << simt_lowest(set);
        }
    }
    for (unsigned int set = together; set; set &= set - 1) {
        warp->lanes[simt_lowest(set)].result = together;
    }
    simt_counts.votes++;
    warp->at_activemask &= ~together;
    simt_make_ready(number, together);
}

/* SIMT_WATCHDOG; 0: never. */
static double patience(void)
{
    static double seconds = -1;
    if (seconds < 0) {
        seconds = simt_setting("SIMT_WATCHDOG", SECONDS_OF_POLLS);
    }
    return seconds;
}

bool simt_lasts(double since, unsigned int times)
{
    return patience() > 0 && simt_processor_seconds() - since > times * patience();
}

/* All runnable threads poll, and have done so for a while. Uses processor time, because on a busy
 * machine a thread may be slow without waiting. */
static void look_at_clock(void)
{
    if (simt_grid.progress != simt_grid.progress_seen) {
        simt_grid.progress_seen = simt_grid.progress;
        simt_grid.stuck_since = simt_processor_seconds();
    } else if (simt_lasts(simt_grid.stuck_since, 1)) {
        simt_report_stuck(
            simt_tracing && simt_block->full_traces >= FULL_BEFORE_OTHERS
                ? "endless loop: the threads that can run change nothing, and nothing ends them"
                : "livelock: the threads that can run wait for a value that never comes",
            simt_grid.suspended_count);
    }
}

/* No thread of the block is ready: resumes threads that gave way, unless another block may have
 * what they wait for. */
static void wake_yielded(void)
{
    unsigned int yielded = 0, at_mbarrier = 0;
    if (simt_bulk_advance()) {
        simt_block->rounds = 0;
        if (simt_ready_warp() < simt_grid.warps) {
            return;
        }
    }
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        yielded |= simt_block->warps[i].yielded;
        at_mbarrier |= simt_block->warps[i].at_mbarrier;
    }
    if (!yielded && !at_mbarrier) {
        simt_report_stuck("deadlock: no thread can go on", simt_grid.suspended_count);
    }
    if (simt_block->rounds++ % ROUNDS_BEFORE_A_LOOK == ROUNDS_BEFORE_OTHERS ||
        simt_block->full_traces >= FULL_BEFORE_OTHERS) { /* this takes long */
        look_at_clock();
    }
    if (!yielded && simt_block->rounds > ROUNDS_AT_MBARRIERS && !simt_can_wait_for_blocks()) {
        simt_report_stuck("deadlock: the threads that are left wait at mbarriers",
                          simt_grid.suspended_count);
    }
    if ((simt_block->rounds > ROUNDS_BEFORE_OTHERS || ++simt_block->woken >= WAKES_BEFORE_OTHERS ||
         simt_goes_round ||
         (simt_shuffled && simt_schedule_below(2) == 0)) && /* as blocks run at the same time */
        simt_can_wait_for_blocks()) {
        simt_suspend_block();
        simt_next_block();
        if (simt_ready_warp() < simt_grid.warps) {
            return;
        }
    }
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        simt_make_ready(i, simt_block->warps[i].yielded | simt_block->warps[i].at_mbarrier);
        simt_block->warps[i].yielded = simt_block->warps[i].at_mbarrier = 0;
    }
}

static void name_loops(struct simt_warp *warp, unsigned int lanes, bool anew)
{
    for (unsigned int set = lanes; set; set &= set - 1) {
        struct simt_thread *thread = &warp->lanes[simt_lowest(set)];
        const void *word;
        const uint32_t place = simt_trace_loop(simt_lowest(set), &word);
        if (!thread->round.place || anew) {
            thread->round.place = place;
            thread->poll.address = word;
            thread->poll.found = 0;
            memcpy(&thread->poll.found, word ? word : &place, (uintptr_t)word % 4 == 0 ? 4 : 1);
        }
    }
}

/* Whether no lane changes memory; restarts the clock if the lanes read new memory. */
static bool is_idle(const struct simt_warp *warp)
{
    struct simt_read read = simt_block->read;
    for (unsigned int set = warp->trace_full; set; set &= set - 1) {
        if (simt_trace_idling(simt_lowest(set), &read) == SIMT_WORKS) {
            return false;
        }
    }
    if (simt_block->full_traces == FULL_BEFORE_OTHERS || read.low < simt_block->read.low ||
        read.high > simt_block->read.high) {
        simt_block->idle_since = simt_processor_seconds();
        simt_block->read = read;
    }
    return true;
}

/* Handles lanes with full traces: whether others get their turn first. Lanes that do not loop
 * forever may simply be computing. */
static bool gives_way(struct simt_warp *warp)
{
    struct simt_read read = simt_block->read;
    const enum simt_idling idling = simt_trace_idling(simt_lowest(warp->trace_full), &read);
    unsigned int repeats = 0;
    char headline[80];
    simt_block->full_traces++;
    if (idling == SIMT_WORKS || (simt_block->full_traces >= FULL_BEFORE_OTHERS && !is_idle(warp))) {
        simt_block->full_traces = 0;
        simt_block->read = (struct simt_read){UINT64_MAX, 0};
        simt_grid.progress++;
        return false;
    }
    if (simt_block->full_traces < FULL_BEFORE_OTHERS) {
        return false;
    }
    for (unsigned int set = warp->trace_full; set; set &= set - 1) {
        const struct simt_thread *thread = &warp->lanes[simt_lowest(set)];
        if (thread->round.until >= thread->round.count && thread->round.count > 0) {
            repeats |= simt_bit_of(thread);
        }
    }
    name_loops(warp, repeats, false);
    if (repeats == warp->trace_full) {
        return true;
    }
    simt_grid.progress++;
    if (simt_block->full_traces % FULL_BEFORE_OTHERS != 0) {
        return false;
    }
    const bool lasts = simt_lasts(simt_block->idle_since, LONGER_IN_LOOPS);
    if (lasts || idling == SIMT_POLLS) {
        name_loops(warp, warp->trace_full, true);
    }
    if (lasts) {
        warp->yielded |= warp->trace_full;
        snprintf(headline, sizeof headline,
                 "endless loop? For %g s of processor time it has changed no memory",
                 LONGER_IN_LOOPS * patience());
        simt_report_stuck(headline, simt_grid.suspended_count);
    }
    return idling == SIMT_POLLS;
}

/* Lanes with full traces continue when the other lanes of the warp have come as far. */
static void empty_traces(unsigned int number)
{
    struct simt_warp *warp = &simt_block->warps[number];
    const bool way = gives_way(warp);
    unsigned int lanes;
    simt_trace_drain(warp->trace_full);
    simt_progress_tell();
    lanes = simt_trace_with_room(warp->trace_full);
    warp->trace_full &= ~lanes;
    if (way) {
        warp->yielded |= lanes;
    } else {
        simt_make_ready(number, lanes);
    }
}

/* The current warp has no ready lane: makes one ready, or switches to another warp or block. Not
 * inlined, because simt_next_thread then needs no stack; it runs at each switch. */
void simt_find_ready_warp(void)
{
    struct simt_warp *warp = simt_block->current_warp;
    unsigned int number = (unsigned int)(warp - simt_block->warps);
    if (simt_tracing) {
        simt_trace_pause();
    }
    if (warp->trace_full) {
        empty_traces(number);
    }
    if (!warp->ready && warp->at_activemask) {
        resolve_activemask(number);
    }
    if (warp->ready) {
        return;
    }
    if (simt_tracing) {
        simt_trace_drain(0);
    }
    while ((number = simt_ready_warp()) == simt_grid.warps) {
        if (simt_lasts_long) {
            simt_look_for_round();
        }
        wake_yielded();
    }
    if (simt_shuffled) { /* drawn again: seeds keep their orders */
        number = simt_ready_warp();
    }
    simt_block->current_warp = &simt_block->warps[number];
}

/* The running thread's next actions depend on memory, its stack, and its registers, which are also
 * saved there. Compares the state with that at the last power of two (R. Brent, 1980). */
static __attribute__((noinline)) void note_state(void)
{
    struct simt_round *round = &simt_current->round;
    const struct simt_fiber_rest *rest = simt_current->fiber->rest;
    jmp_buf registers;
    uint64_t state;
    memset(&registers, 0, sizeof registers);
    (void)setjmp(registers);
    state = simt_hash(
        1, &registers,
        (size_t)((const char *)rest->stack + rest->stack_bytes - (const char *)&registers));
    round->count++;
    if (round->noted > 0 && state == round->state) {
        round->until = 2 * round->count - round->noted;
    } else if (round->until < round->count && (round->count & (round->count - 1)) == 0) {
        round->state = state;
        round->noted = round->count;
    }
}

void simt_wait_for_replay(void)
{
    if (simt_block->full_traces >= FULL_BEFORE_OTHERS) {
        note_state();
    } else {
        simt_current->round = (struct simt_round){0};
    }
    simt_warp_of(simt_current)->trace_full |= simt_bit_of(simt_current);
    simt_wait_turn();
}
/* SPDX-License-Identifier: MIT */
