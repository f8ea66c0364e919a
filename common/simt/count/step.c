/* A step: an action that lanes perform together. It is counted and checked.
 *
 * Replay pairs the lanes' events without an order between lanes. Lanes may order themselves: by a
 * fence and an atomic (a lock, a counter of blocks), or by a __syncwarp of some of them. Then the
 * checks must see the accesses as they were made, stretch by stretch. From then on, such a warp is
 * checked before its replay, which only counts. */
#include "count/step.h"

#include "base/bits.h"
#include "check/causality.h"
#include "check/check.h"
#include "check/passed.h"
#include "check/rows.h"
#include "count/splits.h"
#include "count/wavefronts.h"
#include "machine/ptx.h"
#include "machine/shared.h"
#include "model/requests.h"
#include "model/sites.h"
#include "model/spaces.h"
#include "observe/watcher.h"

enum { WORD_BYTES = 4 };

static const struct simt_event *checked[SIMT_WARP_SIZE]; /* earlier events are checked */
static bool counts_only;

/* Checks events that are not accesses. */
static void check_other(const struct simt_event *event, unsigned int warp, uint32_t lanes,
                        const uint64_t *addresses)
{
    enum simt_scope scope =
        event_how(event) & EVENT_OF_BLOCK ? SIMT_SCOPE_BLOCK : SIMT_SCOPE_DEVICE;
    if (event_kind(event) == EVENT_FREE) {
        simt_check_free(simt_site_number(event_place(event)), warp, lanes, addresses);
    } else if (event_kind(event) == EVENT_READ_ONLY) {
        simt_check_read_only(simt_site_number(event_place(event)), event_size(event), warp, lanes,
                             addresses);
    } else if (event_kind(event) == EVENT_FENCE) {
        for (uint32_t set = lanes; set; set &= set - 1) {
            simt_causality_fence(warp * SIMT_WARP_SIZE + simt_lowest(set), scope,
                                 event_size(event) | (event_how(event) & SIMT_OF_SYSTEM));
        }
    }
}

static void check_one(const struct simt_event *event, unsigned int warp, unsigned int lane)
{
    uint64_t addresses[SIMT_WARP_SIZE];
    enum simt_event_kind kind = event_kind(event);
    addresses[lane] = event->address;
    if (!event_is_access(event)) {
        check_other(event, warp, 1u << lane, addresses);
    } else {
        enum simt_space space = simt_range_of(event->address)->space;
        if (space == SPACE_LOCAL) {
            simt_check_local(kind, simt_site_number(event_place(event)), warp, 1u << lane,
                             addresses);
        } else {
            simt_check_access(space, kind, event_how(event), simt_site_number(event_place(event)),
                              event_size(event), warp, 1u << lane, addresses);
        }
    }
}

/* Skips accesses to the lane's own stack, which are most of all and correct; except for accumulator
 * registers of wgmma. */
static void check_until(const struct simt_event *end, unsigned int warp, unsigned int lane)
{
    const unsigned int thread = warp * SIMT_WARP_SIZE + lane;
    const struct simt_range own = simt_machine_stack(thread);
    const struct simt_range registers = simt_wgmma_registers(thread);
    simt_traces.at = checked;
    simt_traces.ahead = 0;
    simt_traces.together = 0;
    for (; checked[lane] < end; checked[lane]++) {
        const struct simt_event *event = checked[lane];
        if (event_kind(event) != EVENT_BLOCK &&
            (!event_is_access(event) || !simt_in_range(&own, event->address) ||
             simt_in_range(&registers, event->address))) {
            check_one(event, warp, lane);
            if (__builtin_expect(simt_passing, 0)) {
                simt_passed_on(warp, 1u << lane);
            }
        }
    }
}

void simt_step_check(struct simt_traces *traces, unsigned int warp)
{
    traces->warp_in_order[warp] = true;
    for (unsigned int i = 0; i < traces->stretch_count; i++) {
        const struct simt_event *end = traces->stretches[i];
        check_until(end, warp, (unsigned int)((end - simt_trace_events) / TRACE_STRIDE));
    }
    for (unsigned int lane = 0; lane < SIMT_WARP_SIZE; lane++) {
        check_until(traces->end[lane], warp, lane);
    }
}

/* The lanes of this set whose addresses are in the range. */
static uint32_t in_range(const struct simt_range *range, uint32_t lanes, const uint64_t *addresses)
{
    uint32_t inside = 0;
    if (lanes == ~(uint32_t)0) {
        uint64_t outside = 0;
        for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
            outside |= addresses[i] - range->base >= range->size;
        }
        if (!outside) {
            return lanes;
        }
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        if (addresses[simt_lowest(set)] - range->base < range->size) {
            inside |= 1u << simt_lowest(set);
        }
    }
    return inside;
}

/* A request to several variables in shared memory: uses the banks that they have on a GPU, not
 * those of their addresses here. */
static void count_several(struct simt_site *site, enum simt_event_kind kind, unsigned int size,
                          uint32_t lanes, const uint64_t *addresses)
{
    uint64_t places[SIMT_WARP_SIZE];
    for (uint32_t set = lanes; set; set &= set - 1) {
        places[simt_lowest(set)] = simt_shared_place(addresses[simt_lowest(set)]);
    }
    simt_count_access(site, SPACE_SHARED, kind, size, lanes, places);
}

/* A request through pointers that differ per lane may touch several spaces: it counts as one
 * request per space. */
static void access_memory(const struct simt_event *event, unsigned int warp, uint32_t lanes,
                          const uint64_t *addresses)
{
    enum simt_event_kind kind = event_kind(event);
    bool counted = kind < EVENT_COPIED;
    unsigned int number = simt_site_number(event_place(event)), size = event_size(event);
    kind = kind > EVENT_ATOMIC ? EVENT_STORE : kind;
    while (lanes) {
        const struct simt_range range = *simt_range_of(addresses[simt_lowest(lanes)]);
        uint32_t here = in_range(&range, lanes, addresses);
        const uint32_t in_one = here;
        lanes &= ~here;
        if (range.space == SPACE_LOCAL) {
            if (!counts_only) {
                simt_check_local(kind, number, warp, here, addresses);
            }
            continue;
        }
        for (uint32_t set = lanes; set; set &= set - 1) {
            /* Another allocation in the same space: still one request. */
            if (simt_range_of(addresses[simt_lowest(set)])->space == range.space) {
                here |= 1u << simt_lowest(set);
            }
        }
        lanes &= ~here;
        if (range.space != SPACE_HOST && counted) {
            if (here != in_one && range.space == SPACE_SHARED) {
                count_several(simt_site(number), kind, size, here, addresses);
            } else {
                simt_count_access(simt_site(number), range.space, kind, size, here, addresses);
            }
            if (simt_requests_wanted) {
                simt_requests_add(event_place(event), range.space, kind, size, warp, here,
                                  addresses);
            }
        }
        if (!counts_only) {
            simt_check_access(range.space, event_kind(event), event_how(event), number, size, warp,
                              here, addresses);
        }
    }
}

/* Like access_memory, but faster, for the usual access: 32 lanes side by side or at one address.
 * False if the access is different. */
static bool access_row(const struct simt_event *event, unsigned int warp, uint64_t distance)
{
    unsigned int size = event_size(event), number;
    uint64_t first = event->address, end = first + (SIMT_WARP_SIZE - 1) * distance + size;
    uint64_t addresses[SIMT_WARP_SIZE];
    const struct simt_range *range = simt_range_of(first);
    enum simt_space space = range->space;
    if ((distance != size && distance != 0) || range->illegal || end - range->base > range->size ||
        !is_aligned(first, size)) {
        return false;
    }
    if (space == SPACE_LOCAL) { /* the arguments; or an error */
        return counts_only || (simt_machine_is_own(warp * SIMT_WARP_SIZE, first) &&
                               simt_machine_is_own(warp * SIMT_WARP_SIZE + 1, first));
    }
    if (space != SPACE_GLOBAL && (space != SPACE_SHARED || size != WORD_BYTES)) {
        return false;
    }
    number = simt_site_number(event_place(event));
    simt_count_row(simt_site(number), space, event_kind(event), first, end);
    if (!simt_requests_wanted &&
        (counts_only ||
         (distance == size && size >= WORD_BYTES &&
          simt_check_row(space, event_kind(event), number, size, warp, first)) ||
         (event_kind(event) == EVENT_LOAD && size == WORD_BYTES &&
          simt_check_simple_load(space, number, warp, first, distance)))) {
        return true;
    }
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        addresses[i] = first + i * distance;
    }
    if (simt_requests_wanted) {
        simt_requests_add(event_place(event), space, event_kind(event), size, warp, ~0u, addresses);
    }
    if (!counts_only) {
        simt_check_access(space, event_kind(event), 0, number, size, warp, ~0u, addresses);
    }
    return true;
}

static inline __attribute__((always_inline)) void
access_or_other(const struct simt_event *const *at, size_t ahead, unsigned int warp, uint32_t lanes,
                uint64_t distance)
{
    const struct simt_event *event = at[simt_lowest(lanes)] + ahead;
    enum simt_event_kind kind = event_kind(event);
    uint64_t addresses[SIMT_WARP_SIZE];
    if (kind <= EVENT_STORE && distance != UINT64_MAX && !event_how(event) &&
        access_row(event, warp, distance)) {
        return;
    }
    if (lanes == ~(uint32_t)0) {
        for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
            addresses[i] = at[i][ahead].address;
        }
    } else {
        for (uint32_t set = lanes; set; set &= set - 1) {
            addresses[simt_lowest(set)] = at[simt_lowest(set)][ahead].address;
        }
    }
    if (event_is_access(event)) {
        access_memory(event, warp, lanes, addresses);
    } else if (!counts_only) {
        check_other(event, warp, lanes, addresses);
    }
}

/* The lanes perform their events `ahead` of at[] together. `distance` of all 32: see look_at. */
void simt_step(const struct simt_event *const *at, size_t ahead, unsigned int warp, uint32_t lanes,
               uint64_t distance)
{
    const struct simt_event *event = at[simt_lowest(lanes)] + ahead;
    simt_traces.at = at;
    simt_traces.ahead = ahead;
    simt_traces.together = lanes;
    if (simt_watched) {
        simt_watcher.step(at, ahead, warp, lanes);
    }
    if (event_kind(event) == EVENT_BLOCK) {
        simt_splits_enter(warp, lanes, event_depth(event), event_place(event));
        return;
    }
    access_or_other(at, ahead, warp, lanes, distance);
    if (__builtin_expect(simt_passing, 0) && !counts_only) {
        simt_passed_on(warp, lanes);
    }
}

void simt_step_counts_only(bool only)
{
    counts_only = only;
}

void simt_step_start(void)
{
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        checked[i] = simt_trace_buffer(i);
    }
}

void simt_step_keep_rest(const struct simt_event *const *at)
{
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        checked[i] -= at[i] - simt_trace_buffer(i);
        checked[i] = checked[i] > simt_trace_buffer(i) ? checked[i] : simt_trace_buffer(i);
    }
}
/* SPDX-License-Identifier: MIT */
