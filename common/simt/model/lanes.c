#include "model/lanes.h"

#include <string.h>

#include "base/bits.h"
#include "model/order.h"

/* The events before this one are known to order.c. `flow`: for events in a lane's buffer, from its
 * next one on, the node and the node before it in the same call. */
static const struct simt_event *observed[SIMT_WARP_SIZE];
static struct {
    unsigned int node, before;
} flow[SIMT_WARP_SIZE][TRACE_STRIDE];

/* Per warp: for order.c all lanes have the past that it keeps for the first one. */
static bool one_past[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE];

/* After lanes have parted: lanes that do the same up to the end of their traces. The first stands
 * for all. */
struct group {
    uint32_t lanes;
    unsigned int first;
};
static struct group groups[SIMT_WARP_SIZE];
static unsigned int group_count;
/* The last replay looked ahead and left events behind. */
static bool cut_short;

bool simt_lanes_were_cut_short(void)
{
    return cut_short;
}

static size_t count_observed(const struct simt_event *const *at, unsigned int lane)
{
    return observed[lane] > at[lane] ? (size_t)(observed[lane] - at[lane]) : 0;
}

/* Whether two lanes have the same remaining events and, in order.c, the same past. */
static bool do_the_same(const struct simt_event *const *at, const struct simt_traces *traces,
                        unsigned int warp, unsigned int a, unsigned int b)
{
    size_t count = (size_t)(traces->end[a] - at[a]), before = count_observed(at, a);
    if ((size_t)(traces->end[b] - at[b]) != count || count_observed(at, b) != before) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (at[a][i].key != at[b][i].key) {
            return false;
        }
    }
    for (size_t i = 0; i < before; i++) {
        if (flow[a][at[a] - simt_trace_buffer(a) + (ptrdiff_t)i].before !=
            flow[b][at[b] - simt_trace_buffer(b) + (ptrdiff_t)i].before) {
            return false;
        }
    }
    return one_past[warp] || simt_order_same(warp * SIMT_WARP_SIZE + a, warp * SIMT_WARP_SIZE + b);
}

static void find_groups(const struct simt_event *const *at, const struct simt_traces *traces,
                        unsigned int warp)
{
    group_count = 0;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        unsigned int number = 0;
        if (at[i] == traces->end[i]) {
            continue;
        }
        while (number < group_count && !do_the_same(at, traces, warp, groups[number].first, i)) {
            number++;
        }
        if (number == group_count) {
            groups[group_count++] = (struct group){0, i};
        }
        groups[number].lanes |= 1u << i;
    }
}

/* The traces of a group's lanes are cut short: assume that these lanes reach the other groups. */
static void assume_meetings(const struct simt_event *const *at, const struct simt_traces *traces,
                            const struct group *short_one)
{
    unsigned int first = short_one->first;
    const struct simt_event *last = traces->end[first] - 1;
    for (const struct group *group = groups; group < groups + group_count; group++) {
        const struct simt_event *next = at[group->first];
        if (group != short_one && next->key >> 48 == last->key >> 48) {
            simt_order_assume(flow[first][last - simt_trace_buffer(first)].node,
                              flow[group->first][next - simt_trace_buffer(group->first)].node);
        }
    }
}

/* Lanes part: their later events decide which lanes go first. */
void simt_lanes_look_ahead(const struct simt_event *const *at, const struct simt_traces *traces,
                           unsigned int warp, uint32_t cut)
{
    find_groups(at, traces, warp);
    if (one_past[warp]) {
        uint32_t lanes = ~(uint32_t)0;
        for (const struct group *group = groups; group < groups + group_count; group++) {
            lanes &= ~(group->lanes & (group->lanes - 1)); /* the loop below sets these */
        }
        simt_order_copy(warp, lanes & ~1u, 0);
        one_past[warp] = false;
    }
    for (const struct group *group = groups; group < groups + group_count; group++) {
        unsigned int first = group->first, thread = warp * SIMT_WARP_SIZE + first;
        for (const struct simt_event *event = at[first] + count_observed(at, first);
             event < traces->end[first]; event++) {
            size_t index = (size_t)(event - simt_trace_buffer(first));
            flow[first][index].before = simt_order_observe(thread, event, &flow[first][index].node);
        }
        for (uint32_t set = group->lanes; set; set &= set - 1) {
            observed[simt_lowest(set)] = traces->end[simt_lowest(set)];
        }
        simt_order_copy(warp, group->lanes & (group->lanes - 1), first);
    }
    for (const struct group *group = groups; group < groups + group_count; group++) {
        if (group->lanes & cut) {
            assume_meetings(at, traces, group);
        }
    }
    simt_order_rank();
}

/* The lanes of a set of groups whose next event comes first. Events of equal order can differ: the
 * pieces of a copy depend on its address in each lane. */
uint32_t simt_lanes_first(const struct simt_event *const *at, uint32_t lanes)
{
    uint64_t first = UINT64_MAX, key = 0;
    uint32_t found = 0;
    for (const struct group *group = groups; group < groups + group_count; group++) {
        unsigned int i = group->first;
        size_t index = (size_t)(at[i] - simt_trace_buffer(i));
        uint64_t order;
        if (!(lanes & group->lanes)) {
            continue;
        }
        order = at[i]->key >> 48 << 32 | simt_order_of(flow[i][index].before, flow[i][index].node);
        if (order < first) {
            first = order;
            key = at[i]->key;
            found = 0;
        }
        if (order == first && at[i]->key == key) {
            found |= group->lanes;
        }
    }
    return found;
}

/* Whether all groups do the same next. None of them may be at its end. */
bool simt_lanes_meet(const struct simt_event *const *at)
{
    for (unsigned int i = 1; i < group_count; i++) {
        if (at[groups[i].first]->key != at[groups[0].first]->key) {
            return false;
        }
    }
    return true;
}

/* After a replay that was cut short, the other lanes of a group need the data of its first lane. */
static void keep_flow(const struct simt_event *const *at)
{
    for (const struct group *group = groups; group < groups + group_count; group++) {
        unsigned int first = group->first;
        for (uint32_t set = group->lanes & (group->lanes - 1); set; set &= set - 1) {
            memcpy(flow[simt_lowest(set)] +
                       (at[simt_lowest(set)] - simt_trace_buffer(simt_lowest(set))),
                   flow[first] + (at[first] - simt_trace_buffer(first)),
                   count_observed(at, first) * sizeof *flow[first]);
        }
    }
}

/* Whole groups of lanes have done their next event. Returns the lanes of them that are at their
 * end. */
uint32_t simt_lanes_advance(const struct simt_event **at, const struct simt_traces *traces,
                            uint32_t lanes)
{
    uint32_t ended = 0;
    for (uint32_t set = lanes; set; set &= set - 1) {
        at[simt_lowest(set)]++;
    }
    for (const struct group *group = groups; group < groups + group_count; group++) {
        if (at[group->first] == traces->end[group->first]) {
            ended |= group->lanes;
        }
    }
    return ended;
}

/* ---- from one replay to the next ---- */

bool simt_lanes_have_one_past(unsigned int warp)
{
    return one_past[warp];
}

void simt_lanes_have_own_pasts(unsigned int warp)
{
    one_past[warp] = false;
}

void simt_lanes_walked(const struct simt_event *const *at, unsigned int warp)
{
    one_past[warp] = true;
    memcpy(observed, at, sizeof observed);
}

void simt_lanes_start(void)
{
    cut_short = false;
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        observed[i] = simt_trace_buffer(i);
    }
}

void simt_lanes_keep_rest(const struct simt_event *const *at, bool looked_ahead)
{
    cut_short = looked_ahead;
    if (cut_short) {
        keep_flow(at);
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        observed[i] -= at[i] - simt_trace_buffer(i);
        observed[i] = observed[i] > simt_trace_buffer(i) ? observed[i] : simt_trace_buffer(i);
        if (observed[i] > simt_trace_buffer(i)) {
            memmove(flow[i], flow[i] + (at[i] - simt_trace_buffer(i)),
                    (size_t)(observed[i] - simt_trace_buffer(i)) * sizeof *flow[i]);
        }
    }
}

void simt_lanes_start_block(unsigned int warps)
{
    simt_lanes_start();
    memset(one_past, true, warps * sizeof *one_past);
}

void simt_lanes_keep(bool *pasts, unsigned int warps, bool restore)
{
    memcpy(restore ? one_past : pasts, restore ? pasts : one_past, warps * sizeof *pasts);
}
/* SPDX-License-Identifier: MIT */
