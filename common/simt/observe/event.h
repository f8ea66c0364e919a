/* The actions of a lane of an instrumented kernel, as a sequence of events. */
#ifndef SIMT_EVENT_H
#define SIMT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/simt.h"

enum simt_event_kind {
    EVENT_BLOCK, /* a basic block: shows where branches lead */
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_ATOMIC,
    EVENT_FENCE,      /* __threadfence and the like */
    EVENT_SYNCWARP,   /* address: the mask */
    EVENT_COLLECTIVE, /* shuffles and votes; address: the mask */
    EVENT_FREE,       /* frees memory of the kernels' heap */
    EVENT_READ_ONLY,  /* __ldg: the load comes next */
    EVENT_COPY,       /* an asynchronous copy begins; its store is counted */
    EVENT_COPIED,     /* the copy ends */
    EVENT_BARRIER,    /* an mbarrier is used; checked like an atomic, not counted */
    EVENT_INIT,       /* an mbarrier is initialized; checked like a store */
    EVENT_READING,    /* in findings: a bulk copy reads */
    EVENT_ARRIVED,    /* in findings: a bulk copy has written */
    EVENT_WGMMA,      /* in findings: wgmma reads */
    EVENT_MULTIPLIED  /* in findings: wgmma has read */
};

/* Fences between the generic proxy and another one: the async proxy, or the tensor map proxy. The
 * latter has a release after writes and an acquire before the copy. */
enum simt_proxy { SIMT_PROXY_ASYNC, SIMT_PROXY_MAP_RELEASE, SIMT_PROXY_MAP_ACQUIRE, SIMT_PROXIES };

/* Flags in an event's size. */
enum simt_event_how {
    EVENT_VOLATILE = 0x80,
    EVENT_OF_BLOCK =
        SIMT_OF_BLOCK, /* the scope of an atomic or a fence; a fence's size is its memory order */
    /* Also volatile: does not race with another such access. For a fence: system scope. */
    EVENT_STRONG = SIMT_OF_SYSTEM,
    EVENT_HOW = 0xe0
};

/* The fields of a key, from the top: 0xffff - call depth (16 bits), program location (32), kind
 * (8), size (8). */
enum { EVENT_DEPTH_SHIFT = 48, EVENT_PLACE_SHIFT = 16, EVENT_KIND_SHIFT = 8 };

/* Lanes whose next events have the same key perform them together. */
struct simt_event {
    uint64_t key;
    uint64_t address; /* meaningless if the kind is EVENT_BLOCK */
};

static inline uint32_t event_place(const struct simt_event *event)
{
    return (uint32_t)(event->key >> EVENT_PLACE_SHIFT);
}

static inline unsigned int event_depth(const struct simt_event *event)
{
    return 0xffff - (unsigned int)(event->key >> EVENT_DEPTH_SHIFT);
}

static inline enum simt_event_kind event_kind(const struct simt_event *event)
{
    return (enum simt_event_kind)(event->key >> EVENT_KIND_SHIFT & 0xff);
}

static inline unsigned int event_size(const struct simt_event *event)
{
    return (unsigned int)(event->key & 0xff & ~EVENT_HOW);
}

static inline unsigned int event_how(const struct simt_event *event)
{
    return (unsigned int)(event->key & EVENT_HOW);
}

static inline bool event_is_access(const struct simt_event *event)
{
    return (event_kind(event) >= EVENT_LOAD && event_kind(event) <= EVENT_ATOMIC) ||
           event_kind(event) >= EVENT_COPY;
}

/* Sizes are powers of two, except for the read of an asynchronous copy padded with zeros. Such an
 * address passes here: machine/pipeline.c has checked that it is a multiple of the whole copy's
 * size. */
static inline bool is_aligned(uint64_t address, unsigned int size)
{
    return (address & (size - 1)) == 0;
}

#endif
/* SPDX-License-Identifier: MIT */
