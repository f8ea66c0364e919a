/* Launches by kernels. They run here when the kernel has ended, but on a GPU they may start at
 * once. So they race with all later actions, and with earlier ones of other threads that the
 * launching thread does not know. (Launches by one kernel do not race with one another here.) */
#include "check/origins.h"

#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "check/orders.h"

struct simt_origin {
    struct simt_origin *next;
    uint64_t launch; /* the kernel's; see streams.h */
    size_t block;
    bool knows_others;   /* also some of what other blocks did; details unknown */
    uint32_t grid_first; /* its tags after the last grid.sync() */
    uint32_t first, end; /* the block's tags; end 0: unknown, so nothing is reported */
    uint32_t floor, count;
    struct simt_moment moments[];
};
static struct simt_origin *origins;
static const struct simt_origin *running; /* NULL: the host launched it */

struct simt_origin *simt_origin_make(unsigned int thread)
{
    struct simt_clock *clock = NULL;
    const struct simt_block_past *past;
    struct simt_origin *origin;
    simt_causality_release(thread, &clock);
    past = simt_clock_find(clock, simt_order->number);
    origin = simt_needed(malloc(sizeof *origin + past->count * sizeof *past->moments), "a launch");
    *origin = (struct simt_origin){
        .next = origins,
        .launch = simt_launch_count > 0 ? simt_launches[simt_launch_count - 1].number : 0,
        .block = simt_order->number,
        .knows_others = simt_order->seen[thread] != NULL,
        .grid_first = simt_now.launch,
        .first = simt_order->first,
        .floor = past->floor,
        .count = past->count};
    memcpy(origin->moments, past->moments, past->count * sizeof *past->moments);
    simt_clock_drop(clock);
    return origins = origin;
}

void simt_origin_drop(struct simt_origin *origin)
{
    struct simt_origin **link = &origins;
    while (*link && *link != origin) {
        link = &(*link)->next;
    }
    if (*link) {
        *link = origin->next;
    }
    running = running == origin ? NULL : running;
    free(origin);
}

/* Must run while the eras are still those of the ended kernel. */
static void find_end(struct simt_origin *origin)
{
    unsigned int eras = 0;
    for (size_t i = 0; i < simt_era_count; i++) {
        if (simt_eras[i].block == origin->block) {
            eras++;
            origin->end = i + 1 < simt_era_count ? simt_eras[i + 1].start : UINT32_MAX;
        }
    }
    origin->end = eras == 1 ? origin->end : 0; /* unknown if the block waited for others */
}

void simt_origin_begins(const struct simt_origin *origin)
{
    for (struct simt_origin *one = origins; one; one = one->next) {
        if (one->end == 0 && simt_launch_count > 0 &&
            one->launch == simt_launches[simt_launch_count - 1].number) {
            find_end(one);
        }
    }
    running = origin;
}

uint64_t simt_origin_launch(void)
{
    return running ? running->launch : 0;
}

bool simt_origin_covers(uint32_t tag)
{
    const uint32_t thread = tag % THREADS;
    if (tag < running->grid_first || running->end == 0) {
        return true;
    }
    if (tag < running->first || tag >= running->end) {
        return running->knows_others;
    }
    for (uint32_t i = 0; tag >= running->floor && i < running->count; i++) {
        if (running->moments[i].thread == thread) {
            return tag < running->moments[i].before;
        }
    }
    return tag < running->floor;
}

void simt_origins_renumber(void (*apply)(uint32_t *tag, bool change), bool change)
{
    for (struct simt_origin *origin = origins; origin; origin = origin->next) {
        apply(&origin->grid_first, change);
        apply(&origin->first, change);
        if (origin->end != UINT32_MAX) {
            apply(&origin->end, change);
        }
        apply(&origin->floor, change);
        for (uint32_t i = 0; i < origin->count; i++) {
            apply(&origin->moments[i].before, change);
        }
    }
}
/* SPDX-License-Identifier: MIT */
