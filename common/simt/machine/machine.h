/* What makes up a launch that runs: its blocks, their warps and threads. */
#ifndef SIMT_MACHINE_H
#define SIMT_MACHINE_H

#include "base/bits.h"
#include "base/own.h"
#include "base/space.h"
#include "cuda/simt_ptx_runtime.h"
#include "observe/recorder.h"

enum { SIMT_MAX_WARPS = SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE };

struct simt_fiber;

/* A thread's queue of asynchronous copies. */
struct simt_pipeline_copy {
    void *destination;
    const void *source;
    const void *caller; /* a return address: where the copy stands */
    unsigned char size, zero_fill;
    size_t group;
};
struct simt_pipeline {
    struct simt_pipeline_copy *copies;
    size_t count, capacity, group;
};

/* A thread's bulk copies to global memory, and how many groups of them it has committed. */
struct simt_bulk_copy;
struct simt_bulk_groups {
    struct simt_bulk_copy *first, **last;
    size_t group;
};

/* What a thread waits for that polls: the word, and what it found there. */
struct simt_poll {
    const void *address;
    uint64_t found, signature;
    unsigned int count;
    bool second; /* the 8 bytes behind have been read since */
};

/* How a thread goes round a loop that changes no memory. */
struct simt_round {
    uint64_t state;            /* what it was like in full trace `noted`, of `count` */
    unsigned int noted, count; /* numbers from 1 on */
    unsigned int until;        /* it becomes that again and again: it never ends by itself */
    uint32_t place;            /* there; 0: none */
};

/* What each switch and each collective needs comes first, in one cache line. */
struct simt_thread {
    struct simt_fiber *fiber; /* NULL before it starts and after it ends */
    const char *file;         /* where it waits */
    uint64_t value, result;
    const void *caller; /* of a collective, or of a poll that has no file and line */
    int line;
    unsigned int mask;
    struct {
        unsigned short x, y, z;
    } index;
    unsigned short number;   /* in the block */
    unsigned char operation; /* enum simt_collective */
    unsigned char barrier;   /* enum simt_barrier */
    unsigned char lane;      /* a shuffle's argument */
    unsigned char width;
    unsigned char size;
    /* The rest is of no concern then; what each thread of any kernel needs comes first. */
    const struct simt_fiber *ran_on; /* also after its end; while it is looked at */
    uint64_t loops_left, left_in;    /* a set: loops with a barrier, in that phase of the block's */
    unsigned int failed_polls, accesses; /* since it last gave way */
    const struct simt_mbarrier *awaited; /* by mbarrier.try_wait */
    struct simt_bulk_groups bulk;
    struct simt_poll poll;
    struct simt_round round;
    bool waits; /* its last poll found what the one before had found */
    bool sum_is_undefined;
    uint32_t sum;         /* of what it gave to its last shuffle and what it got */
    uint64_t atomic_old;  /* what its last atomic found: others may run before it asks */
    bool atomic_is_noted; /* that is to be made again: atomics.c */
    struct simt_pipeline pipeline;
    /* Has arrived at a barrier (enum simt_split), in this phase, and not waited. */
    bool has_arrived[SIMT_SPLITS];
    uint64_t arrived_in[SIMT_SPLITS];
} __attribute__((aligned(64)));

/* A lane that runs is in none of the sets but `members`; any other is in exactly one more. */
struct simt_warp {
    struct simt_thread *lanes;
    unsigned int members;
    unsigned int ready;
    unsigned int at_barrier;
    unsigned int at_collective;
    unsigned int at_activemask;
    unsigned int at_named;
    unsigned int at_mbarrier;
    unsigned int yielded;
    unsigned int trace_full;
    unsigned int exited;
    unsigned int called;        /* lanes that have made a collective in this block */
    struct simt_wgmmas *wgmmas; /* NULL: none so far */
};

/* What the checks know of an order (observer.h). */
struct simt_clock;

/* A barrier with a number: bar.sync 1, 64; or of a tile, behind those that PTX has: one for each
 * tile of each size, since a tile and the tiles of it may wait at once. */
enum { SIMT_PTX_BARRIERS = 16, SIMT_NAMED_BARRIERS = 48 };
struct simt_named_barrier {
    unsigned int came, came_true, wanted;
    const void *caller;       /* of who came last */
    bool of_all;              /* the block's threads, less those that have returned */
    struct simt_clock *clock; /* what those that came know */
};

/* A barrier in shared memory, at `address`, while the program's own 8 bytes there are `mirror`. */
struct simt_mbarrier {
    struct simt_mbarrier *next;
    struct simt_block *block;
    char *address;
    uint64_t mirror, phase;
    unsigned int expected, pending; /* arrivals: of each phase, of this one */
    long bytes;                     /* that this phase still waits for */
    bool polled;                    /* by mbarrier.test_wait, since the last copy that was made */
    unsigned int agent;             /* who has written what it waits for: observer.h; 0: nobody */
    const char *file;               /* where it was initialised */
    int line;
    const void *caller;
    struct simt_clock *arrived, *completed; /* what is known from this phase; from those before */
};

enum { SIMT_BOXES = 64, SIMT_LOOPS = 64 };

/* A barrier at which threads arrive first, and wait later: barrier.cluster, and those of groups. */
struct simt_split_barrier {
    uint64_t phase;
    unsigned int arrived;
    struct simt_clock *arriving, *completed; /* what is known from this phase; from those before */
};

/* A block of the grid that has started. */
struct simt_block {
    struct simt_block *next;      /* of those that are suspended, or idle */
    struct simt_block *next_made; /* of all */
    struct uint3 index;
    unsigned int alive; /* threads that have not exited */
    struct simt_warp *current_warp;
    unsigned int rounds;      /* since anything but polls happened */
    unsigned int woken;       /* threads that had given way, so often since its turn began */
    unsigned int full_traces; /* in a row, in which nothing was changed */
    struct simt_read read;    /* in the last of them */
    double idle_since;        /* so many are many; processor time */

    /* Its barrier: who has come, and what the last one gave. */
    unsigned int waiting, waiting_true;
    bool waiting_at_different_barriers;
    bool waits_for_grid;
    bool early; /* it has started before blocks with lower numbers */
    unsigned int finished, finished_true;
    /* Of the first that came: the line and, below it, the kind; and a return address. */
    uint64_t barrier_line;
    const char *barrier_file;
    const struct simt_thread *first_at_barrier;
    const void *barrier_caller;
    uint64_t phase;                     /* grows with each */
    uint64_t loops_left, left_in;       /* the same, by threads that have returned in it, ... */
    unsigned short left_by[SIMT_LOOPS]; /* ... of which this is one */

    struct simt_named_barrier named[SIMT_NAMED_BARRIERS];
    char left[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE][SIMT_TILE_BYTES]; /* for the warp's tile */
    struct simt_mbarrier *mbarriers;
    struct simt_bulk_copy *bulk, **last_bulk; /* under way, for an mbarrier */
    /* Where tensor copies have made tiles of late, and their swizzles. */
    struct simt_box {
        const char *begin, *end;
        unsigned int span;
    } boxes[SIMT_BOXES];
    unsigned int next_box;

    size_t number;                   /* in the order in which blocks start by default */
    unsigned int rank;               /* in its cluster */
    struct simt_split_barrier alone; /* of a cluster of one block */
    struct simt_split_barrier split; /* its own */

    /* While it is suspended: dynamic shared memory, then static; and what the analysis knows. */
    char *shared;
    void *analysis;

    struct simt_warp warps[SIMT_MAX_WARPS];
    struct simt_thread threads[SIMT_MAX_BLOCK_THREADS];
};

/* A word that an atomic of this launch has changed. */
struct simt_change {
    const void *address;
    const struct simt_thread *thread;
    const struct simt_block *block;
    const char *file;
    int line;
};
/* A launch that runs. */
enum { SIMT_CHANGES = 256 };
struct simt_grid {
    const struct simt_launch *launch; /* what was asked for; NULL: none runs */
    void (*invoke)(void *closure);    /* what a thread of it calls, with this */
    void *closure;
    unsigned int threads, warps; /* of a block */

    /* Its blocks: how many there are, have been started, are done; those that wait for others, the
     * one that has waited longest first; memory of those that are done; all but the first. */
    size_t blocks, started, done, suspended_count;
    /* So many of them come first, before those that follow in ascending order: blocks.c. */
    size_t ends, first[27], ascending[27];
    struct simt_block *suspended, **last_suspended, *idle, *made;

    /* Grows with all that shows that the launch gets on; what it was, and since when. */
    uint64_t progress, progress_seen, clocks; /* clocks: how often they were read */
    double stuck_since;

    bool pipelines_used, changed;
    struct simt_change changes[SIMT_CHANGES]; /* of late, by address; if `changed` */

    cudaError_t abandoned; /* it has ended before its time: why */
    char reason[128];
};

/* Some thread has used what the ends of threads matter to: bulk copies to global memory, wgmma,
 * barriers with numbers or of clusters. */
extern bool simt_ends_matter;

extern struct simt_grid simt_grid;
extern struct simt_block *simt_block; /* that runs */
extern struct simt_counters simt_counts;

static inline unsigned int simt_linear(const struct simt_thread *thread)
{
    return thread->number;
}

static inline struct simt_warp *simt_warp_of(const struct simt_thread *thread)
{
    return &simt_block->warps[simt_linear(thread) / SIMT_WARP_SIZE];
}

static inline unsigned int simt_bit_of(const struct simt_thread *thread)
{
    return 1u << simt_linear(thread) % SIMT_WARP_SIZE;
}

/* Who runs, for reports: also simt_current. */
static inline struct uint3 simt_index_of(const struct simt_thread *thread)
{
    return (struct uint3){thread->index.x, thread->index.y, thread->index.z};
}

static inline struct uint3 simt_running_block(void)
{
    return simt_block->index;
}

static inline struct uint3 simt_thread_number(unsigned int thread)
{
    return simt_index_of(&simt_block->threads[thread]);
}

/* Ends the launch that runs, from one of its threads: the host goes on. */
__attribute__((noreturn)) void simt_abandon_launch(cudaError_t error, const char *reason);

/* polls.c. An atomic or volatile access is about to be made, in a shuffled order: others may come
 * first. */
void simt_atomic_point(const char *file, int line, const void *caller);
/* The running thread made an atomic operation, or read a volatile variable. After many that change
 * nothing, the same each time, it may be waiting for another thread, and gives way. `lock`: it is a
 * compare or an exchange, of which any may; `signature`: what was asked for. */
void simt_atomic_done(const void *address, uint64_t old, bool changed, bool lock,
                      uint64_t signature, const char *file, int line);
void simt_volatile_read(const void *address, unsigned int size, const void *caller);
void simt_volatile_write(const void *caller);
/* It read the clock: it may be waiting for time to pass, and gives way, too. */
void simt_clock_read(const void *caller);
/* An access to memory is about to be made: if the launch is interleaved, others come first. */
void simt_access_point(const void *address);
/* Who was the last to change a word by an atomic, if that is known; or NULL. */
const struct simt_change *simt_find_change(const void *address);

/* turns.c. The running lane's trace is full: waits until the other lanes have come as far. */
void simt_wait_for_replay(void);
/* Gives back memory of the kernels' heap; `function`: what the kernel called for that. */
void simt_kernel_free(void *address, const char *function, const void *caller);
void simt_release_on_host(void *address, void (*give_back)(void *));

/* collectives.c */
/* The lane a shuffle reads; outside of its segment, its own. */
unsigned int simt_collective_source(const struct simt_thread *thread, unsigned int lane);
const char *simt_collective_name(enum simt_collective operation);
/* The last shuffle in which a lane read one that the mask leaves out; no name: none. */
struct simt_outside {
    const char *name, *file; /* NULL: no shuffle; only thread 0 has a result */
    int line;
    unsigned int lane, mask; /* that was read */
};
extern struct simt_outside simt_outside;
/* Whether what the thread stores is such a value, or what it has added to one since. */
bool simt_is_undefined(unsigned int thread, uint64_t stored, unsigned int size);

#endif
/* SPDX-License-Identifier: MIT */
