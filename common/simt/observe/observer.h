/* Who is told what the machine does: one observer, which the room api sets up (api/analysis.c) out
 * of the model, the checks and the counters. The machine knows these functions and nothing of what
 * is behind them. What is told at every access goes another way, which is faster: the recorder. */
#ifndef SIMT_OBSERVER_H
#define SIMT_OBSERVER_H

#include <stdio.h>

#include "cuda/simt.h"
#include "observe/access.h"
#include "observe/part.h"
#include "observe/recorder.h"

/* Who wrote a word last in this launch. */
struct simt_last_change {
    unsigned int thread;
    uint32_t place;
    bool other_block;
};

/* What a piece of an asynchronous copy does to what is there: a bulk copy overwrites it, or is
 * combined with it, past the proxy of ordinary accesses; st.async overwrites it like these. */
enum simt_bulk_way { SIMT_BULK_COPIES, SIMT_BULK_REDUCES, SIMT_BULK_STORES };

struct simt_clock;

struct simt_observer {
    /* A launch is asked for, the latest operation: true if it would do again what is done already.
     * Then it is over. */
    bool (*repeats)(const struct simt_launch *launch);
    /* A launch starts: true if it is to be recorded, and then it has simt_tracing. It ends. */
    bool (*start_launch)(const struct simt_launch *launch);
    void (*end_launch)(const struct simt_launch *launch);
    /* A block is done: whether the launch has been recorded for long enough. */
    bool (*enough)(void);

    /* The rest of a launch, only while it is recorded. Block `number` of the grid starts. */
    void (*start_block)(size_t number, unsigned int threads);
    /* The running block of a cluster has ended, and nothing of it is left in traces. */
    void (*end_cluster_block)(unsigned int threads);
    /* The running block, of so many threads, gives way to another; it goes on, and what was kept is
     * freed; or the launch has ended before it did. No traces are left in between. */
    void *(*suspend_block)(unsigned int threads);
    void (*resume_block)(void *kept, unsigned int threads);
    void (*forget_block)(void *kept);

    /* `parts` other processes may each run some of the blocks to come: as many as are wanted, which
     * take so long, or fewer. In one of them: part `number`, from 1 on, begins; and it ends, and is
     * told. Whether what is told so can be taken over, after all that this process has done; and it
     * is. */
    size_t (*part_may_begin)(unsigned int parts, size_t wanted, double seconds);
    void (*part_begins)(unsigned int number);
    void (*part_ends)(struct simt_part *part);
    bool (*part_fits)(struct simt_part part, unsigned int number);
    void (*part_take)(struct simt_part *part, unsigned int number);

    /* The warp's traces are to be consumed: all of them or, if `cut` names lanes, until one of
     * those has no event left, since what such a lane does next is not known yet. Whatever is in
     * them is to be checked in the order of the stretches, and from now on the warp so. */
    void (*replay)(struct simt_traces *traces, unsigned int warp, unsigned int cut);
    void (*check_in_order)(struct simt_traces *traces, unsigned int warp);

    /* The running thread leaves the kernel; it comes to a barrier, the first of its block; all
     * threads that have not left have come there, `all` of the block; all blocks have come to
     * the grid's. */
    void (*exits)(void);
    void (*arrives)(const void *caller, const char *file, int line);
    void (*barrier)(const void *caller, const char *file, int line, bool all);
    /* The thread has returned behind the loop that begins there; others are at a barrier in it, or
     * in a branch in it. */
    void (*went_less)(unsigned int thread, const char *loop_file, int loop_line, bool in_branch,
                      const char *file, int line);
    void (*grid_barrier)(void);
    /* The running thread launches a kernel: what the launch's `origin` is to be; and it is gone. */
    void *(*launches)(void);
    void (*forget_origin)(void *origin);
    /* Lanes of the running warp have come to a collective; `whole`: nobody else of the warp is
     * left. */
    void (*collective)(const void *caller, enum simt_collective operation, uint32_t lanes,
                       bool whole);
    /* A place reads one word over and over, volatile. */
    void (*polls)(const void *caller);
    /* An access that read or has stored what may be the address of a function. */
    void (*pointer_read)(const void *address, uint64_t value, const void *caller);
    void (*pointers_stored)(const void *words, size_t bytes);
    /* What a shuffle gives from a lane that its mask leaves out was stored. */
    void (*undefined_stored)(const struct simt_event *store, uint64_t value);

    /* A barrier with a number is complete. */
    void (*named_barrier)(const void *caller);
    /* What the checks know of an order is a clock; NULL knows nothing. The running thread's
     * knowledge, and what it has done, go into one; a thread of the block comes to know one; one
     * goes into another, and is forgotten; one is forgotten. fence.proxy.async
     * and .tensormap (`map`: of which, for an acquire). */
    void (*release)(struct simt_clock **clock);
    void (*acquire)(unsigned int thread, struct simt_clock *clock);
    void (*join_clock)(struct simt_clock **to, struct simt_clock **from);
    void (*forget_clock)(struct simt_clock **clock);
    void (*proxy_fence)(enum simt_proxy proxy, const void *map);
    /* The running thread starts a bulk copy, which an mbarrier (or NULL) waits for; and of that, so
     * many pieces of at most 16 bytes (`from`: NULL for zeros or registers): false if one is not in
     * memory. */
    void (*bulk_begins)(const void *caller, size_t bytes, const void *barrier);
    bool (*bulk_piece)(const void *caller, void *to, const void *from, unsigned int size,
                       enum simt_bulk_way way);
    /* Of rows that end within 16 bytes it writes so many bytes behind the end, too. */
    void (*bulk_beyond)(const void *caller, unsigned int bytes, enum simt_bulk_way way);
    /* As whom it writes: the running thread (NULL), or the agent of an mbarrier (0: a new one),
     * known to whoever acquires the clock; 0 if there are too many. It has written, or read. */
    uint32_t (*bulk_tag)(unsigned int *agent, struct simt_clock **clock);
    void (*bulk_written)(const void *caller, void *to, unsigned int size, uint32_t tag);
    void (*bulk_read)(const void *from, unsigned int size);
    /* It has combined what it brought with what was there, for an mbarrier. */
    void (*bulk_reduced)(const void *caller, void *to, unsigned int size, uint32_t tag);
    /* The running thread starts a copy by a tensor map in global memory. */
    void (*map_read)(const void *caller, const void *map, unsigned int size);
    /* wgmma begins to read 16 bytes of shared memory, of which the thread must know; it has read
     * them, as an agent (a tag of bulk_tag's). Whether a bulk copy was the last to write there. */
    void (*wgmma_begins)(const void *caller, unsigned int thread, const void *from);
    void (*wgmma_reads)(const void *caller, unsigned int bytes); /* all of it, once */
    void (*wgmma_ends)(const void *caller, uint32_t tag, const void *from);
    bool (*bulk_wrote)(const void *address);
    /* Whether anybody has written any of 16 bytes of shared memory, or a copy is about to. */
    bool (*wgmma_finds)(const void *from);

    /* Device memory, also when no kernel runs: it is given out, given back, or written by a copy
     * (`from`: NULL if by a fill); a kernel is given memory that was never used before. */
    void (*allocated)(const void *address, size_t size);
    void (*freed)(const void *address, size_t size);
    void (*written)(const void *address, size_t size, const void *from);
    bool (*is_written)(const void *page); /* all of it */
    void (*heap_allocated)(const void *address, size_t size);

    /* What the host may do with each page of managed or pinned memory, as launches and copies that
     * it has not waited for use it (SIMT_WRITTEN: all). Code of the host at `at` does what it may
     * not: false if that is harmless. */
    void (*host_pages)(const struct simt_region *region,
                       void (*found)(char *page, enum simt_region_access access));
    bool (*host_access)(const void *address, bool writes, const void *at);

    /* A copy or a fill that is about to be made, the latest operation (memory/streams.h). */
    void (*operation)(void);

    /* For reports of what ends the program: what was found so far; the line of the running lane's
     * last event, and whether its address there is misaligned; who wrote a word last (false: nobody
     * in this launch). */
    void (*tell_findings)(void);
    bool (*tell_last)(FILE *file);
    void (*tell_place)(FILE *file, const void *caller);
    void (*tell_place_number)(FILE *file, uint32_t place);
    /* Of the basic block at this place, where it branches. */
    uint32_t (*branch)(uint32_t place);
    bool (*last_change)(uint64_t address, struct simt_last_change *last);
};

extern const struct simt_observer simt_observer;

#endif
/* SPDX-License-Identifier: MIT */
