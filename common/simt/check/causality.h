/* Which actions are ordered: CUDA's memory model, as far as the checks need it.
 *
 * Time is counted in segments, a number that grows with every event that orders something. A tag is
 * the segment of an action and the number of its thread in the block; 0 means none. An era is a
 * period in which one block runs, so a tag's era identifies its block.
 *
 * These events order actions: a barrier of the block, for all its threads; __syncwarp, for its
 * lanes; grid.sync(), for all threads; and, across all of them, a release that another thread
 * acquires. A release is a fence, then an atomic (or a volatile store). An acquire is an atomic (or
 * a volatile load) of the same word, then a fence. A release carries all that was ordered before
 * its fence. A fence or an atomic with block scope orders nothing between blocks. */
#ifndef SIMT_CAUSALITY_H
#define SIMT_CAUSALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda/simt.h"
#include "observe/event.h"

/* Numbers from SIMT_MAX_BLOCK_THREADS on are agents: asynchronous writers that signal an
 * mbarrier. */
enum { SIMT_THREAD_BITS = 11, SIMT_THREADS = 1 << SIMT_THREAD_BITS };

enum simt_scope { SIMT_SCOPE_BLOCK, SIMT_SCOPE_DEVICE };

/* The state of the running block, for simt_may_race(). */
struct simt_now {
    uint32_t start;   /* lower tags: an earlier launch */
    uint32_t launch;  /* lower tags: an earlier launch, or before the last grid.sync() */
    uint32_t oldest;  /* lower tags: ordered before the whole launch */
    uint32_t block;   /* lower tags: an earlier block, in shared memory */
    uint32_t era;     /* lower tags: an earlier era */
    uint32_t barrier; /* lower tags of this era: before the block's last barrier */
    uint32_t *tags;   /* of the block's threads */
    bool fine;        /* the launch has finer orders than barriers and whole warps make */
};
extern struct simt_now simt_now;

/* Whether the action of the tag may be concurrent with the thread's current action. */
bool simt_unordered(uint32_t tag, unsigned int thread);
/* The same, but faster if the block's last barrier gives the order. */
static inline bool simt_may_race(uint32_t tag, unsigned int thread)
{
    return (tag < simt_now.era || tag >= simt_now.barrier) && simt_unordered(tag, thread);
}
bool simt_is_other_block(uint32_t tag);
/* Why the two are unordered, although a release exists. */
enum simt_almost { SIMT_NO_RELEASE, SIMT_NO_ACQUIRE_FENCE, SIMT_BLOCK_SCOPE };
enum simt_almost simt_almost_ordered(uint32_t tag, unsigned int thread);

/* `number`: the launch's, see streams.h; earlier launches matter from `first` on. */
void simt_causality_start_launch(size_t blocks, uint64_t number, uint64_t first);
/* This earlier launch is not ordered before what begins now: a launch or, if no launch has begun
 * since simt_causality_none_unordered(), a copy. */
void simt_causality_unordered(uint64_t number);
void simt_causality_none_unordered(void);
/* The number of the unordered launch that the tag belongs to; else 0. */
uint64_t simt_causality_launch_of(uint32_t tag);
/* Whether an unordered launch has released the tag's action to the host. `heard`: the host reads it
 * now, and from then on knows earlier actions. */
bool simt_causality_released(uint32_t tag, bool heard);
void simt_causality_start_block(size_t number, unsigned int threads);
/* Suspends the running block for another one, and later resumes it. */
struct simt_order *simt_causality_suspend(void);
void simt_causality_resume(struct simt_order *order);

void simt_causality_barrier(void);
void simt_causality_grid_barrier(void);
/* Lanes met in a __syncwarp (`syncs`) or another collective; `whole`: no other lane is left. */
void simt_causality_meet(unsigned int warp, uint32_t lanes, bool syncs, bool whole);
/* `ordering`: SIMT_ACQUIRES, SIMT_RELEASES or, with 0, both. */
void simt_causality_fence(unsigned int thread, enum simt_scope scope, unsigned int ordering);
bool simt_has_fenced(unsigned int thread);
/* The thread makes an atomic change; or a volatile load or store. */
enum simt_strong { SIMT_STRONG_CHANGE, SIMT_STRONG_LOAD, SIMT_STRONG_STORE };
void simt_causality_strong(unsigned int thread, uint64_t address, enum simt_strong how,
                           enum simt_scope scope);

/* Releases what the thread knows and has done into a clock of the caller; another thread of the
 * block acquires it. The caller drops the clock before the launch ends. */
struct simt_clock;
void simt_causality_release(unsigned int thread, struct simt_clock **clock);
void simt_causality_acquire(unsigned int thread, struct simt_clock *clock);
/* A new agent of the running block; SIMT_THREADS if there are too many. */
unsigned int simt_causality_agent(void);
/* The tag of the agent's current write, which all that acquire the clock know. */
uint32_t simt_causality_agent_writes(unsigned int agent, struct simt_clock **clock);
/* A fence between proxies: later asynchronous copies see what is ordered before it (with `map`, for
 * an acquire). And whether, because of such fences, a copy that the thread starts now sees the
 * tag's action. */
void simt_causality_proxy_fence(unsigned int thread, enum simt_proxy proxy, uint64_t map);
bool simt_causality_is_proxied(uint32_t tag, unsigned int thread, enum simt_proxy proxy,
                               uint64_t map);

/* The tags of an ended launch, from `start` up to `end`; tags from `since` on were made after its
 * repeat without a run. Renumbering keeps them apart while they are in the list. All 0:
 * forgotten. */
struct simt_stretch {
    struct simt_stretch *next;
    uint32_t start, end, since;
};
extern struct simt_stretch *simt_stretches;
/* Adds the launch that has just ended to the list; removes it. */
void simt_stretch_keep(struct simt_stretch *stretch);
void simt_stretch_drop(struct simt_stretch *stretch);
/* The launch is repeated. */
void simt_stretch_again(struct simt_stretch *stretch);
/* Makes it the last launch that has started, with this number. Earlier launches matter from `first`
 * on. Its tags move to one new segment; returns the old ones. */
struct simt_stretch simt_stretch_renew(struct simt_stretch *stretch, uint64_t number,
                                       uint64_t first);

/* Tags are renumbered, or (NULL) forgotten: updates the tags that the shadow holds. */
void simt_shadow_renumber(uint32_t (*renumbered)(uint32_t tag));

#endif
/* SPDX-License-Identifier: MIT */
