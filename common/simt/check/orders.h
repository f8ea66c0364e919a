/* What the parts of causality.c share: who knows what of whom. */
#ifndef SIMT_ORDERS_H
#define SIMT_ORDERS_H

#include "check/causality.h"
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
struct simt_fence {
    uint32_t at, floor, warp_floor; /* at: 0 if it has not */
    uint32_t *row;                  /* or NULL */
    struct simt_clock *seen, *all;  /* all: made of these when it is first asked for */
};

struct simt_proxy_fence {
    enum simt_proxy proxy;
    uint64_t map;             /* of an acquire: of which tensor map */
    uint32_t at;              /* the thread's tag behind it */
    struct simt_clock *known; /* what it is ordered behind */
};

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
    bool waited; /* for the launch before, which may not have ended when this one began */
    unsigned int agents;
    /* Of fences between the proxies: the last ones of each thread, and those before the last
     * barrier of the block together. */
    struct simt_proxy_fence *proxies;
    size_t proxy_count, proxy_capacity;
    struct simt_clock *proxied[SIMT_PROXIES];
    bool proxies_dropped; /* some that would matter may be gone */
    struct simt_fence fences[SCOPES]
                            [THREADS]; /* for the device; for the block: whichever is later */
    /* Of all blocks: what a thread knows; and what it will know after a fence. */
    struct simt_clock *seen[THREADS], *pending[SCOPES][THREADS];
};

/* In ascending order of time. */
struct simt_era {
    uint32_t start;
    size_t block;
};

/* Earlier launches that the host has not waited for, in ascending order; and the one that runs. */
struct simt_past_launch {
    uint32_t start, end; /* end: of the last, 0 */
    /* From the first fence for the system on; and what the host has acquired is below this. */
    uint32_t fenced, heard;
    uint64_t number;
    bool unordered;
};

/* The last one given out; here they end, and are numbered anew: how often they were. */
extern uint32_t simt_segment, simt_segments_end;
extern unsigned int simt_renumberings;
/* In this launch: segments, and blocks that needed them. */
extern struct simt_made {
    uint64_t segments, blocks;
} simt_made;
extern struct simt_order *simt_orders, *simt_order;
extern struct simt_era *simt_eras;
extern struct simt_past_launch *simt_launches;
extern size_t simt_era_count, simt_launch_count;
/* The latest. */
void simt_causality_add_era(struct simt_era era);

static inline uint32_t simt_later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The first tag of a new segment. */
uint32_t simt_new_segment(void);

/* Of threads and agents, numbers are below this. */
static inline unsigned int simt_ids(const struct simt_order *order)
{
    return order->agents ? SIMT_MAX_BLOCK_THREADS + order->agents : order->threads;
}

static inline bool simt_has_row(const struct simt_order *order, unsigned int thread)
{
    return order->rows[thread] && order->row_of[thread] == order->barrier;
}
uint32_t *simt_row_of(unsigned int thread);

/* ---- releases.c ---- */

/* What a clock tells of the running block's own threads. */
void simt_learn_row(unsigned int thread, const struct simt_clock *clock);
/* What the thread knew at its fence, and all that it had done. */
struct simt_clock *simt_at_fence(unsigned int thread, struct simt_fence *fence);
void simt_forget_fence(struct simt_fence *fence);
void simt_forget_locations(void);

/* What the thread knows now becomes a fence, which is empty. */
void simt_make_fence(struct simt_fence *fence, unsigned int thread);

/* ---- proxies.c ---- */

/* A barrier of the block: all its threads know of its fences. The block's order is forgotten. */
void simt_pool_proxies(void);
void simt_forget_proxies(struct simt_order *order);

/* ---- renumber.c ---- */

/* No segment is left: there are some again. */
void simt_renumber(void);

#endif
/* SPDX-License-Identifier: MIT */
