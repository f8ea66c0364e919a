#include "check/causality.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/internal.h"
#include "check/clocks.h"

#ifndef SIMT_MOST_SEGMENTS /* a test has fewer */
#define SIMT_MOST_SEGMENTS (1 << (32 - SIMT_THREAD_BITS))
#endif

enum {
    THREADS = SIMT_THREADS,
    WARPS = THREADS / SIMT_WARP_SIZE,
    SCOPES = 2,
    NO_SEGMENT = 0,
};
#define ANONYMOUS SIZE_MAX /* a block that nobody knows anything of */

/* What a thread knew when it fenced last: its release carries that. */
struct fence {
    uint32_t at, floor, warp_floor; /* at: 0 if it has not */
    uint32_t *row;                  /* or NULL */
    struct simt_clock *seen, *all;  /* all: made of these when it is first asked for */
};

struct proxy_fence {
    uint32_t at;              /* the thread's tag behind it */
    struct simt_clock *known; /* what it is ordered behind */
};
enum { PROXIES_OF_THREAD = 8 };

struct simt_order {
    struct simt_order *next; /* of all; those that stand idle come last */
    bool idle;
    size_t number; /* of the block */
    unsigned int threads;
    uint32_t first, barrier;
    uint32_t warp_start[WARPS]; /* to before a __syncwarp of the whole warp */
    uint32_t tags[THREADS];
    /* rows[a][b]: what b did before this tag is ordered before what a does now. Only where partial
     * masks or fences make an order that the numbers above do not tell; forgotten at barriers. */
    uint32_t *rows[THREADS];
    uint32_t row_of[THREADS]; /* the barrier since which the row has counted */
    bool fences_used, clocks_used;
    unsigned int agents;
    /* Of fences between the proxies: the last ones of each thread, and those before the last
     * barrier of the block together. */
    struct proxy_fence *proxies;
    size_t proxy_count, proxy_capacity;
    struct simt_clock *proxied;
    bool proxies_dropped; /* some that would matter may be gone */
    struct fence fences[SCOPES][THREADS]; /* for the device; for the block: whichever is later */
    /* Of all blocks: what a thread knows; and what it will know after a fence. */
    struct simt_clock *seen[THREADS], *pending[SCOPES][THREADS];
};

struct simt_now simt_now;

static uint32_t segment; /* the last one given out */
static struct simt_order *orders, *now;

/* In ascending order of time. */
static struct era {
    uint32_t start;
    size_t block;
} * eras;
static size_t era_count, era_capacity;

static void *need(void *memory)
{
    if (!memory) {
        perror("simt: no memory for the checks");
        simt_exit_without_memory();
    }
    return memory;
}

static unsigned int lowest(uint32_t set)
{
    return (unsigned int)__builtin_ctz(set);
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void renumber(void);

/* The first tag of a new segment. */
static uint32_t new_segment(void)
{
    if (segment + 1 >= SIMT_MOST_SEGMENTS) {
        renumber();
    }
    return ++segment << SIMT_THREAD_BITS;
}

/* Of threads and agents, numbers are below this. */
static unsigned int ids(const struct simt_order *order)
{
    return order->agents ? SIMT_MAX_BLOCK_THREADS + order->agents : order->threads;
}

static bool has_row(const struct simt_order *order, unsigned int thread)
{
    return order->rows[thread] && order->row_of[thread] == order->barrier;
}

static uint32_t *row_of(unsigned int thread)
{
    if (!now->rows[thread]) {
        now->rows[thread] = need(malloc(THREADS * sizeof(uint32_t)));
        now->row_of[thread] = NO_SEGMENT;
    }
    if (!has_row(now, thread)) {
        memset(now->rows[thread], 0, ids(now) * sizeof(uint32_t));
        now->row_of[thread] = now->barrier;
    }
    simt_now.fine = true;
    return now->rows[thread];
}

/* ---- places that threads release to ---- */

struct location {
    uint64_t address; /* 0: none */
    /* For the device; for the threads of the block `owner` only. */
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
        locations = need(calloc(location_capacity, sizeof *locations));
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

static void forget_locations(void)
{
    for (size_t i = 0; location_count > 0 && i < location_capacity; i++) {
        simt_clock_clear(&locations[i].clocks[SIMT_SCOPE_BLOCK]);
        simt_clock_clear(&locations[i].clocks[SIMT_SCOPE_DEVICE]);
        locations[i].address = 0;
    }
    location_count = 0;
}

/* ---- acquire and release ---- */

/* What a past tells of the running block's own threads. */
static void learn_row(unsigned int thread, const struct simt_clock *clock)
{
    const struct simt_block_past *past = simt_clock_find(clock, now->number);
    if (past && past->count > 0) {
        uint32_t *row = row_of(thread);
        for (uint32_t i = 0; i < past->count; i++) {
            uint32_t *known = &row[past->moments[i].thread];
            *known = later(*known, past->moments[i].before);
        }
    }
}

static void forget_fence(struct fence *fence)
{
    free(fence->row);
    simt_clock_clear(&fence->seen);
    simt_clock_clear(&fence->all);
    *fence = (struct fence){0};
}

static void make_fence(struct fence *fence, unsigned int thread)
{
    *fence = (struct fence){.at = now->tags[thread] & ~(uint32_t)(THREADS - 1),
                            .floor = now->barrier,
                            .warp_floor = now->warp_start[thread / SIMT_WARP_SIZE],
                            .seen = simt_clock_keep(now->seen[thread])};
    if (has_row(now, thread)) {
        fence->row = need(calloc(THREADS, sizeof(uint32_t)));
        memcpy(fence->row, now->rows[thread], ids(now) * sizeof(uint32_t));
    }
}

static void remember_fence(unsigned int thread, enum simt_scope scope)
{
    forget_fence(&now->fences[scope][thread]);
    make_fence(&now->fences[scope][thread], thread);
}

void simt_causality_fence(unsigned int thread, enum simt_scope scope)
{
    simt_now.fine = now->fences_used = true;
    if (now->clocks_used) {
        for (unsigned int i = 0; i < SCOPES; i++) {
            learn_row(thread, now->pending[i][thread]);
        }
        simt_clock_clear(&now->pending[SIMT_SCOPE_BLOCK][thread]);
        if (scope == SIMT_SCOPE_DEVICE) {
            simt_clock_add(&now->seen[thread], now->pending[SIMT_SCOPE_DEVICE][thread]);
            simt_clock_clear(&now->pending[SIMT_SCOPE_DEVICE][thread]);
        }
    }
    now->tags[thread] = new_segment() | thread;
    remember_fence(thread, scope);
    if (scope == SIMT_SCOPE_DEVICE) {
        forget_fence(&now->fences[SIMT_SCOPE_BLOCK][thread]);
    }
}

bool simt_has_fenced(unsigned int thread)
{
    return now->fences[SIMT_SCOPE_BLOCK][thread].at || now->fences[SIMT_SCOPE_DEVICE][thread].at;
}

/* What the thread knew at its fence, and all that it had done. */
static struct simt_clock *at_fence(unsigned int thread, struct fence *fence)
{
    static struct simt_moment moments[THREADS];
    unsigned int first = thread / SIMT_WARP_SIZE * SIMT_WARP_SIZE, all_ids = ids(now);
    size_t count = 0;
    struct simt_clock *own;
    if (fence->all) {
        return fence->all;
    }
    for (unsigned int i = 0; i < all_ids; i++) {
        uint32_t before = fence->row ? fence->row[i] : 0;
        if (i == thread) {
            before = fence->at;
        } else if (i - first < SIMT_WARP_SIZE) {
            before = later(before, fence->warp_floor);
        } else if (!fence->row) {
            i = i < first ? first - 1 : all_ids; /* nothing of other warps */
            continue;
        }
        if (before > fence->floor) {
            moments[count++] = (struct simt_moment){i, before};
        }
    }
    own = simt_clock_of(now->number, fence->floor, moments, count);
    fence->all = simt_clock_join(fence->seen, own);
    simt_clock_drop(own);
    return fence->all;
}

static void acquire(unsigned int thread, const struct location *location, enum simt_scope scope)
{
    bool ours = location->owner == now->number;
    for (unsigned int i = 0; i < SCOPES; i++) {
        if (location->clocks[i] && (i == SIMT_SCOPE_DEVICE || ours)) {
            /* An acquisition for the block only takes what the block's threads released. */
            unsigned int kept = i == SIMT_SCOPE_DEVICE ? scope : SIMT_SCOPE_BLOCK;
            simt_clock_add(&now->pending[kept][thread], location->clocks[i]);
            now->clocks_used = true;
        }
    }
}

static void release(unsigned int thread, struct location *location, enum simt_scope scope)
{
    struct fence *device = &now->fences[SIMT_SCOPE_DEVICE][thread];
    struct fence *block = &now->fences[SIMT_SCOPE_BLOCK][thread];
    if (device->at && scope == SIMT_SCOPE_DEVICE) {
        simt_clock_add(&location->clocks[SIMT_SCOPE_DEVICE], at_fence(thread, device));
    }
    if (block->at || scope == SIMT_SCOPE_BLOCK) {
        if (location->owner != now->number) {
            simt_clock_clear(&location->clocks[SIMT_SCOPE_BLOCK]);
            location->owner = now->number;
        }
        simt_clock_add(&location->clocks[SIMT_SCOPE_BLOCK],
                       at_fence(thread, block->at ? block : device));
    }
}

void simt_causality_strong(unsigned int thread, uint64_t address, enum simt_strong how,
                           enum simt_scope scope)
{
    struct location *location = find_location(address);
    if (location && how == SIMT_STRONG_STORE) { /* who reads this has not read what was before */
        simt_clock_clear(&location->clocks[SIMT_SCOPE_BLOCK]);
        simt_clock_clear(&location->clocks[SIMT_SCOPE_DEVICE]);
    } else if (location) {
        acquire(thread, location, scope);
    }
    if (how != SIMT_STRONG_LOAD && now->fences_used && simt_has_fenced(thread)) {
        release(thread, location ? location : get_location(address), scope);
    }
}

/* ---- barriers in memory, and what writes for them ---- */

void simt_causality_release(unsigned int thread, struct simt_clock **clock)
{
    struct fence fence = {0};
    simt_now.fine = now->clocks_used = true;
    now->tags[thread] = new_segment() | thread;
    make_fence(&fence, thread);
    simt_clock_add(clock, at_fence(thread, &fence));
    forget_fence(&fence);
}

void simt_causality_acquire(unsigned int thread, struct simt_clock *clock)
{
    simt_now.fine = now->clocks_used = true;
    simt_clock_add(&now->seen[thread], clock);
    learn_row(thread, clock);
}

unsigned int simt_causality_agent(void)
{
    unsigned int agent = SIMT_MAX_BLOCK_THREADS + now->agents;
    if (agent + 1 >= THREADS) {
        return THREADS;
    }
    if (now->agents++ == 0) { /* rows end behind the threads so far */
        for (unsigned int i = 0; i < now->threads; i++) {
            if (has_row(now, i)) {
                memset(now->rows[i] + now->threads, 0,
                       (SIMT_MAX_BLOCK_THREADS - now->threads) * sizeof(uint32_t));
            }
        }
    }
    for (unsigned int i = 0; i < now->threads; i++) {
        if (has_row(now, i)) {
            now->rows[i][agent] = 0;
        }
    }
    return agent;
}

uint32_t simt_causality_agent_writes(unsigned int agent, struct simt_clock **clock)
{
    uint32_t tag = new_segment() | agent;
    struct simt_moment moment = {agent, tag + 1};
    struct simt_clock *own = simt_clock_of(now->number, 0, &moment, 1);
    simt_now.fine = now->clocks_used = true;
    simt_clock_add(clock, own);
    simt_clock_drop(own);
    return tag;
}

/* ---- fences between proxies ---- */

/* The oldest of a thread makes way if it has as many as are kept. */
static void make_room_for_proxy(unsigned int thread)
{
    size_t count = 0, oldest = 0;
    for (size_t i = now->proxy_count; i-- > 0;) {
        if (now->proxies[i].at % THREADS == thread) {
            count++;
            oldest = i;
        }
    }
    if (count >= PROXIES_OF_THREAD) {
        simt_clock_drop(now->proxies[oldest].known);
        memmove(now->proxies + oldest, now->proxies + oldest + 1,
                (--now->proxy_count - oldest) * sizeof *now->proxies);
        now->proxies_dropped = true;
    }
    if (now->proxy_count == now->proxy_capacity) {
        now->proxy_capacity = now->proxy_capacity ? 2 * now->proxy_capacity : 64;
        now->proxies = need(realloc(now->proxies, now->proxy_capacity * sizeof *now->proxies));
    }
}

void simt_causality_proxy_fence(unsigned int thread)
{
    struct simt_clock *known = NULL;
    make_room_for_proxy(thread);
    simt_causality_release(thread, &known);
    now->proxies[now->proxy_count++] = (struct proxy_fence){now->tags[thread], known};
}

static bool covers(const struct simt_clock *known, uint32_t tag)
{
    return simt_past_covers(simt_clock_find(known, now->number), tag % THREADS, tag);
}

bool simt_causality_is_proxied(uint32_t tag, unsigned int thread)
{
    if (now->proxied && covers(now->proxied, tag)) {
        return true;
    }
    for (size_t i = now->proxy_count; i-- > 0;) {
        const struct proxy_fence *fence = &now->proxies[i];
        if (!simt_unordered(fence->at, thread) && covers(fence->known, tag)) {
            return true;
        }
    }
    return now->proxies_dropped;
}

/* All threads of the block know of them from now on. */
static void pool_proxies(void)
{
    for (size_t i = 0; i < now->proxy_count; i++) {
        simt_clock_add(&now->proxied, now->proxies[i].known);
        simt_clock_drop(now->proxies[i].known);
    }
    now->proxy_count = 0;
    now->proxies_dropped = false;
}

/* ---- barriers and meetings ---- */

/* What any of these threads knows, all of them know. */
static void pool_clocks(unsigned int first, uint32_t lanes, struct simt_clock **clocks)
{
    struct simt_clock *all = NULL;
    for (uint32_t set = lanes; set; set &= set - 1) {
        simt_clock_add(&all, clocks[first + lowest(set)]);
    }
    for (uint32_t set = lanes; all && set; set &= set - 1) {
        simt_clock_clear(&clocks[first + lowest(set)]);
        clocks[first + lowest(set)] = simt_clock_keep(all);
    }
    simt_clock_drop(all);
}

static void pool_block(struct simt_clock **clocks)
{
    struct simt_clock *all = NULL;
    for (unsigned int i = 0; i < now->threads; i++) {
        simt_clock_add(&all, clocks[i]);
    }
    for (unsigned int i = 0; all && i < now->threads; i++) {
        simt_clock_clear(&clocks[i]);
        clocks[i] = simt_clock_keep(all);
    }
    simt_clock_drop(all);
}

void simt_causality_barrier(void)
{
    uint32_t start = new_segment();
    simt_now.barrier = now->barrier = start;
    for (unsigned int i = 0; i < now->threads; i++) {
        now->tags[i] = start | i;
    }
    if (now->clocks_used) {
        pool_block(now->seen);
        pool_block(now->pending[SIMT_SCOPE_BLOCK]);
        pool_block(now->pending[SIMT_SCOPE_DEVICE]);
    }
    pool_proxies();
}

/* All blocks have come: nothing of before can race any more. */
void simt_causality_grid_barrier(void)
{
    simt_now.launch = new_segment();
}

/* What each of the lanes knows, all of them know; and what lane i did before from[i]. */
static void share_rows(unsigned int warp, uint32_t lanes, const uint32_t *from)
{
    static uint32_t joined[THREADS];
    unsigned int first = warp * SIMT_WARP_SIZE;
    memset(joined, 0, ids(now) * sizeof *joined);
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = first + lowest(set);
        if (has_row(now, thread)) {
            const uint32_t *row = now->rows[thread];
            for (unsigned int i = 0; i < ids(now); i++) {
                joined[i] = later(joined[i], row[i]);
            }
        }
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int lane = lowest(set);
        joined[first + lane] = later(joined[first + lane], from[lane]);
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        memcpy(row_of(first + lowest(set)), joined, ids(now) * sizeof *joined);
    }
}

/* __syncwarp: all that the lanes did is ordered before all that they do. */
static void sync_lanes(unsigned int warp, uint32_t lanes, bool whole)
{
    unsigned int first = warp * SIMT_WARP_SIZE;
    uint32_t start = new_segment(), from[SIMT_WARP_SIZE] = {0};
    bool rows = !whole;
    for (uint32_t set = lanes; set; set &= set - 1) {
        from[lowest(set)] = start;
        rows = rows || has_row(now, first + lowest(set));
    }
    if (rows) {
        share_rows(warp, lanes, from);
    }
    if (whole) {
        now->warp_start[warp] = start;
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        now->tags[first + lowest(set)] = start | (first + lowest(set));
    }
    if (now->clocks_used) {
        pool_clocks(first, lanes, now->seen);
        pool_clocks(first, lanes, now->pending[SIMT_SCOPE_BLOCK]);
        pool_clocks(first, lanes, now->pending[SIMT_SCOPE_DEVICE]);
    }
}

/* A shuffle or a vote passes values, and orders memory no more than an atomic does: what a lane
 * knew at a fence. */
static void pass_values(unsigned int warp, uint32_t lanes)
{
    unsigned int first = warp * SIMT_WARP_SIZE;
    struct simt_clock *all = NULL;
    if (!now->fences_used) {
        return;
    }
    for (uint32_t set = lanes; set; set &= set - 1) {
        unsigned int thread = first + lowest(set);
        struct fence *device = &now->fences[SIMT_SCOPE_DEVICE][thread];
        struct fence *block = &now->fences[SIMT_SCOPE_BLOCK][thread];
        if (device->at || block->at) {
            simt_clock_add(&all, at_fence(thread, block->at ? block : device));
        }
    }
    for (uint32_t set = lanes; all && set; set &= set - 1) {
        simt_clock_add(&now->seen[first + lowest(set)], all);
        learn_row(first + lowest(set), all);
        now->clocks_used = true;
    }
    simt_clock_drop(all);
}

void simt_causality_meet(unsigned int warp, uint32_t lanes, bool syncs, bool whole)
{
    if (syncs) {
        sync_lanes(warp, lanes, whole);
    } else {
        pass_values(warp, lanes);
    }
}

/* ---- who is ordered ---- */

static size_t block_of(uint32_t tag)
{
    size_t low = 0, high = era_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (eras[middle].start <= tag) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return eras[low].block;
}

bool simt_is_other_block(uint32_t tag)
{
    return tag < simt_now.era && block_of(tag) != now->number;
}

bool simt_unordered(uint32_t tag, unsigned int thread)
{
    unsigned int other = tag % THREADS;
    if (tag < simt_now.era) {
        size_t block = block_of(tag);
        if (block != now->number) {
            return !simt_past_covers(simt_clock_find(now->seen[thread], block), other, tag);
        }
    }
    if (tag < now->barrier || other == thread) {
        return false;
    }
    if (other / SIMT_WARP_SIZE == thread / SIMT_WARP_SIZE &&
        tag < now->warp_start[thread / SIMT_WARP_SIZE]) {
        return false;
    }
    return !(has_row(now, thread) && tag < now->rows[thread][other]);
}

enum simt_almost simt_almost_ordered(uint32_t tag, unsigned int thread)
{
    size_t block = tag < simt_now.era ? block_of(tag) : now->number;
    for (unsigned int scope = 0; scope < SCOPES; scope++) {
        if (simt_past_covers(simt_clock_find(now->pending[scope][thread], block), tag % THREADS,
                             tag)) {
            return scope == SIMT_SCOPE_DEVICE || block == now->number ? SIMT_NO_ACQUIRE_FENCE
                                                                      : SIMT_BLOCK_SCOPE;
        }
    }
    return SIMT_NO_RELEASE;
}

/* ---- launches and blocks ---- */

static void clear_order(struct simt_order *order)
{
    for (unsigned int i = 0; order->fences_used && i < order->threads; i++) {
        forget_fence(&order->fences[SIMT_SCOPE_BLOCK][i]);
        forget_fence(&order->fences[SIMT_SCOPE_DEVICE][i]);
    }
    for (unsigned int i = 0; order->clocks_used && i < order->threads; i++) {
        simt_clock_clear(&order->seen[i]);
        simt_clock_clear(&order->pending[SIMT_SCOPE_BLOCK][i]);
        simt_clock_clear(&order->pending[SIMT_SCOPE_DEVICE][i]);
    }
    order->fences_used = order->clocks_used = false;
    for (size_t i = 0; i < order->proxy_count; i++) {
        simt_clock_drop(order->proxies[i].known);
    }
    simt_clock_clear(&order->proxied);
    order->proxy_count = 0;
    order->proxies_dropped = false;
    order->agents = 0;
}

static struct simt_order *idle_order(void)
{
    struct simt_order *order = orders;
    while (order && !order->idle) {
        order = order->next;
    }
    if (!order) {
        order = need(calloc(1, sizeof *order));
        order->next = orders;
        orders = order;
    }
    order->idle = false;
    return order;
}

static void begin_era(size_t block)
{
    if (era_count == era_capacity) {
        era_capacity = era_capacity ? 2 * era_capacity : 1024;
        eras = need(realloc(eras, era_capacity * sizeof *eras));
    }
    simt_now.era = new_segment();
    eras[era_count++] = (struct era){simt_now.era, block};
}

void simt_causality_start_launch(size_t blocks)
{
    for (struct simt_order *order = orders; order; order = order->next) {
        clear_order(order);
        order->idle = true;
    }
    now = NULL;
    forget_locations();
    simt_clocks_start(blocks);
    era_count = 0;
    simt_now.fine = false;
    simt_now.launch = new_segment();
}

void simt_causality_end_launch(void)
{
    if (location_capacity > 1 << 16) { /* many, once */
        forget_locations();
        free(locations);
        locations = NULL;
        location_capacity = 0;
    }
}

/* The block that ran before has finished, or is suspended. */
void simt_causality_start_block(size_t number, unsigned int threads)
{
    if (now) {
        clear_order(now);
        now->idle = true;
    }
    now = idle_order();
    now->number = number;
    now->threads = threads;
    begin_era(number);
    now->first = now->barrier = simt_now.block = simt_now.barrier = simt_now.era;
    simt_now.tags = now->tags;
    memset(now->warp_start, 0, sizeof now->warp_start);
    memset(now->row_of, 0, threads * sizeof *now->row_of);
    for (unsigned int i = 0; i < threads; i++) {
        now->tags[i] = simt_now.era | i;
    }
}

struct simt_order *simt_causality_suspend(void)
{
    struct simt_order *order = now;
    now = NULL;
    return order;
}

void simt_causality_resume(struct simt_order *order)
{
    if (now) {
        clear_order(now);
        now->idle = true;
    }
    now = order;
    begin_era(order->number);
    simt_now.block = order->first;
    simt_now.barrier = order->barrier;
    simt_now.tags = order->tags;
    /* What a thread does now lies in this era. */
    for (unsigned int i = 0; i < order->threads; i++) {
        order->tags[i] = simt_now.era | i;
    }
}

/* ---- when the numbers run out ----
 *
 * All that tags are good for is to be compared with the moments below. So the segments between two
 * such moments become one, and the order stays exactly as it was. */

static uint32_t *cuts;
static size_t cut_count, cut_capacity;

static void cut(uint32_t tag)
{
    if (cut_count == cut_capacity) {
        cut_capacity = cut_capacity ? 2 * cut_capacity : 4096;
        cuts = need(realloc(cuts, cut_capacity * sizeof *cuts));
    }
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
        if (has_row(order, i)) {
            apply_to_row(order->rows[i], ids(order), change);
        } else {
            order->row_of[i] = NO_SEGMENT;
        }
        apply(&order->row_of[i], change);
        apply(&order->tags[i], change);
        for (unsigned int scope = 0; scope < SCOPES; scope++) {
            struct fence *fence = &order->fences[scope][i];
            apply(&fence->at, change);
            apply(&fence->floor, change);
            apply(&fence->warp_floor, change);
            apply_to_row(fence->row, ids(order), change);
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

/* Blocks of which nobody knows anything are one to all others. */
static void merge_eras(void)
{
    size_t count = 0, kept = 0, *known;
    for (const struct simt_block_past *past = simt_clocks_pasts(); past; past = past->next) {
        count++;
    }
    for (const struct simt_order *order = orders; order; order = order->next) {
        count += !order->idle;
    }
    known = need(malloc((count + 1) * sizeof *known));
    count = 0;
    for (const struct simt_block_past *past = simt_clocks_pasts(); past; past = past->next) {
        known[count++] = past->block;
    }
    for (const struct simt_order *order = orders; order; order = order->next) {
        if (!order->idle) {
            known[count++] = order->number;
        }
    }
    qsort(known, count, sizeof *known, by_block);
    for (size_t i = 0; i < era_count; i++) {
        size_t block = eras[i].block;
        if (!bsearch(&block, known, count, sizeof *known, by_block)) {
            block = ANONYMOUS;
        }
        if (kept == 0 || block != ANONYMOUS || eras[kept - 1].block != ANONYMOUS) {
            eras[kept++] = (struct era){eras[i].start, block};
        }
    }
    era_count = kept;
    free(known);
}

static void apply_to_all(bool change)
{
    apply(&simt_now.launch, change);
    apply(&simt_now.block, change);
    apply(&simt_now.era, change);
    apply(&simt_now.barrier, change);
    for (size_t i = 0; i < era_count; i++) {
        apply(&eras[i].start, change);
    }
    for (struct simt_order *order = orders; order; order = order->next) {
        if (!order->idle) {
            apply_to_order(order, change);
        }
    }
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
    for (size_t i = 0; i < order->proxy_count; i++) {
        order->proxies[i].at = 0;
    }
    order->proxies_dropped = order->proxies_dropped || order->proxy_count > 0;
    for (unsigned int i = 0; i < order->threads; i++) {
        order->tags[i] = start | i;
        for (unsigned int scope = 0; scope < SCOPES; scope++) {
            struct fence *fence = &order->fences[scope][i];
            free(fence->row);
            fence->row = NULL;
            fence->at = fence->at ? start : 0;
            fence->floor = fence->warp_floor = 0;
        }
    }
}

/* Even so they are too many: nothing of before is looked at any more. */
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
    for (struct simt_order *order = orders; order; order = order->next) {
        if (!order->idle) {
            forget_order(order, start);
        }
    }
    simt_now.launch = simt_now.block = simt_now.era = simt_now.barrier = start;
    era_count = 1;
    eras[0] = (struct era){start, now ? now->number : ANONYMOUS};
    segment = 1;
}

static void renumber(void)
{
    size_t kept = 0;
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
    segment = (uint32_t)cut_count;
}
