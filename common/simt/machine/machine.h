/* The state of a running launch: its blocks, warps and threads. */
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
    const void *caller; /* a return address: the place of the copy */
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

/* For a thread that polls: the word that it waits for, and the value found. */
struct simt_poll {
    const void *address;
    uint64_t found, signature;
    unsigned int count;
    bool second; /* the next 8 bytes have been read since */
};

/* The iterations of a thread's loop that changes no memory. */
struct simt_round {
    uint64_t state;            /* the state in full trace `noted`, of `count` */
    unsigned int noted, count; /* numbers from 1 on */
    unsigned int until;        /* up to this count, the loop repeats without end */
    uint32_t place;            /* of the loop; 0: none */
};

/* The data for each switch and each collective comes first, in one cache line. */
struct simt_thread {
    struct simt_fiber *fiber; /* NULL before it starts and after it ends */
    const char *file;         /* the place where it waits */
    uint64_t value, result;
    const void *caller; /* of a collective, or of a poll without file and line */
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
    /* Switches do not use the rest. The data that threads of any kernel need comes first. */
    const struct simt_fiber *ran_on;     /* also after its end; if analysed */
    uint64_t loops_left, left_in;        /* a set of loops with a barrier; the block's phase then */
    unsigned int failed_polls, accesses; /* since it last gave way */
    const struct simt_mbarrier *awaited; /* by mbarrier.try_wait */
    struct simt_bulk_groups bulk;
    struct simt_poll poll;
    struct simt_round round;
    bool waits; /* its last two polls found the same value */
    bool sum_is_undefined;
    uint32_t sum;         /* its last shuffle's argument plus result */
    uint64_t atomic_old;  /* the value that its last atomic found, for later */
    bool atomic_is_noted; /* to be repeated: atomics.c */
    struct simt_pipeline pipeline;
    /* It has arrived at a split barrier (enum simt_split) in this phase, but not waited. */
    bool has_arrived[SIMT_SPLITS];
    uint64_t arrived_in[SIMT_SPLITS];
} __attribute__((aligned(64)));

/* A running lane is only in the set `members`; any other lane is in exactly one more set. */
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
    unsigned int called;        /* lanes that have called a collective in this block */
    struct simt_wgmmas *wgmmas; /* NULL: none so far */
};

/* The checks' knowledge of an order (observer.h). */
struct simt_clock;

/* A named barrier (bar.sync 1, 64). Numbers above PTX's 16 belong to tiles: one for each tile of
 * each size, because a tile and its sub-tiles may wait at the same time. */
enum { SIMT_PTX_BARRIERS = 16, SIMT_NAMED_BARRIERS = 48 };
struct simt_named_barrier {
    unsigned int came, came_true, wanted;
    const void *caller;       /* of the last thread that arrived */
    bool of_all;              /* all threads of the block that have not returned */
    struct simt_clock *clock; /* what the arrived threads know */
};

/* A barrier in shared memory at `address`. It is valid while its 8 bytes there equal `mirror`. */
struct simt_mbarrier {
    struct simt_mbarrier *next;
    struct simt_block *block;
    char *address;
    uint64_t mirror, phase;
    unsigned int expected, pending; /* arrivals: per phase, and in this one */
    long bytes;                     /* that this phase still waits for */
    bool polled;                    /* by mbarrier.test_wait, since the last copy was made */
    unsigned int agent;             /* the writer of its data: observer.h; 0: none */
    const char *file;               /* where it was initialized */
    int line;
    const void *caller;
    struct simt_clock *arrived, *completed; /* known from this phase; from earlier ones */
};

enum { SIMT_BOXES = 64, SIMT_LOOPS = 64 };

/* A split barrier: threads arrive first and wait later. barrier.cluster, and those of groups. */
struct simt_split_barrier {
    uint64_t phase;
    unsigned int arrived;
    struct simt_clock *arriving, *completed; /* known from this phase; from earlier ones */
};

/* A block of the grid that has started. */
struct simt_block {
    struct simt_block *next;      /* in the list of suspended or idle blocks */
    struct simt_block *next_made; /* in the list of all blocks */
    struct uint3 index;
    unsigned int alive; /* threads that have not exited */
    struct simt_warp *current_warp;
    unsigned int rounds;      /* rounds of polls without any other event */
    unsigned int woken;       /* how often waiting threads were woken since its turn began */
    unsigned int full_traces; /* consecutive ones without a change */
    struct simt_read read;    /* in the last of them */
    double idle_since;        /* since full_traces was large; processor time */

    /* Its barrier: the arrived threads, and the results of the last one. */
    unsigned int waiting, waiting_true;
    bool waiting_at_different_barriers;
    bool waits_for_grid;
    bool early; /* it started before blocks with lower numbers */
    unsigned int finished, finished_true;
    /* The first thread that arrived: its line and, below it, the kind; and a return address. */
    uint64_t barrier_line;
    const char *barrier_file;
    const struct simt_thread *first_at_barrier;
    const void *barrier_caller;
    uint64_t phase;                     /* grows with each barrier */
    uint64_t loops_left, left_in;       /* the same, for threads that returned in it */
    unsigned short left_by[SIMT_LOOPS]; /* one such thread per loop */

    struct simt_named_barrier named[SIMT_NAMED_BARRIERS];
    char left[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE][SIMT_TILE_BYTES]; /* for the warp's tile */
    struct simt_mbarrier *mbarriers;
    struct simt_bulk_copy *bulk, **last_bulk; /* pending, for an mbarrier */
    /* The latest tiles made by tensor copies, and their swizzles. */
    struct simt_box {
        const char *begin, *end;
        unsigned int span;
    } boxes[SIMT_BOXES];
    unsigned int next_box;

    size_t number;                   /* in the default order of starts */
    unsigned int rank;               /* in its cluster */
    struct simt_split_barrier alone; /* for a cluster of one block */
    struct simt_split_barrier split; /* the block's own */

    /* While it is suspended: dynamic shared memory, then static; and the state of the analysis. */
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
/* The running launch. */
enum { SIMT_CHANGES = 256 };
struct simt_grid {
    const struct simt_launch *launch; /* the requested launch; NULL: none runs */
    void (*invoke)(void *closure);    /* each thread calls this with `closure` */
    void *closure;
    unsigned int threads, warps; /* per block */

    /* Its blocks: their number, those started, and those done. Suspended ones, the longest wait
     * first; memory of ended ones; all except for the first. */
    size_t blocks, started, done, suspended_count;
    /* `ends` blocks in `first` run first; then the others in ascending order: blocks.c. */
    size_t ends, first[27], ascending[27];
    struct simt_block *suspended, **last_suspended, *idle, *made;

    /* Grows with every sign of progress; its last value, and since when. */
    uint64_t progress, progress_seen, clocks; /* clocks: how often they were read */
    double stuck_since;

    bool pipelines_used, changed;
    struct simt_change changes[SIMT_CHANGES]; /* the latest, by address; valid if `changed` */

    cudaError_t abandoned; /* the reason for its early end */
    char reason[128];
};

/* A thread has used something that must be completed or checked when threads end: bulk copies to
 * global memory, wgmma, named barriers or cluster barriers. */
extern bool simt_ends_matter;

extern struct simt_grid simt_grid;
extern struct simt_block *simt_block; /* the running block */
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

/* The running thread, for reports: also simt_current. */
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

/* Ends the running launch from one of its threads; the host continues. */
__attribute__((noreturn)) void simt_abandon_launch(cudaError_t error, const char *reason);

/* polls.c. An atomic or volatile access follows. In a shuffled order, other threads may run
 * first. */
void simt_atomic_point(const char *file, int line, const void *caller);
/* The running thread made an atomic operation, or read a volatile variable. After many equal ones
 * without change it may be waiting for another thread, so it gives way. `lock`: a compare or an
 * exchange, for which they need not be equal; `signature`: identifies the operation. */
void simt_atomic_done(const void *address, uint64_t old, bool changed, bool lock,
                      uint64_t signature, const char *file, int line);
void simt_volatile_read(const void *address, unsigned int size, const void *caller);
void simt_volatile_write(const void *caller);
/* The thread read the clock. It may be waiting for time to pass, so it also gives way. */
void simt_clock_read(const void *caller);
/* An access to memory follows: if the launch is interleaved, other threads run first. */
void simt_access_point(const void *address);
/* The last atomic change of a word, if it is known; or NULL. */
const struct simt_change *simt_find_change(const void *address);

/* turns.c. The running lane's trace is full: waits until the other lanes have come as far. */
void simt_wait_for_replay(void);
/* Frees memory of the kernels' heap; `function`: the function that the kernel called. */
void simt_kernel_free(void *address, const char *function, const void *caller);
void simt_release_on_host(void *address, void (*give_back)(void *));

/* collectives.c */
/* The lane that a shuffle reads; if that is outside of the segment, its own. */
unsigned int simt_collective_source(const struct simt_thread *thread, unsigned int lane);
const char *simt_collective_name(enum simt_collective operation);
/* The last shuffle in which a lane read a lane outside its mask; no name: none. */
struct simt_outside {
    const char *name, *file; /* NULL: no shuffle; only thread 0 has a result */
    int line;
    unsigned int lane, mask; /* `lane` was read */
};
extern struct simt_outside simt_outside;
/* Whether the thread stores such a value, or a sum with such a value. */
bool simt_is_undefined(unsigned int thread, uint64_t stored, unsigned int size);

#endif
/* SPDX-License-Identifier: MIT */
