#include "check/causality.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/need.h"
#include "base/worker.h"
#include "check/orders.h"
#include "check/origins.h"

struct simt_now simt_now;
struct simt_made simt_made;
uint32_t simt_segment, simt_segments_end = SIMT_MOST_SEGMENTS;
struct simt_order *simt_orders, *simt_order;
struct simt_era *simt_eras;
struct simt_past_launch *simt_launches;
size_t simt_era_count, simt_launch_count;
static size_t era_capacity, launch_capacity;

uint32_t simt_new_segment(void)
{
    if (simt_segment + 1 >= simt_segments_end) {
        simt_only_in_order();
        simt_renumber();
    }
    simt_made.segments++;
    return ++simt_segment << SIMT_THREAD_BITS;
}

uint32_t *simt_row_of(unsigned int thread)
{
    if (!simt_order->rows[thread]) {
        simt_order->rows[thread] = simt_needed(malloc(THREADS * sizeof(uint32_t)), "the checks");
        simt_order->row_of[thread] = NO_SEGMENT;
    }
    if (!simt_has_row(simt_order, thread)) {
        memset(simt_order->rows[thread], 0, simt_ids(simt_order) * sizeof(uint32_t));
        simt_order->row_of[thread] = simt_order->barrier;
    }
    if (!simt_now.fine) {
        simt_only_in_order();
    }
    simt_now.fine = true;
    return simt_order->rows[thread];
}

/* ---- barriers and collectives ---- */

/* Each of these threads learns what any of them knows. */
static void pool_clocks(unsigned int first, uint32_t lanes, struct simt_clock **clocks)
{
    struct simt_clock *all = NULL;
    for (uint32_t set = lanes; set; set &= set - 1) {
        simt_clock_add(&all, clocks[first + simt_lowest(set)]);
    }
    for (uint32_t set = lanes; all && set; set &= set - 1) {
        simt_clock_clear(&clocks[first + simt_lowest(set)]);
        clocks[first + simt_lowest(set)] = simt_clock_keep(all);
    }
    simt_clock_drop(all);
}

static void pool_block(struct simt_clock **clocks)
{
    struct simt_clock *all = NULL;
    for (unsigned int i = 0; i < simt_order->threads; i++) {
        simt_clock_add(&all, clocks[i]);
    }
    for (unsigned int i = 0; all && i < simt_order->threads; i++) {
        simt_clock_clear(&clocks[i]);
        clocks[i] = simt_clock_keep(all);
    }
    simt_clock_drop(all);
}

void simt_causality_barrier(void)
{
    const uint32_t start = simt_new_segment(), threads = simt_order->threads;
    uint32_t *const tags = simt_order->tags;
    simt_now.barrier = simt_order->barrier = start;
    for (uint32_t i = 0; i < threads; i++) {
        tags[i] = start | i;
    }
    if (simt_order->clocks_used) {
        pool_block(simt_order->seen);
        pool_block(simt_order->pending[SIMT_SCOPE_BLOCK]);
        pool_block(simt_order->pending[SIMT_SCOPE_DEVICE]);
    }
    simt_pool_proxies();
}

/* All blocks have arrived: earlier accesses cannot race any more. */
void simt_causality_grid_barrier(void)
{
    bool alone = simt_now.oldest == simt_now.launch;
    simt_now.launch = simt_new_segment();
    simt_now.oldest = alone ? simt_now.launch : simt_now.oldest;
}

/* Each lane learns what any lane knows; and what lane i did before from[i]. */
static void share_rows(unsigned int warp, uint32_t lanes, const uint32_t *from)
{
    static uint32_t joined[THREADS];
    unsigned int first = warp * SIMT_WARP_SIZE;
    memset(joined, 0, simt_ids(simt_order) * sizeof *joined);
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = first + simt_lowest(set);
        if (simt_has_row(simt_order, thread)) {
            const uint32_t *row = simt_order->rows[thread];
            for (unsigned int i = 0; i < simt_ids(simt_order); i++) {
                joined[i] = simt_later(joined[i], row[i]);
            }
        }
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = simt_lowest(set);
        joined[first + lane] = simt_later(joined[first + lane], from[lane]);
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        memcpy(simt_row_of(first + simt_lowest(set)), joined,
               simt_ids(simt_order) * sizeof *joined);
    }
}

/* __syncwarp: orders all earlier actions of the lanes before all their later ones. */
static void sync_lanes(unsigned int warp, uint32_t lanes, bool whole)
{
    unsigned int first = warp * SIMT_WARP_SIZE;
    uint32_t start = simt_new_segment(), from[SIMT_WARP_SIZE] = {0};
    bool rows = !whole;
    for (uint32_t set = lanes; set; set &= set - 1) {
        from[simt_lowest(set)] = start;
        rows = rows || simt_has_row(simt_order, first + simt_lowest(set));
    }
    if (rows) {
        share_rows(warp, lanes, from);
    }
    if (whole) {
        simt_order->warp_start[warp] = start;
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        simt_order->tags[first + simt_lowest(set)] = start | (first + simt_lowest(set));
    }
    if (simt_order->clocks_used) {
        pool_clocks(first, lanes, simt_order->seen);
        pool_clocks(first, lanes, simt_order->pending[SIMT_SCOPE_BLOCK]);
        pool_clocks(first, lanes, simt_order->pending[SIMT_SCOPE_DEVICE]);
    }
}

/* A shuffle or a vote passes values. Like an atomic, it does not order memory. Other lanes learn
 * what a lane knew at its fence only after a fence of their own. */
static void pass_values(unsigned int warp, uint32_t lanes)
{
    const unsigned int first = warp * SIMT_WARP_SIZE;
    for (unsigned int scope = 0; simt_order->fences_used && scope < SCOPES; scope++) {
        struct simt_clock *all = NULL;
        for (uint32_t set = lanes; set; set &= set - 1) {
            const unsigned int thread = first + simt_lowest(set);
            if (simt_order->fences[scope][thread].at) {
                simt_clock_add(&all, simt_at_fence(thread, &simt_order->fences[scope][thread]));
            }
        }
        for (uint32_t set = lanes; all && set; set &= set - 1) {
            simt_clock_add(&simt_order->pending[scope][first + simt_lowest(set)], all);
            simt_order->clocks_used = true;
        }
        simt_clock_drop(all);
    }
}

void simt_causality_meet(unsigned int warp, uint32_t lanes, bool syncs, bool whole)
{
    if (syncs) {
        sync_lanes(warp, lanes, whole);
    } else {
        pass_values(warp, lanes);
    }
}

/* ---- order of two accesses ---- */

static size_t block_of(uint32_t tag)
{
    size_t low = 0, high = simt_era_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (simt_eras[middle].start <= tag) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return simt_eras[low].block;
}

bool simt_is_other_block(uint32_t tag)
{
    return tag < simt_now.era && (tag < simt_now.start || block_of(tag) != simt_order->number);
}

bool simt_unordered(uint32_t tag, unsigned int thread)
{
    unsigned int other = tag % THREADS;
    if (tag < simt_now.launch) {
        const uint64_t launch = tag < simt_now.start ? simt_causality_launch_of(tag) : 0;
        return launch && !simt_order->waited &&
               !(launch == simt_origin_launch() && simt_origin_covers(tag));
    }
    if (tag < simt_now.era) {
        size_t block = block_of(tag);
        if (block != simt_order->number) {
            return !simt_past_covers(simt_clock_find(simt_order->seen[thread], block), other, tag);
        }
    }
    if (tag < simt_order->barrier || other == thread) {
        return false;
    }
    if (other / SIMT_WARP_SIZE == thread / SIMT_WARP_SIZE &&
        tag < simt_order->warp_start[thread / SIMT_WARP_SIZE]) {
        return false;
    }
    return !(simt_has_row(simt_order, thread) && tag < simt_order->rows[thread][other]);
}

enum simt_almost simt_almost_ordered(uint32_t tag, unsigned int thread)
{
    size_t block = tag < simt_now.era ? block_of(tag) : simt_order->number;
    if (tag < simt_now.start) {
        return SIMT_NO_RELEASE;
    }
    for (unsigned int scope = 0; scope < SCOPES; scope++) {
        if (simt_past_covers(simt_clock_find(simt_order->pending[scope][thread], block),
                             tag % THREADS, tag)) {
            return scope == SIMT_SCOPE_DEVICE || block == simt_order->number ? SIMT_NO_ACQUIRE_FENCE
                                                                             : SIMT_BLOCK_SCOPE;
        }
    }
    return SIMT_NO_RELEASE;
}

/* ---- launches and blocks ---- */

static void clear_order(struct simt_order *order)
{
    for (unsigned int i = 0; order->fences_used && i < order->threads; i++) {
        simt_forget_fence(&order->fences[SIMT_SCOPE_BLOCK][i]);
        simt_forget_fence(&order->fences[SIMT_SCOPE_DEVICE][i]);
    }
    for (unsigned int i = 0; order->clocks_used && i < order->threads; i++) {
        simt_clock_clear(&order->seen[i]);
        simt_clock_clear(&order->pending[SIMT_SCOPE_BLOCK][i]);
        simt_clock_clear(&order->pending[SIMT_SCOPE_DEVICE][i]);
    }
    order->fences_used = order->clocks_used = order->waited = false;
    simt_forget_proxies(order);
    order->agents = 0;
}

static struct simt_order *idle_order(void)
{
    struct simt_order *order = simt_orders;
    while (order && !order->idle) {
        order = order->next;
    }
    if (!order) {
        order = simt_needed(calloc(1, sizeof *order), "the checks");
        order->next = simt_orders;
        simt_orders = order;
    }
    order->idle = false;
    return order;
}

void simt_causality_add_era(struct simt_era era)
{
    simt_eras =
        simt_with_room(simt_eras, simt_era_count, &era_capacity, sizeof *simt_eras, "the checks");
    simt_eras[simt_era_count++] = era;
}

static void begin_era(size_t block)
{
    simt_now.era = simt_new_segment();
    simt_causality_add_era((struct simt_era){simt_now.era, block});
}

/* Launches before `first` are not needed any more. They are removed only when they may be half of
 * all, so that each of many tiny launches does not scan all earlier ones. */
static void forget_launches(uint64_t first)
{
    enum { FEW = 64 };
    static size_t kept_last;
    size_t kept = 0;
    if (simt_launch_count < 2 * kept_last + FEW) {
        return;
    }
    for (size_t i = 0; i < simt_launch_count; i++) {
        if (simt_launches[i].number >= first) {
            simt_launches[kept++] = simt_launches[i];
        }
    }
    simt_launch_count = kept_last = kept;
}

static void add_launch(uint64_t number, uint64_t first)
{
    if (simt_launch_count > 0) {
        simt_launches[simt_launch_count - 1].end = simt_now.start;
    }
    forget_launches(first);
    simt_launches = simt_with_room(simt_launches, simt_launch_count, &launch_capacity,
                                   sizeof *simt_launches, "the checks");
    simt_launches[simt_launch_count++] =
        (struct simt_past_launch){.start = simt_now.start, .number = number};
}

static bool any_unordered;

void simt_causality_none_unordered(void)
{
    for (size_t i = 0; any_unordered && i < simt_launch_count; i++) {
        simt_launches[i].unordered = false;
    }
    any_unordered = false;
}

void simt_causality_unordered(uint64_t number)
{
    for (size_t i = 0; i < simt_launch_count; i++) {
        if (simt_launches[i].number == number) {
            simt_launches[i].unordered = any_unordered = true;
            if (simt_launches[i].start < simt_now.oldest) {
                simt_now.oldest = simt_launches[i].start;
                simt_now.fine = true; /* keep readers of this launch */
            }
        }
    }
}

static struct simt_past_launch *unordered_launch_of(uint32_t tag)
{
    size_t low = 0, high = simt_launch_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (simt_launches[middle].start <= tag) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low < high && simt_launches[low].unordered && tag >= simt_launches[low].start &&
                   tag >= simt_launches[low].heard &&
                   (simt_launches[low].end == 0 || tag < simt_launches[low].end)
               ? &simt_launches[low]
               : NULL;
}

uint64_t simt_causality_launch_of(uint32_t tag)
{
    const struct simt_past_launch *launch = unordered_launch_of(tag);
    return launch ? launch->number : 0;
}

bool simt_causality_released(uint32_t tag, bool heard)
{
    struct simt_past_launch *launch = unordered_launch_of(tag);
    const bool released = launch && launch->fenced && launch->fenced <= (tag | (SIMT_THREADS - 1));
    if (released && heard) {
        launch->heard = tag & ~(uint32_t)(SIMT_THREADS - 1);
    }
    return released;
}

void simt_causality_start_launch(size_t blocks, uint64_t number, uint64_t first)
{
    for (struct simt_order *order = simt_orders; order; order = order->next) {
        clear_order(order);
        order->idle = true;
    }
    simt_order = NULL;
    simt_forget_locations();
    simt_clocks_start(blocks);
    simt_era_count = 0;
    simt_made = (struct simt_made){0};
    simt_now.fine = false;
    simt_now.start = simt_now.launch = simt_now.oldest = simt_new_segment();
    add_launch(number, first);
    simt_causality_none_unordered();
}

/* ---- launches that are repeated without being run ---- */

struct simt_stretch *simt_stretches;

static uint32_t next_tag(void)
{
    return (simt_segment + 1) << SIMT_THREAD_BITS;
}

void simt_stretch_keep(struct simt_stretch *stretch)
{
    *stretch = (struct simt_stretch){simt_stretches, simt_now.start, next_tag(), next_tag()};
    simt_stretches = stretch;
}

void simt_stretch_again(struct simt_stretch *stretch)
{
    stretch->since = next_tag();
}

void simt_stretch_drop(struct simt_stretch *stretch)
{
    struct simt_stretch **link = &simt_stretches;
    while (*link && *link != stretch) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = stretch->next;
    }
}

struct simt_stretch simt_stretch_renew(struct simt_stretch *stretch, uint64_t number,
                                       uint64_t first)
{
    const uint32_t start = simt_new_segment(); /* this may renumber all tags */
    const struct simt_stretch before = *stretch;
    simt_now.start = simt_now.launch = simt_now.oldest = start;
    add_launch(number, first);
    stretch->start = start;
    stretch->end = stretch->since = next_tag();
    return before;
}

/* The block before it has finished or is suspended. */
void simt_causality_start_block(size_t number, unsigned int threads)
{
    if (simt_order) {
        clear_order(simt_order);
        simt_order->idle = true;
    }
    simt_made.blocks++;
    simt_order = idle_order();
    simt_order->number = number;
    simt_order->threads = threads;
    begin_era(number);
    simt_order->first = simt_order->barrier = simt_now.block = simt_now.barrier = simt_now.era;
    simt_now.tags = simt_order->tags;
    memset(simt_order->warp_start, 0, sizeof simt_order->warp_start);
    memset(simt_order->row_of, 0, threads * sizeof *simt_order->row_of);
    for (unsigned int i = 0; i < threads; i++) {
        simt_order->tags[i] = simt_now.era | i;
    }
}

struct simt_order *simt_causality_suspend(void)
{
    struct simt_order *order = simt_order;
    simt_order = NULL;
    return order;
}

void simt_causality_resume(struct simt_order *order)
{
    if (simt_order) {
        clear_order(simt_order);
        simt_order->idle = true;
    }
    simt_order = order;
    begin_era(order->number);
    simt_now.block = order->first;
    simt_now.barrier = order->barrier;
    simt_now.tags = order->tags;
    /* From now on, the threads act in this era. */
    for (unsigned int i = 0; i < order->threads; i++) {
        order->tags[i] = simt_now.era | i;
    }
}
/* SPDX-License-Identifier: MIT */
