/* Renumbers segments when their numbers run out.
 *
 * Tags are only compared with the moments below. So all segments between two such moments become
 * one, and the order stays exactly the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "check/orders.h"
#include "check/origins.h"

unsigned int simt_renumberings;

static uint32_t *cuts;
static size_t cut_count, cut_capacity;

static void cut(uint32_t tag)
{
    cuts = simt_with_room(cuts, cut_count, &cut_capacity, sizeof *cuts, "the checks");
    cuts[cut_count++] = tag >> SIMT_THREAD_BITS;
}

static uint32_t renumbered(uint32_t tag)
{
    uint32_t old = tag >> SIMT_THREAD_BITS;
    size_t low = 0, high = cut_count;
    if (tag == 0 || old < cuts[0]) {
        return 0; /* of an earlier launch */
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (cuts[middle] <= old) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t)(low + 1) << SIMT_THREAD_BITS | tag % THREADS;
}

static void apply(uint32_t *tag, bool change)
{
    if (change) {
        *tag = renumbered(*tag);
    } else if (*tag) {
        cut(*tag);
    }
}

static void apply_to_row(uint32_t *row, unsigned int threads, bool change)
{
    for (unsigned int i = 0; row && i < threads; i++) {
        apply(&row[i], change);
    }
}

static void apply_to_order(struct simt_order *order, bool change)
{
    for (unsigned int i = 0; i < order->threads; i++) {
        if (simt_has_row(order, i)) {
            apply_to_row(order->rows[i], simt_ids(order), change);
        } else {
            order->row_of[i] = NO_SEGMENT;
        }
        apply(&order->row_of[i], change);
        apply(&order->tags[i], change);
        for (unsigned int scope = 0; scope < SCOPES; scope++) {
            struct simt_fence *fence = &order->fences[scope][i];
            apply(&fence->at, change);
            apply(&fence->floor, change);
            apply(&fence->warp_floor, change);
            apply_to_row(fence->row, simt_ids(order), change);
        }
    }
    for (unsigned int i = 0; i < WARPS; i++) {
        apply(&order->warp_start[i], change);
    }
    for (size_t i = 0; i < order->proxy_count; i++) {
        apply(&order->proxies[i].at, change);
    }
    apply(&order->first, change);
    apply(&order->barrier, change);
}

static int by_block(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    return (left > right) - (left < right);
}

/* Blocks that no other block knows about are equivalent, so they become one. */
static void merge_eras(void)
{
    size_t count = 0, kept = 0, *known;
    for (const struct simt_block_past *past = simt_clocks_pasts(); past; past = past->next) {
        count++;
    }
    for (const struct simt_order *order = simt_orders; order; order = order->next) {
        count += !order->idle;
    }
    known = simt_needed(malloc((count + 1) * sizeof *known), "the checks");
    count = 0;
    for (const struct simt_block_past *past = simt_clocks_pasts(); past; past = past->next) {
        known[count++] = past->block;
    }
    for (const struct simt_order *order = simt_orders; order; order = order->next) {
        if (!order->idle) {
            known[count++] = order->number;
        }
    }
    qsort(known, count, sizeof *known, by_block);
    for (size_t i = 0; i < simt_era_count; i++) {
        size_t block = simt_eras[i].block;
        if (!bsearch(&block, known, count, sizeof *known, by_block)) {
            block = ANONYMOUS;
        }
        if (kept == 0 || block != ANONYMOUS || simt_eras[kept - 1].block != ANONYMOUS) {
            simt_eras[kept++] = (struct simt_era){simt_eras[i].start, block};
        }
    }
    simt_era_count = kept;
    free(known);
}

static void apply_to_all(bool change)
{
    apply(&simt_now.start, change);
    apply(&simt_now.launch, change);
    apply(&simt_now.oldest, change);
    for (size_t i = 0; i < simt_launch_count; i++) {
        apply(&simt_launches[i].start, change);
        apply(&simt_launches[i].end, change);
        apply(&simt_launches[i].fenced, change);
        apply(&simt_launches[i].heard, change);
    }
    for (struct simt_stretch *stretch = simt_stretches; stretch; stretch = stretch->next) {
        apply(&stretch->start, change);
        apply(&stretch->end, change);
        apply(&stretch->since, change);
    }
    apply(&simt_now.block, change);
    apply(&simt_now.era, change);
    apply(&simt_now.barrier, change);
    for (size_t i = 0; i < simt_era_count; i++) {
        apply(&simt_eras[i].start, change);
    }
    for (struct simt_order *order = simt_orders; order; order = order->next) {
        if (!order->idle) {
            apply_to_order(order, change);
        }
    }
    simt_origins_renumber(apply, change);
    for (struct simt_block_past *past = simt_clocks_pasts(); past; past = past->next) {
        apply(&past->floor, change);
        for (uint32_t i = 0; i < past->count; i++) {
            apply(&past->moments[i].before, change);
        }
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static void forget_order(struct simt_order *order, uint32_t start)
{
    memset(order->warp_start, 0, sizeof order->warp_start);
    memset(order->row_of, 0, sizeof order->row_of);
    order->first = order->barrier = start;
    order->proxies_dropped = order->proxies_dropped || order->proxy_count > 0;
    for (size_t i = 0; i < order->proxy_count; i++) {
        order->proxies[i].at = 0;
    }
    for (unsigned int i = 0; i < order->threads; i++) {
        order->tags[i] = start | i;
        for (unsigned int scope = 0; scope < SCOPES; scope++) {
            struct simt_fence *fence = &order->fences[scope][i];
            free(fence->row);
            fence->row = NULL;
            fence->at = fence->at ? start : 0;
            fence->floor = fence->warp_floor = 0;
        }
    }
}

/* There are still too many segments: earlier actions are forgotten. */
static void forget(void)
{
    static bool told;
    uint32_t start = (uint32_t)1 << SIMT_THREAD_BITS;
    if (!told) {
        fflush(stdout);
        fputs("simt: note: so many fences and blocks in one launch are more than the checks can "
              "tell apart; races with what was long before are not found\n",
              stderr);
        told = true;
    }
    simt_shadow_renumber(NULL);
    for (struct simt_block_past *past = simt_clocks_pasts(); past; past = past->next) {
        past->floor = 0;
        for (uint32_t i = 0; i < past->count; i++) {
            past->moments[i].before = 0;
        }
    }
    for (struct simt_order *order = simt_orders; order; order = order->next) {
        if (!order->idle) {
            forget_order(order, start);
        }
    }
    simt_now.launch = simt_now.block = simt_now.era = simt_now.barrier = start;
    simt_now.start = simt_now.oldest = start;
    for (struct simt_stretch *stretch = simt_stretches; stretch; stretch = stretch->next) {
        stretch->start = stretch->end = stretch->since = 0;
    }
    simt_launch_count = 0;
    simt_era_count = 1;
    simt_eras[0] = (struct simt_era){start, simt_order ? simt_order->number : ANONYMOUS};
    simt_segment = 1;
}

void simt_renumber(void)
{
    size_t kept = 0;
    simt_renumberings++;
    merge_eras();
    cut_count = 0;
    apply_to_all(false);
    qsort(cuts, cut_count, sizeof *cuts, by_number);
    for (size_t i = 0; i < cut_count; i++) {
        if (kept == 0 || cuts[i] != cuts[kept - 1]) {
            cuts[kept++] = cuts[i];
        }
    }
    cut_count = kept;
    if (cut_count > SIMT_MOST_SEGMENTS / 2) {
        forget();
        return;
    }
    simt_shadow_renumber(renumbered);
    apply_to_all(true);
    simt_segment = (uint32_t)cut_count;
}
/* SPDX-License-Identifier: MIT */
