/* The watcher: the explorer receives each step of a block here, to show it later. Without a
 * watcher, each caller only tests a flag. */
#ifndef SIMT_WATCHER_H
#define SIMT_WATCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "observe/event.h"

struct simt_bulk_copy;
struct simt_mbarrier;

/* How an mbarrier was used, and its state after that. */
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
    unsigned int pending;   /* arrivals and bytes that phase `after` still waits for */
    long bytes;
    uint64_t number; /* arrivals at init; the awaited phase; otherwise bytes */
};

/* Actions of a lane that are not events of its trace. */
enum simt_deed {
    DEED_PROXY_FENCE,
    DEED_MBARRIER_FENCE,
    DEED_MORE_REGISTERS, /* setmaxnreg, to this number */
    DEED_FEWER_REGISTERS,
    DEED_CLUSTER_ARRIVE, /* at the cluster's barrier, in this phase */
    DEED_CLUSTER_WAIT
};

struct simt_watcher {
    /* The running lane is about to perform the event; the lane stops. */
    void (*event)(const struct simt_event *event);
    void (*pause)(void);
    /* The lanes of a warp perform their events at[lane][ahead] together. */
    void (*step)(const struct simt_event *const *at, size_t ahead, unsigned int warp,
                 uint32_t lanes);
    /* The effect of the running lane's last event on this mbarrier. */
    void (*mbarrier)(const struct simt_mbarrier_use *use);
    /* The running lane begins a bulk copy; the copy ends. `phase`: of its mbarrier, before that. */
    void (*copy_begins)(const struct simt_bulk_copy *copy);
    void (*copy_ends)(const struct simt_bulk_copy *copy, uint64_t phase);
    /* The running lane arrives at a named barrier, perhaps as the last; and may wait there. */
    void (*named)(const void *caller, unsigned int number, bool completes, bool waits);
    /* The running lane does that. `over`: the phase of the cluster's barrier has ended. */
    void (*deed)(enum simt_deed deed, const void *caller, uint64_t number, bool over);

    /* Also called while the running block is not watched, because another one of its cluster may
     * be: an operation on another block's mbarrier, a copy into another block, a complete barrier
     * of the cluster. NULL: there is no watcher. */
    void (*far_mbarrier)(const struct simt_mbarrier *barrier, const struct simt_mbarrier_use *use,
                         const void *caller);
    void (*far_copy)(const struct simt_bulk_copy *copy);
    void (*cluster_meets)(uint64_t phase);
    /* The block that has just started is in fact another one, of this number of threads: the first
     * of a cluster. */
    void (*is_first)(unsigned int threads);
};

extern struct simt_watcher simt_watcher;
/* The running block is watched. */
extern bool simt_watched;

#endif
/* SPDX-License-Identifier: MIT */
