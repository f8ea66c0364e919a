/* What a lane of an instrumented kernel does, one event after the other. */
#ifndef SIMT_EVENT_H
#define SIMT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/simt.h"

enum simt_event_kind {
    EVENT_BLOCK, /* of code: where branches lead */
    EVENT_LOAD,
    EVENT_STORE,
    EVENT_ATOMIC,
    EVENT_FENCE,      /* __threadfence and its kin */
    EVENT_SYNCWARP,   /* address: the mask */
    EVENT_COLLECTIVE, /* shuffles and votes; address: the mask */
    EVENT_FREE,       /* of memory from the kernels' heap */
    EVENT_READ_ONLY,  /* __ldg: the load comes next */
    EVENT_COPY,       /* an asynchronous copy begins: its store is counted */
    EVENT_COPIED,     /* it ends */
    EVENT_BARRIER,    /* an mbarrier is used: checked like an atomic, not counted */
    EVENT_INIT,       /* it is initialised: like a store */
    EVENT_READING,    /* in findings: a bulk copy reads */
    EVENT_ARRIVED,    /* in findings: a bulk copy has written */
    EVENT_WGMMA,      /* in findings: wgmma reads */
    EVENT_MULTIPLIED  /* in findings: wgmma has read */
};

/* Fences between the generic proxy and another one: that of asynchronous copies; that by which they
 * read tensor maps, behind writes and before the copy. */
enum simt_proxy { SIMT_PROXY_ASYNC, SIMT_PROXY_MAP_RELEASE, SIMT_PROXY_MAP_ACQUIRE, SIMT_PROXIES };

/* Part of an event's size. */
enum simt_event_how {
    EVENT_VOLATILE = 0x80,
    EVENT_OF_BLOCK =
        SIMT_OF_BLOCK, /* the scope of an atomic or a fence, whose size is an ordering */
    /* and volatile: races with no other such access; of a fence, whose scope is the system */
    EVENT_STRONG = SIMT_OF_SYSTEM,
    EVENT_HOW = 0xe0
};

/* Where the parts of a key begin, from the top: 0xffff - call depth (16 bits), program location
 * (32), kind (8), size (8). */
enum { EVENT_DEPTH_SHIFT = 48, EVENT_PLACE_SHIFT = 16, EVENT_KIND_SHIFT = 8 };

/* Lanes whose next events have the same key do them together. */
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

/* Sizes are powers of two, but for what an asynchronous copy that is padded with zeros reads:
 * machine/pipeline.c has seen to it that its address is a multiple of the whole copy's size, and
 * such an address passes here. */
static inline bool is_aligned(uint64_t address, unsigned int size)
{
    return (address & (size - 1)) == 0;
}

#endif
/* SPDX-License-Identifier: MIT */
