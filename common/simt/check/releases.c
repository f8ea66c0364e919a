/* Release and acquire. A release is a fence, then an atomic or a volatile store. An acquire is an
 * atomic or a volatile load of the same word, then a fence. */
#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "base/worker.h"
#include "check/orders.h"

/* ---- addresses that threads release to ---- */

struct location {
    uint64_t address; /* 0: none */
    /* For the device; for threads of the block `owner` only. */
    struct simt_clock *clocks[SCOPES];
    size_t owner;
};
static struct location *locations; /* open addressing */
static size_t location_count, location_capacity;

static struct location *location_slot(uint64_t address)
{
    size_t slot = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20) % location_capacity;
    while (locations[slot].address && locations[slot].address != address) {
        slot = (slot + 1) % location_capacity;
    }
    return &locations[slot];
}

static struct location *find_location(uint64_t address)
{
    struct location *found = location_count ? location_slot(address) : NULL;
    return found && found->address ? found : NULL;
}

static struct location *get_location(uint64_t address)
{
    struct location *found = find_location(address);
    if (found) {
        return found;
    }
    if (2 * (location_count + 1) > location_capacity) {
        struct location *old = locations;
        size_t old_capacity = location_capacity;
        location_capacity = old_capacity ? 2 * old_capacity : 64;
        locations = simt_needed(calloc(location_capacity, sizeof *locations), "the checks");
        for (size_t i = 0; i < old_capacity; i++) {
            if (old[i].address) {
                *location_slot(old[i].address) = old[i];
            }
        }
        free(old);
    }
    location_count++;
    found = location_slot(address);
    *found = (struct location){.address = address, .owner = ANONYMOUS};
    return found;
}

void simt_forget_locations(void)
{
    for (size_t i = 0; location_count > 0 && i < location_capacity; i++) {
        simt_clock_clear(&locations[i].clocks[SIMT_SCOPE_BLOCK]);
        simt_clock_clear(&locations[i].clocks[SIMT_SCOPE_DEVICE]);
        locations[i].address = 0;
    }
    location_count = 0;
}

/* ---- acquire and release ---- */

void simt_learn_row(unsigned int thread, const struct simt_clock *clock)
{
    const struct simt_block_past *past = simt_clock_find(clock, simt_order->number);
    if (past && past->count > 0) {
        uint32_t *row = simt_row_of(thread);
        for (uint32_t i = 0; i < past->count; i++) {
            uint32_t *known = &row[past->moments[i].thread];
            *known = simt_later(*known, past->moments[i].before);
        }
    }
}

void simt_forget_fence(struct simt_fence *fence)
{
    free(fence->row);
    simt_clock_clear(&fence->seen);
    simt_clock_clear(&fence->all);
    *fence = (struct simt_fence){0};
}

void simt_make_fence(struct simt_fence *fence, unsigned int thread)
{
    *fence = (struct simt_fence){.at = simt_order->tags[thread] & ~(uint32_t)(THREADS - 1),
                                 .floor = simt_order->barrier,
                                 .warp_floor = simt_order->warp_start[thread / SIMT_WARP_SIZE],
                                 .seen = simt_clock_keep(simt_order->seen[thread])};
    if (simt_has_row(simt_order, thread)) {
        fence->row = simt_needed(calloc(THREADS, sizeof(uint32_t)), "the checks");
        memcpy(fence->row, simt_order->rows[thread], simt_ids(simt_order) * sizeof(uint32_t));
    }
}

static void remember_fence(unsigned int thread, enum simt_scope scope)
{
    simt_forget_fence(&simt_order->fences[scope][thread]);
    simt_make_fence(&simt_order->fences[scope][thread], thread);
}

void simt_causality_fence(unsigned int thread, enum simt_scope scope, unsigned int ordering)
{
    simt_only_in_order();
    const bool of_system = ordering & SIMT_OF_SYSTEM;
    ordering &= ~(unsigned int)SIMT_OF_SYSTEM;
    if (ordering == SIMT_OF_LAUNCHES) {
        simt_order->waited = true;
        return;
    }
    simt_now.fine = simt_order->fences_used = true;
    if (simt_order->clocks_used && ordering != SIMT_RELEASES) {
        for (unsigned int i = 0; i < SCOPES; i++) {
            simt_learn_row(thread, simt_order->pending[i][thread]);
        }
        simt_clock_clear(&simt_order->pending[SIMT_SCOPE_BLOCK][thread]);
        if (scope == SIMT_SCOPE_DEVICE) {
            simt_clock_add(&simt_order->seen[thread],
                           simt_order->pending[SIMT_SCOPE_DEVICE][thread]);
            simt_clock_clear(&simt_order->pending[SIMT_SCOPE_DEVICE][thread]);
        }
    }
    if (ordering == SIMT_ACQUIRES) {
        return;
    }
    simt_order->tags[thread] = simt_new_segment() | thread;
    if (of_system && simt_launch_count > 0 && !simt_launches[simt_launch_count - 1].fenced) {
        simt_launches[simt_launch_count - 1].fenced = simt_order->tags[thread];
    }
    remember_fence(thread, scope);
    if (scope == SIMT_SCOPE_DEVICE) {
        simt_forget_fence(&simt_order->fences[SIMT_SCOPE_BLOCK][thread]);
    }
}

bool simt_has_fenced(unsigned int thread)
{
    return simt_order->fences[SIMT_SCOPE_BLOCK][thread].at ||
           simt_order->fences[SIMT_SCOPE_DEVICE][thread].at;
}

struct simt_clock *simt_at_fence(unsigned int thread, struct simt_fence *fence)
{
    static struct simt_moment moments[THREADS];
    unsigned int first = thread / SIMT_WARP_SIZE * SIMT_WARP_SIZE, ids = simt_ids(simt_order);
    size_t count = 0;
    struct simt_clock *own;
    if (fence->all) {
        return fence->all;
    }
    for (unsigned int i = 0; i < ids; i++) {
        uint32_t before = fence->row ? fence->row[i] : 0;
        if (i == thread) {
            before = fence->at;
        } else if (i - first < SIMT_WARP_SIZE) {
            before = simt_later(before, fence->warp_floor);
        } else if (!fence->row) {
            i = i < first ? first - 1 : ids; /* other warps are not needed */
            continue;
        }
        if (before > fence->floor) {
            moments[count++] = (struct simt_moment){i, before};
        }
    }
    own = simt_clock_of(simt_order->number, fence->floor, moments, count);
    fence->all = simt_clock_join(fence->seen, own);
    simt_clock_drop(own);
    return fence->all;
}

static void acquire(unsigned int thread, const struct location *location, enum simt_scope scope)
{
    bool ours = location->owner == simt_order->number;
    for (unsigned int i = 0; i < SCOPES; i++) {
        if (location->clocks[i] && (i == SIMT_SCOPE_DEVICE || ours)) {
            /* An acquire with block scope only gets what threads of the block released. */
            unsigned int kept = i == SIMT_SCOPE_DEVICE ? scope : SIMT_SCOPE_BLOCK;
            simt_clock_add(&simt_order->pending[kept][thread], location->clocks[i]);
            simt_order->clocks_used = true;
        }
    }
}

static void release(unsigned int thread, struct location *location, enum simt_scope scope)
{
    struct simt_fence *device = &simt_order->fences[SIMT_SCOPE_DEVICE][thread];
    struct simt_fence *block = &simt_order->fences[SIMT_SCOPE_BLOCK][thread];
    if (device->at && scope == SIMT_SCOPE_DEVICE) {
        simt_clock_add(&location->clocks[SIMT_SCOPE_DEVICE], simt_at_fence(thread, device));
    }
    if (block->at || scope == SIMT_SCOPE_BLOCK) {
        if (location->owner != simt_order->number) {
            simt_clock_clear(&location->clocks[SIMT_SCOPE_BLOCK]);
            location->owner = simt_order->number;
        }
        simt_clock_add(&location->clocks[SIMT_SCOPE_BLOCK],
                       simt_at_fence(thread, block->at ? block : device));
    }
}

void simt_causality_strong(unsigned int thread, uint64_t address, enum simt_strong how,
                           enum simt_scope scope)
{
    struct location *location = find_location(address);
    if (location && how == SIMT_STRONG_STORE) { /* its readers have not read the earlier value */
        simt_clock_clear(&location->clocks[SIMT_SCOPE_BLOCK]);
        simt_clock_clear(&location->clocks[SIMT_SCOPE_DEVICE]);
    } else if (location) {
        acquire(thread, location, scope);
    }
    if (how != SIMT_STRONG_LOAD && simt_order->fences_used && simt_has_fenced(thread)) {
        release(thread, location ? location : get_location(address), scope);
    }
}
/* SPDX-License-Identifier: MIT */
