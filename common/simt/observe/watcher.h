/* Who is told of each step of a block, to show it later: the explorer. While nobody is, each place
 * that would tell tests a flag. */
#ifndef SIMT_WATCHER_H
#define SIMT_WATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/event.h"

struct simt_bulk_copy;
struct simt_mbarrier;

/* How an mbarrier was used, and what became of it. */
enum simt_mbarrier_how {
    MBARRIER_INIT,
    MBARRIER_INVALIDATE,
    MBARRIER_ARRIVE,
    MBARRIER_EXPECT,
    MBARRIER_COMPLETE,
    MBARRIER_WAIT
};
struct simt_mbarrier_use {
    enum simt_mbarrier_how how;
    uint64_t before, after; /* its phase */
    unsigned int pending;   /* arrivals and bytes that the phase `after` still waits for */
    long bytes;
    uint64_t number; /* arrivals at init; the phase that is waited for; otherwise bytes */
};

/* What a lane does that is no event of its trace. */
enum simt_deed {
    DEED_PROXY_FENCE,
    DEED_MBARRIER_FENCE,
    DEED_MORE_REGISTERS, /* setmaxnreg, to so many */
    DEED_FEWER_REGISTERS,
    DEED_CLUSTER_ARRIVE, /* at the cluster's barrier, in this phase */
    DEED_CLUSTER_WAIT
};

struct simt_watcher {
    /* The running lane is about to do what the event says; it stops. */
    void (*event)(const struct simt_event *event);
    void (*pause)(void);
    /* The lanes of a warp do their events at[lane][ahead] together. */
    void (*step)(const struct simt_event *const *at, size_t ahead, unsigned int warp,
                 uint32_t lanes);
    /* What the running lane's last event, at this mbarrier, did. */
    void (*mbarrier)(const struct simt_mbarrier_use *use);
    /* The running lane begins a bulk copy. It is made; `phase`: of its mbarrier, before. */
    void (*copy_begins)(const struct simt_bulk_copy *copy);
    void (*copy_ends)(const struct simt_bulk_copy *copy, uint64_t phase);
    /* The running lane comes to a barrier with a number: the last of all? And waits there? */
    void (*named)(const void *caller, unsigned int number, bool completes, bool waits);
    /* The running lane does that. Of the cluster's barrier: its phase is over (with that). */
    void (*deed)(enum simt_deed deed, const void *caller, uint64_t number, bool over);

    /* Also while the running block is not watched, since another one of its cluster may be: what
     * is done to an mbarrier of another block, a copy into another block, a complete barrier of the
     * cluster. NULL: nobody watches. */
    void (*far_mbarrier)(const struct simt_mbarrier *barrier, const struct simt_mbarrier_use *use,
                         const void *caller);
    void (*far_copy)(const struct simt_bulk_copy *copy);
    void (*cluster_meets)(uint64_t phase);
    /* The block that has just started turns out to be another one, of so many threads: the first of
     * a cluster. */
    void (*is_first)(unsigned int threads);
};

extern struct simt_watcher simt_watcher;
/* The running block is watched. */
extern bool simt_watched;

#endif
/* SPDX-License-Identifier: MIT */
