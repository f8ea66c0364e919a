/* Pairs the traces of a warp's lanes into warp-level instructions, and counts them.
 *
 * A warp's lanes share one instruction stream. After a divergent branch the hardware runs one group
 * of lanes after the other, then reconverges them. The replay does the same. It takes the next
 * event in the deepest call; at equal depth, the first one in control flow (model/lanes.c,
 * model/order.c). Every lane whose next event is that one takes part. So lanes behind catch up, and
 * lanes reconverge at join points. (Pairing the n-th event of one lane with the n-th of another
 * would fail as soon as a lane skips an iteration of a loop.) */
#include "count/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/need.h"
#include "check/shadow.h"
#include "count/splits.h"
#include "count/step.h"
#include "model/lanes.h"
#include "model/order.h"
#include "model/plans.h"

/* The lanes' next events. `alike`: all 32 are the same. `distance`: from one lane's address to the
 * next lane's, if it is the same for all; else -1. */
struct row {
    bool alike;
    uint64_t distance;
};

static struct row look_at(const struct simt_event *const *at, size_t ahead)
{
    /* An event is a key and an address: compare both at once. */
    typedef uint64_t pair __attribute__((vector_size(16)));
    const struct simt_event *event = at[0] + ahead;
    uint64_t distance = at[1][ahead].address - event->address;
    pair expected = {event->key, event->address}, next = {0, distance}, wrong = {0, 0}, found;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        memcpy(&found, at[i] + ahead, sizeof found);
        wrong |= found ^ expected;
        expected += next;
    }
    return (struct row){wrong[0] == 0, wrong[1] == 0 ? distance : UINT64_MAX};
}

/* All 32 lanes' next events are alike, as `row` says: takes them, and the following ones while they
 * are alike. Returns the lanes with events left. `observe`: one lane tells order.c for all. */
static uint32_t walk_together(const struct simt_event **at, const struct simt_traces *traces,
                              unsigned int warp, struct row row, bool observe)
{
    size_t least = SIZE_MAX, steps = 0;
    uint32_t left = 0;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        size_t here = (size_t)(traces->end[i] - at[i]);
        least = here < least ? here : least;
    }
    do {
        if (observe) {
            unsigned int node;
            simt_order_observe(warp * SIMT_WARP_SIZE, at[0] + steps, &node);
        }
        simt_plan_add_step(~(uint32_t)0, true);
        simt_step(at, steps++, warp, ~(uint32_t)0, row.distance);
    } while (steps < least && (row = look_at(at, steps)).alike);
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        at[i] += steps;
        left |= (uint32_t)(at[i] != traces->end[i]) << i;
    }
    if (observe) {
        simt_lanes_walked(at, warp);
    }
    return left;
}

/* Moves the remaining events to the front of the buffers (simt_trace_drain). */
static void keep_rest(const struct simt_event *const *at, struct simt_traces *traces,
                      bool looked_ahead)
{
    simt_lanes_keep_rest(at, looked_ahead);
    simt_step_keep_rest(at);
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        traces->begin[i] += at[i] - traces->begin[i];
    }
}

/* Replays all of the traces with a plan, if there is one. */
static bool follow_plan(const struct simt_traces *traces, unsigned int warp)
{
    size_t count;
    const struct simt_step *steps = simt_plan_find(traces, warp, &count);
    const struct simt_event *at[SIMT_WARP_SIZE];
    if (!steps) {
        return false;
    }
    memcpy(at, traces->begin, sizeof at);
    for (size_t i = 0; i < count; i++) {
        size_t ahead = 0;
        for (; i < count && steps[i].lanes == ~(uint32_t)0; i++, ahead++) {
            bool row = steps[i].row && event_kind(at[0] + ahead) != EVENT_BLOCK;
            simt_step(at, ahead, warp, ~(uint32_t)0,
                      row ? look_at(at, ahead).distance : UINT64_MAX);
        }
        if (i == count) {
            break;
        }
        for (unsigned int lane = 0; ahead > 0 && lane < SIMT_WARP_SIZE; lane++) {
            at[lane] += ahead;
        }
        simt_step(at, 0, warp, steps[i].lanes, UINT64_MAX);
        for (uint32_t set = steps[i].lanes; set; set &= set - 1) {
            at[simt_lowest(set)]++;
        }
    }
    return true;
}

/* The buffers are empty. */
static void start(void)
{
    simt_lanes_start();
    simt_step_start();
}

void simt_replay(struct simt_traces *traces, unsigned int warp, unsigned int cut)
{
    const struct simt_event *at[SIMT_WARP_SIZE];
    uint32_t left = traces->filled;
    bool looked_ahead = simt_lanes_were_cut_short(), can_plan = !cut && !looked_ahead;
    struct row row;
    simt_pages_make_room();
    simt_step_counts_only(traces->warp_in_order[warp]);
    if (traces->warp_in_order[warp]) {
        simt_step_check(traces, warp);
    }
    if (can_plan && follow_plan(traces, warp)) {
        traces->filled = 0;
        start();
        return;
    }
    if (simt_plan_start(warp, can_plan)) {
        simt_lanes_have_own_pasts(warp);
    }
    memcpy(at, traces->begin, sizeof at);
    if (looked_ahead) {
        simt_lanes_look_ahead(at, traces, warp, cut);
    }
    while (left && !(cut & ~left)) {
        if (left == ~(uint32_t)0 && (!looked_ahead || simt_lanes_meet(at)) &&
            (row = look_at(at, 0)).alike) {
            left = walk_together(at, traces, warp, row, !looked_ahead);
        } else {
            uint32_t lanes;
            if (!looked_ahead) {
                simt_lanes_look_ahead(at, traces, warp, cut);
                looked_ahead = true;
            }
            lanes = simt_lanes_first(at, left);
            simt_plan_add_step(lanes, false);
            simt_step(at, 0, warp, lanes, UINT64_MAX);
            left &= ~simt_lanes_advance(at, traces, lanes);
        }
    }
    simt_plan_end(traces, warp, simt_lanes_have_one_past(warp));
    traces->filled = left;
    if (left) {
        keep_rest(at, traces, looked_ahead);
    } else {
        start();
    }
}

/* ---- blocks ---- */

struct simt_replayed {
    struct simt_splits *splits;
    bool one_past[TRACE_WARPS], in_order[TRACE_WARPS];
    unsigned int plans[TRACE_WARPS];
    struct simt_past pasts[];
};

static unsigned int warps_of(unsigned int threads)
{
    return (threads + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE;
}

static void keep(struct simt_replayed *kept, unsigned int warps, bool restore)
{
    simt_lanes_keep(kept->one_past, warps, restore);
    memcpy(restore ? simt_traces.warp_in_order : kept->in_order,
           restore ? kept->in_order : simt_traces.warp_in_order, sizeof kept->in_order);
    simt_plans_keep(kept->plans, warps, restore);
    simt_order_keep(kept->pasts, warps * SIMT_WARP_SIZE, restore);
}

struct simt_replayed *simt_replay_suspend(unsigned int threads)
{
    size_t pasts = (size_t)warps_of(threads) * SIMT_WARP_SIZE;
    struct simt_replayed *kept =
        simt_needed(malloc(sizeof *kept + pasts * sizeof *kept->pasts), "the analysis");
    kept->splits = simt_splits_suspend();
    keep(kept, warps_of(threads), false);
    return kept;
}

void simt_replay_resume(struct simt_replayed *kept, unsigned int threads)
{
    simt_splits_resume(kept->splits);
    keep(kept, warps_of(threads), true);
    free(kept);
}

void simt_replay_forget(struct simt_replayed *kept)
{
    free(kept->splits);
    free(kept);
}

void simt_replay_start_block(unsigned int threads)
{
    simt_splits_start_block(warps_of(threads));
    simt_step_start();
    simt_lanes_start_block(warps_of(threads));
    simt_plans_start_block(warps_of(threads));
}
/* SPDX-License-Identifier: MIT */
