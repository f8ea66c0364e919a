/* Reuse of earlier replays.
 *
 * Most blocks of a grid behave alike, and so do the iterations of a loop around a barrier. Their
 * lanes record the same events, except for the addresses, after the same past. So it is known which
 * lanes go together: the stored plan lists the steps, without order.c.
 *
 * A past is what order.c knows about a warp's lanes; a plan leads from one past to the next. When
 * there is no plan for the next events, order.c gets the past back. Plans hold until order.c learns
 * more control flow. */
#include <stdlib.h>
#include <string.h>

#include "model/plans.h"

#include "model/order.h"

enum {
    PASTS = 64,
    PLANS = 256,
    PLANS_FROM_ONE =
        16, /* past: if lanes depend on data, a longer search would cost more than it saves */
    MOST_EVENTS = 128, /* per lane */
    MOST_STEPS = 1024,
    UNKNOWN = PASTS /* the past is only in order.c */
};

struct plan {
    struct plan *next; /* from the same past */
    unsigned int to;
    const struct simt_event *end[SIMT_WARP_SIZE];
    const uint64_t *keys[SIMT_WARP_SIZE]; /* equal lanes share them */
    size_t step_count;
    struct simt_step *steps;
    uint64_t memory[]; /* storage of the keys */
};

static struct {
    struct simt_past lanes[SIMT_WARP_SIZE];
    struct plan *plans;
    unsigned int plan_count;
} pasts[PASTS];
static unsigned int past_count, plan_count, version;

static unsigned int past_of[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE];

/* The plan that is being recorded. */
static struct simt_step steps[MOST_STEPS];
static size_t step_count;
static bool recording;

static void forget_plans(void)
{
    for (unsigned int i = 0; i < past_count; i++) {
        for (struct plan *plan = pasts[i].plans, *next; plan; plan = next) {
            next = plan->next;
            free(plan);
        }
        pasts[i].plans = NULL;
        pasts[i].plan_count = 0;
    }
    plan_count = 0;
}

void simt_plans_start_launch(void)
{
    forget_plans();
    past_count = 1; /* the first is empty: the start of a block */
}

void simt_plans_start_block(unsigned int warps)
{
    memset(past_of, 0, warps * sizeof *past_of);
}

void simt_plans_keep(unsigned int *pasts_of, unsigned int warps, bool restore)
{
    memcpy(restore ? past_of : pasts_of, restore ? pasts_of : past_of, warps * sizeof *past_of);
}

static inline bool has_keys(const struct simt_event *events, size_t count, const uint64_t *keys)
{
    uint64_t wrong = count % 2 ? events[count - 1].key ^ keys[count - 1] : 0;
    for (count /= 2; count > 0; count--, events += 2, keys += 2) {
        wrong |= (events[0].key ^ keys[0]) | (events[1].key ^ keys[1]);
    }
    return wrong == 0;
}

const struct simt_step *simt_plan_find(const struct simt_traces *traces, unsigned int warp,
                                       size_t *count)
{
    struct plan **first;
    if (past_of[warp] == UNKNOWN) {
        return NULL;
    }
    first = &pasts[past_of[warp]].plans;
    for (struct plan **link = first, *plan; (plan = *link); link = &plan->next) {
        unsigned int lane = 0;
        if (memcmp(plan->end, traces->end, sizeof plan->end) != 0) {
            continue;
        }
        while (lane < SIMT_WARP_SIZE &&
               has_keys(traces->begin[lane], (size_t)(traces->end[lane] - traces->begin[lane]),
                        plan->keys[lane])) {
            lane++;
        }
        if (lane == SIMT_WARP_SIZE) {
            *link = plan->next; /* to the front: the next warp may do the same */
            plan->next = *first;
            *first = plan;
            past_of[warp] = plan->to;
            *count = plan->step_count;
            return plan->steps;
        }
    }
    return NULL;
}

bool simt_plan_start(unsigned int warp, bool record)
{
    unsigned int from = past_of[warp];
    recording = false;
    if (from == UNKNOWN) {
        return false;
    }
    simt_order_set_past(warp, pasts[from].lanes);
    recording = record && plan_count < PLANS && pasts[from].plan_count < PLANS_FROM_ONE;
    step_count = 0;
    return true;
}

void simt_plan_add_step(uint32_t lanes, bool row)
{
    if (recording && step_count < MOST_STEPS) {
        steps[step_count++] = (struct simt_step){lanes, row};
    } else {
        recording = false;
    }
}

/* The number of the warp's past, which may be new. */
static unsigned int find_past(unsigned int warp, bool one_past)
{
    unsigned int i = 0;
    if (past_count == PASTS) {
        return UNKNOWN;
    }
    simt_order_get_past(warp, one_past, pasts[past_count].lanes);
    while (memcmp(pasts[i].lanes, pasts[past_count].lanes, sizeof pasts[i].lanes) != 0) {
        i++;
    }
    past_count += i == past_count;
    return i;
}

static void add_plan(const struct simt_traces *traces, unsigned int from, unsigned int to)
{
    size_t counts[SIMT_WARP_SIZE], total = 0;
    struct plan *plan;
    uint64_t *keys;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        counts[i] = (size_t)(traces->end[i] - traces->begin[i]);
        total += counts[i];
        if (counts[i] > MOST_EVENTS) {
            return;
        }
    }
    plan = malloc(sizeof *plan + total * sizeof *keys + step_count * sizeof *steps);
    if (!plan) {
        return;
    }
    keys = plan->memory;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        unsigned int same = 0;
        plan->end[i] = traces->end[i];
        while (same < i && (counts[same] != counts[i] ||
                            !has_keys(traces->begin[i], counts[i], plan->keys[same]))) {
            same++;
        }
        plan->keys[i] = same < i ? plan->keys[same] : keys;
        for (size_t j = 0; same == i && j < counts[i]; j++) {
            *keys++ = traces->begin[i][j].key;
        }
    }
    plan->steps = (struct simt_step *)(plan->memory + total);
    plan->step_count = step_count;
    memcpy(plan->steps, steps, step_count * sizeof *steps);
    plan->to = to;
    plan->next = pasts[from].plans;
    pasts[from].plans = plan;
    pasts[from].plan_count++;
    plan_count++;
}

void simt_plan_end(const struct simt_traces *traces, unsigned int warp, bool one_past)
{
    unsigned int from = past_of[warp];
    if (version != simt_order_version()) {
        forget_plans();
        version = simt_order_version();
    }
    past_of[warp] = recording ? find_past(warp, one_past) : UNKNOWN;
    if (past_of[warp] != UNKNOWN) {
        add_plan(traces, from, past_of[warp]);
    }
}
/* SPDX-License-Identifier: MIT */
