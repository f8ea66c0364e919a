/* What is ordered before what: CUDA's memory model, as far as the checks need it.
 *
 * Time is counted in segments, a number that grows with every event that orders something. A tag is
 * the segment in which a thread acted and the thread's number in its block; 0 is nobody. An era is
 * a stretch of time in which one block runs; so a tag's era tells its block.
 *
 * What orders: a barrier of the block, for all of its threads; __syncwarp, for the lanes that meet;
 * grid.sync(), for all; and across all of them a release that another thread acquires: a fence and
 * then an atomic (or a volatile store) there, an atomic (or a volatile load) of the same word and
 * then a fence here. A release carries all that was ordered before its fence. Scopes: a fence or an
 * atomic for the block orders nothing between blocks. */
#ifndef SIMT_CAUSALITY_H
#define SIMT_CAUSALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/simt.h"
#include "observe/event.h"

/* Numbers from SIMT_MAX_BLOCK_THREADS on are agents: what writes for an mbarrier,
 * asynchronously. */
enum { SIMT_THREAD_BITS = 11, SIMT_THREADS = 1 << SIMT_THREAD_BITS };

enum simt_scope { SIMT_SCOPE_BLOCK, SIMT_SCOPE_DEVICE };

/* Of the running block, for simt_may_race(). */
struct simt_now {
    uint32_t start;   /* tags below: an earlier launch's */
    uint32_t launch;  /* tags below: that, or before the last grid.sync() */
    uint32_t oldest;  /* tags below: ordered before all that the launch does */
    uint32_t block;   /* an earlier block's, if the memory is shared memory */
    uint32_t era;     /* an earlier era's */
    uint32_t barrier; /* before the block's last barrier, if the tag is of this era */
    uint32_t *tags;   /* of the block's threads */
    bool fine;        /* the launch has made an order other than by barriers and whole warps */
};
extern struct simt_now simt_now;

/* Whether what the tag stands for may happen at the same time as what the thread does now. */
bool simt_unordered(uint32_t tag, unsigned int thread);
/* The same, at once where the block's last barrier is the order. */
static inline bool simt_may_race(uint32_t tag, unsigned int thread)
{
    return (tag < simt_now.era || tag >= simt_now.barrier) && simt_unordered(tag, thread);
}
bool simt_is_other_block(uint32_t tag);
/* Why it is unordered, though there is a release that would do. */
enum simt_almost { SIMT_NO_RELEASE, SIMT_NO_ACQUIRE_FENCE, SIMT_BLOCK_SCOPE };
enum simt_almost simt_almost_ordered(uint32_t tag, unsigned int thread);

/* `number`: the launch's, as streams.h has it; earlier launches count from `first` on. */
void simt_causality_start_launch(size_t blocks, uint64_t number, uint64_t first);
/* Nothing orders this earlier launch before what begins now, a launch or, if no launch has begun
 * since simt_causality_none_unordered(), a copy. */
void simt_causality_unordered(uint64_t number);
void simt_causality_none_unordered(void);
/* The number of such a launch, if the tag is of one; else 0. */
uint64_t simt_causality_launch_of(uint32_t tag);
/* Whether such a launch has released to the host what the tag stands for. `heard`: the host reads
 * it now, and from then on knows what came before. */
bool simt_causality_released(uint32_t tag, bool heard);
/* Block `number` of the grid starts. */
void simt_causality_start_block(size_t number, unsigned int threads);
/* The running block stops for another one, and later goes on. */
struct simt_order *simt_causality_suspend(void);
void simt_causality_resume(struct simt_order *order);

void simt_causality_barrier(void);
void simt_causality_grid_barrier(void);
/* Lanes met in a __syncwarp (`syncs`) or another collective; `whole`: nobody else of the warp is
 * left. */
void simt_causality_meet(unsigned int warp, uint32_t lanes, bool syncs, bool whole);
/* `ordering`: SIMT_ACQUIRES, SIMT_RELEASES or, with 0, both. */
void simt_causality_fence(unsigned int thread, enum simt_scope scope, unsigned int ordering);
bool simt_has_fenced(unsigned int thread);
/* The thread changes the place by an atomic; or only reads or only writes it, volatile. */
enum simt_strong { SIMT_STRONG_CHANGE, SIMT_STRONG_LOAD, SIMT_STRONG_STORE };
void simt_causality_strong(unsigned int thread, uint64_t address, enum simt_strong how,
                           enum simt_scope scope);

/* A release of what the thread knows and has done, into a clock of the caller's; and its
 * acquisition by another thread of the block. The caller drops the clock before the launch ends. */
struct simt_clock;
void simt_causality_release(unsigned int thread, struct simt_clock **clock);
void simt_causality_acquire(unsigned int thread, struct simt_clock *clock);
/* A new agent of the running block; SIMT_THREADS if there are too many. */
unsigned int simt_causality_agent(void);
/* The tag of what an agent writes now, which is known to whoever acquires the clock. */
uint32_t simt_causality_agent_writes(unsigned int agent, struct simt_clock **clock);
/* A fence between proxies: asynchronous copies that are ordered behind it see what it is ordered
 * behind (by `map`, if it is an acquire); and whether a copy that the thread starts now sees what
 * the tag stands for, by one of these. */
void simt_causality_proxy_fence(unsigned int thread, enum simt_proxy proxy, uint64_t map);
bool simt_causality_is_proxied(uint32_t tag, unsigned int thread, enum simt_proxy proxy,
                               uint64_t map);

/* The tags of a launch that is over, from `start` up to `end`; and those from `since` on, given out
 * since it was made again without being run. Renumbering keeps them apart as long as they are in
 * the list. All 0: nothing is known of them any more. */
struct simt_stretch {
    struct simt_stretch *next;
    uint32_t start, end, since;
};
extern struct simt_stretch *simt_stretches;
/* That of the launch that has just ended, into the list; and out of it. */
void simt_stretch_keep(struct simt_stretch *stretch);
void simt_stretch_drop(struct simt_stretch *stretch);
/* The launch is made again. */
void simt_stretch_again(struct simt_stretch *stretch);
/* It becomes the last that has started, under this number, while earlier ones count from `first`
 * on: its tags are of one new segment. What they were. */
struct simt_stretch simt_stretch_renew(struct simt_stretch *stretch, uint64_t number,
                                       uint64_t first);

/* Tags are about to be numbered anew, or (NULL) to be forgotten: check.c does so with its own. */
void simt_shadow_renumber(uint32_t (*renumbered)(uint32_t tag));

#endif
/* SPDX-License-Identifier: MIT */
