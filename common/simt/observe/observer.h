/* The observer: receives every event of the emulated machine. Layer api sets it up (api/analysis.c)
 * from the model, the checks and the counters. The machine knows only these functions. Accesses
 * take a faster way: the recorder. */
#ifndef SIMT_OBSERVER_H
#define SIMT_OBSERVER_H

#include <stdio.h>

#include "cuda/simt.h"
#include "observe/access.h"
#include "observe/part.h"
#include "observe/recorder.h"

/* The last write to a word in this launch. */
struct simt_last_change {
    unsigned int thread;
    uint32_t place;
    bool other_block;
};

/* How a piece of an asynchronous copy changes the destination. A bulk copy overwrites it or reduces
 * into it, through the async proxy. st.async overwrites it through the generic proxy. */
enum simt_bulk_way { SIMT_BULK_COPIES, SIMT_BULK_REDUCES, SIMT_BULK_STORES };

struct simt_clock;

struct simt_observer {
    /* A launch is requested, and is the latest operation. True if it would repeat finished work;
     * then it counts as done. */
    bool (*repeats)(const struct simt_launch *launch);
    /* A launch starts: true if it is to be recorded; then simt_tracing is set. It ends. */
    bool (*start_launch)(const struct simt_launch *launch);
    void (*end_launch)(const struct simt_launch *launch);
    /* A block has ended: whether enough of the launch has been recorded. */
    bool (*enough)(void);

    /* The rest is called only while a launch is recorded. Block `number` of the grid starts. */
    void (*start_block)(size_t number, unsigned int threads);
    /* The running block of a cluster has ended; its traces are empty. */
    void (*end_cluster_block)(unsigned int threads);
    /* The running block, with this number of threads, is suspended; or continues (which frees
     * `kept`); or never continues, because the launch has ended. The traces are empty each time. */
    void *(*suspend_block)(unsigned int threads);
    void (*resume_block)(void *kept, unsigned int threads);
    void (*forget_block)(void *kept);

    /* How many of `wanted` blocks each of `parts` other processes may run next; they take
     * `seconds`. In such a process part `number` (from 1) begins, and ends, which writes its
     * results. In the main process: whether the results fit what it has done so far; and taking
     * them over. */
    size_t (*part_may_begin)(unsigned int parts, size_t wanted, double seconds);
    void (*part_begins)(unsigned int number);
    void (*part_ends)(struct simt_part *part);
    bool (*part_fits)(struct simt_part part, unsigned int number);
    void (*part_take)(struct simt_part *part, unsigned int number);

    /* Consumes the warp's traces: all of them or, if `cut` names lanes, until one of those has no
     * event left, because its next one is not known yet. The second one checks the traces in the
     * order of the stretches, and the warp from now on. */
    void (*replay)(struct simt_traces *traces, unsigned int warp, unsigned int cut);
    void (*check_in_order)(struct simt_traces *traces, unsigned int warp);

    /* The running thread leaves the kernel. It arrives at a barrier, as the first of its block. All
     * threads that have not left have arrived; `all`: none has left. All blocks have arrived at the
     * grid's barrier. */
    void (*exits)(void);
    void (*arrives)(const void *caller, const char *file, int line);
    void (*barrier)(const void *caller, const char *file, int line, bool all);
    /* The thread has returned after the loop that begins there; others are at a barrier or a branch
     * in it. */
    void (*went_less)(unsigned int thread, const char *loop_file, int loop_line, bool in_branch,
                      const char *file, int line);
    void (*grid_barrier)(void);
    /* The running thread launches a kernel: returns its `origin`. And frees the origin. */
    void *(*launches)(void);
    void (*forget_origin)(void *origin);
    /* Lanes of the running warp have arrived at a collective; `whole`: no other lane is left. */
    void (*collective)(const void *caller, enum simt_collective operation, uint32_t lanes,
                       bool whole);
    /* A place reads one word repeatedly, with volatile loads. */
    void (*polls)(const void *caller);
    /* An access read, or has stored, what may be the address of a function. */
    void (*pointer_read)(const void *address, uint64_t value, const void *caller);
    void (*pointers_stored)(const void *words, size_t bytes);
    /* A value from a shuffle was stored; the mask had left out its source lane. */
    void (*undefined_stored)(const struct simt_event *store, uint64_t value);

    /* A named barrier is complete. */
    void (*named_barrier)(const void *caller);
    /* A clock is what the checks know about order; NULL knows nothing. Release adds the running
     * thread's knowledge and actions to a clock. Acquire gives a clock to a thread of the block.
     * Join adds one clock to another and frees it. proxy_fence: fence.proxy.async and .tensormap
     * (`map`: for an acquire). */
    void (*release)(struct simt_clock **clock);
    void (*acquire)(unsigned int thread, struct simt_clock *clock);
    void (*join_clock)(struct simt_clock **to, struct simt_clock **from);
    void (*forget_clock)(struct simt_clock **clock);
    void (*proxy_fence)(enum simt_proxy proxy, const void *map);
    /* The running thread starts a bulk copy that signals an mbarrier (or NULL). Then each piece of
     * it, of at most 16 bytes (`from`: NULL for zeros or registers). False if it is not in
     * memory. */
    void (*bulk_begins)(const void *caller, size_t bytes, const void *barrier);
    bool (*bulk_piece)(const void *caller, void *to, const void *from, unsigned int size,
                       enum simt_bulk_way way);
    /* Rows that end within 16 bytes: it also writes this number of bytes past the end. */
    void (*bulk_beyond)(const void *caller, unsigned int bytes, enum simt_bulk_way way);
    /* The writer's tag: the running thread's (NULL), or that of an mbarrier's agent (0: a new one),
     * known to all that acquire the clock. 0: too many agents. Then: it has written, or read. */
    uint32_t (*bulk_tag)(unsigned int *agent, struct simt_clock **clock);
    void (*bulk_written)(const void *caller, void *to, unsigned int size, uint32_t tag);
    void (*bulk_read)(const void *from, unsigned int size);
    /* It has reduced its data into memory, for an mbarrier. */
    void (*bulk_reduced)(const void *caller, void *to, unsigned int size, uint32_t tag);
    /* The running thread starts a copy with a tensor map in global memory. */
    void (*map_read)(const void *caller, const void *map, unsigned int size);
    /* wgmma begins to read 16 bytes of shared memory, which the thread must know; it has read them,
     * as an agent (a tag of bulk_tag's). Whether a bulk copy was the last to write there. */
    void (*wgmma_begins)(const void *caller, unsigned int thread, const void *from);
    void (*wgmma_reads)(const void *caller, unsigned int bytes); /* the whole operand, once */
    void (*wgmma_ends)(const void *caller, uint32_t tag, const void *from);
    bool (*bulk_wrote)(const void *address);
    /* Whether any of 16 bytes of shared memory has been written, or a copy will write it. */
    bool (*wgmma_finds)(const void *from);

    /* Device memory, also when no kernel runs: allocated, freed, or written by a copy (`from`) or a
     * fill (`from` is NULL); a kernel allocates memory that was never used before. */
    void (*allocated)(const void *address, size_t size);
    void (*freed)(const void *address, size_t size);
    void (*written)(const void *address, size_t size, const void *from);
    bool (*is_written)(const void *page); /* the whole page */
    void (*heap_allocated)(const void *address, size_t size);

    /* The allowed host accesses to each page of managed or pinned memory, given the pending
     * launches and copies that use it (SIMT_WRITTEN: all). Then: host code at `at` makes a
     * forbidden access; false if that is harmless. */
    void (*host_pages)(const struct simt_region *region,
                       void (*found)(char *page, enum simt_region_access access));
    bool (*host_access)(const void *address, bool writes, const void *at);

    /* A copy or a fill is about to be made; it is the latest operation (memory/streams.h). */
    void (*operation)(void);

    /* For reports of fatal errors: the findings so far; the line of the running lane's last event,
     * and whether its address is misaligned; the last writer of a word (false: none in this
     * launch). */
    void (*tell_findings)(void);
    bool (*tell_last)(FILE *file);
    void (*tell_place)(FILE *file, const void *caller);
    void (*tell_place_number)(FILE *file, uint32_t place);
    /* The place of the branch that ends the basic block at this place. */
    uint32_t (*branch)(uint32_t place);
    bool (*last_change)(uint64_t address, struct simt_last_change *last);
};

extern const struct simt_observer simt_observer;

#endif
/* SPDX-License-Identifier: MIT */
