/* Shared by the parts of causality.c: what each thread knows about the others. */
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
#define ANONYMOUS SIZE_MAX /* blocks that no other block knows about */

/* What a thread knew at its last fence: its release carries that. */
struct simt_fence {
    uint32_t at, floor, warp_floor; /* at: 0 if there was none */
    uint32_t *row;                  /* or NULL */
    struct simt_clock *seen, *all;  /* all: built from these on first use */
};

struct simt_proxy_fence {
    enum simt_proxy proxy;
    uint64_t map;             /* of an acquire: its tensor map */
    uint32_t at;              /* the thread's tag after it */
    struct simt_clock *known; /* what is ordered before it */
};

struct simt_order {
    struct simt_order *next; /* list of all; idle ones come last */
    bool idle;
    size_t number; /* of the block */
    unsigned int threads;
    uint32_t first, barrier;
    uint32_t warp_start[WARPS]; /* start after the last __syncwarp of the whole warp */
    uint32_t tags[THREADS];
    /* rows[a][b]: b's actions before this tag are ordered before a's current one. Only for orders
     * by partial masks or fences, which the above cannot express; dropped at barriers. */
    uint32_t *rows[THREADS];
    uint32_t row_of[THREADS]; /* the barrier that the row is valid for */
    bool fences_used, clocks_used;
    bool waited; /* for the launch before, which may not have ended when this one began */
    unsigned int agents;
    /* Fences between proxies: the last ones of each thread, and all before the last barrier of the
     * block, merged. */
    struct simt_proxy_fence *proxies;
    size_t proxy_count, proxy_capacity;
    struct simt_clock *proxied[SIMT_PROXIES];
    bool proxies_dropped; /* some relevant ones may be missing */
    struct simt_fence fences[SCOPES]
                            [THREADS]; /* for the device; for the block, the later of the two */
    /* For all blocks: what a thread knows; and what it will know after a fence. */
    struct simt_clock *seen[THREADS], *pending[SCOPES][THREADS];
};

/* In ascending order of time. */
struct simt_era {
    uint32_t start;
    size_t block;
};

/* Earlier launches that the host has not waited for, in ascending order, then the running one. */
struct simt_past_launch {
    uint32_t start, end; /* end: 0 for the last */
    /* The first fence with system scope; the host has acquired what is below `heard`. */
    uint32_t fenced, heard;
    uint64_t number;
    bool unordered;
};

/* The last segment in use; the limit, at which they are renumbered; the number of renumberings. */
extern uint32_t simt_segment, simt_segments_end;
extern unsigned int simt_renumberings;
/* In this launch: segments, and the blocks that used them. */
extern struct simt_made {
    uint64_t segments, blocks;
} simt_made;
extern struct simt_order *simt_orders, *simt_order;
extern struct simt_era *simt_eras;
extern struct simt_past_launch *simt_launches;
extern size_t simt_era_count, simt_launch_count;
/* Adds the latest era. */
void simt_causality_add_era(struct simt_era era);

static inline uint32_t simt_later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* The first tag of a new segment. */
uint32_t simt_new_segment(void);

/* The upper limit of thread and agent numbers. */
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

/* Adds a clock's knowledge of the running block's own threads. */
void simt_learn_row(unsigned int thread, const struct simt_clock *clock);
/* What the thread knew at its fence, and everything it had done by then. */
struct simt_clock *simt_at_fence(unsigned int thread, struct simt_fence *fence);
void simt_forget_fence(struct simt_fence *fence);
void simt_forget_locations(void);

/* Fills an empty fence with what the thread knows now. */
void simt_make_fence(struct simt_fence *fence, unsigned int thread);

/* ---- proxies.c ---- */

/* A barrier of the block: all its threads know its fences. And drops the fences of a block. */
void simt_pool_proxies(void);
void simt_forget_proxies(struct simt_order *order);

/* ---- renumber.c ---- */

/* Call it when no segment is left: makes some free. */
void simt_renumber(void);

#endif
/* SPDX-License-Identifier: MIT */
