/* Who runs next, and what is done where nobody can. */
#include "machine/turns.h"

#include <string.h>

#include "base/host.h"
#include "base/setting.h"
#include "machine/blocks.h"
#include "machine/progress.h"
#include "machine/ptx.h"
#include "machine/reports.h"

enum {
    ROUNDS_BEFORE_OTHERS = 2,   /* of polls, before another block goes on */
    ROUNDS_BEFORE_A_LOOK = 256, /* at the clock */
    ROUNDS_AT_MBARRIERS = 4096, /* that nothing can end */
    FULL_BEFORE_OTHERS = 64,    /* traces in a row that look like a loop that waits */
    SECONDS_OF_POLLS = 3        /* unless SIMT_WATCHDOG says another number */
};

/* Nothing else in the warp can run: the lanes that wait at the same __activemask() are together. */
static void resolve_activemask(unsigned int number)
{
    struct simt_warp *warp = &simt_block->warps[number];
    struct simt_thread *lanes = &simt_block->threads[number * SIMT_WARP_SIZE];
    const struct simt_thread *first = &lanes[simt_lowest(warp->at_activemask)];
    unsigned int together = 0;
    for (unsigned int set = warp->at_activemask; set; set &= set - 1) {
        const struct simt_thread *lane = &lanes[simt_lowest(set)];
        if (lane->line == first->line && strcmp(lane->file, first->file) == 0) {
            together |= 1u << simt_lowest(set);
        }
    }
    for (unsigned int set = together; set; set &= set - 1) {
        lanes[simt_lowest(set)].result = together;
    }
    simt_counts.votes++;
    warp->at_activemask &= ~together;
    simt_make_ready(number, together);
}

/* SIMT_WATCHDOG: 0 is never. */
static double patience(void)
{
    static double seconds = -1;
    if (seconds < 0) {
        seconds = simt_setting("SIMT_WATCHDOG", SECONDS_OF_POLLS);
    }
    return seconds;
}

/* All that can run polls, and has done so for a while: of processor time, so that a busy machine is
 * not taken for a thread that waits. */
static void look_at_clock(void)
{
    if (simt_grid.progress != simt_grid.progress_seen) {
        simt_grid.progress_seen = simt_grid.progress;
        simt_grid.stuck_since = simt_processor_seconds();
    } else if (patience() > 0 && simt_processor_seconds() - simt_grid.stuck_since > patience()) {
        simt_report_stuck("livelock: the threads that can run wait for a value that never comes",
                          simt_grid.suspended_count);
    }
}

/* No thread of the block is ready: those that gave way go on, unless another block may have what
 * they wait for. */
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
    if (simt_block->rounds++ % ROUNDS_BEFORE_A_LOOK == ROUNDS_BEFORE_OTHERS) {
        look_at_clock();
    }
    if (!yielded && simt_block->rounds > ROUNDS_AT_MBARRIERS && !simt_can_wait_for_blocks()) {
        simt_report_stuck("deadlock: the threads that are left wait at mbarriers",
                          simt_grid.suspended_count);
    }
    if (simt_block->rounds > ROUNDS_BEFORE_OTHERS && simt_can_wait_for_blocks()) {
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

/* Lanes whose traces are full go on once the others of the warp have come as far. Where they never
 * do anything else, they may wait for a plain variable: then others get their turn. */
static void empty_traces(unsigned int number)
{
    struct simt_warp *warp = &simt_block->warps[number];
    bool polls = simt_trace_polls(simt_lowest(warp->trace_full));
    unsigned int lanes;
    simt_trace_drain(warp->trace_full);
    simt_progress_tell();
    lanes = simt_trace_with_room(warp->trace_full);
    warp->trace_full &= ~lanes;
    simt_block->full_traces = polls ? simt_block->full_traces + 1 : 0;
    if (simt_block->full_traces < FULL_BEFORE_OTHERS) {
        simt_make_ready(number, lanes);
        return;
    }
    simt_block->full_traces = 0;
    warp->yielded |= lanes;
    simt_grid.progress++; /* they may as well compute */
}

/* The current warp has no ready lane: makes one ready, or goes on with another warp, or with
 * another block. Not inlined, so that simt_next_thread, which runs at each switch, needs no
 * stack. */
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
    while (simt_ready_warp() == simt_grid.warps) {
        wake_yielded();
    }
    simt_block->current_warp = &simt_block->warps[simt_ready_warp()];
}

void simt_wait_for_replay(void)
{
    simt_warp_of(simt_current)->trace_full |= simt_bit_of(simt_current);
    simt_wait_turn();
}
/* SPDX-License-Identifier: MIT */
