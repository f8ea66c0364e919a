/* What makes up a block that runs: its threads, its warps, its barrier. Shared by exec.c, which
 * runs it, collectives.c and stuck.c. */
#ifndef SIMT_MACHINE_H
#define SIMT_MACHINE_H

#include "base/internal.h"
#include "machine/context.h"
#include "observe/trace.h"

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif

enum { SIMT_MAX_WARPS = SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE };

struct simt_fiber {
    struct simt_context context;
    struct simt_fiber *next_free;
    const void *stack; /* the next three for the address sanitizer */
    size_t stack_bytes;
    void *fake_stack;
};

/* What a thread waits for that polls: the word, and what it found there. */
struct simt_poll {
    const void *address;
    uint64_t found, signature;
    unsigned int count;
};

/* What each switch and each collective needs comes first, in one cache line. */
struct simt_thread {
    struct simt_fiber *fiber; /* NULL before it starts and after it ends */
    struct uint3 index;
    int line; /* where it waits */
    const char *file;
    uint64_t value, result;
    const void *caller; /* of a collective, or of a poll that has no file and line */
    unsigned int mask;
    unsigned char operation; /* enum simt_collective */
    unsigned char barrier;   /* enum simt_barrier */
    unsigned char lane;      /* a shuffle's argument */
    unsigned char width;
    unsigned char size;
    unsigned int failed_polls;
    const struct simt_mbarrier *awaited; /* by mbarrier.try_wait */
    struct simt_bulk_groups bulk;
    struct simt_poll poll;
    struct simt_pipeline pipeline;
} __attribute__((aligned(64)));

/* A lane that runs is in none of the sets but `members`; any other is in exactly one more. */
struct simt_warp {
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
};

/* A barrier with a number: bar.sync 1, 64. */
enum { SIMT_NAMED_BARRIERS = 16 };
struct simt_named_barrier {
    unsigned int came, came_true, wanted;
    const void *caller;       /* of who came last */
    bool of_all;              /* the block's threads, less those that have returned */
    struct simt_clock *clock; /* what those that came know */
};

/* A barrier in shared memory, at `address`, while the program's own 8 bytes there are `mirror`. */
struct simt_mbarrier {
    struct simt_mbarrier *next;
    char *address;
    uint64_t mirror, phase;
    unsigned int expected, pending; /* arrivals: of each phase, of this one */
    long bytes;                     /* that this phase still waits for */
    bool polled;                    /* by mbarrier.test_wait, since the last copy that was made */
    unsigned int agent;             /* causality.h; 0: none yet */
    const char *file; /* where it was initialised */
    int line;
    const void *caller;
    struct simt_clock *arrived, *completed; /* what is known from this phase; from those before */
};

/* A block of the grid that has started. */
struct simt_block {
    struct simt_block *next;      /* of those that are suspended, or idle */
    struct simt_block *next_made; /* of all */
    struct uint3 index;
    unsigned int alive; /* threads that have not exited */
    unsigned int current_warp;
    unsigned int rounds;      /* since anything but polls happened */
    unsigned int full_traces; /* in a row */

    /* Its barrier: who has come, and what the last one gave. */
    unsigned int waiting, waiting_true;
    bool waiting_at_different_barriers;
    bool waits_for_grid;
    unsigned int finished, finished_true;
    const struct simt_thread *first_at_barrier;
    const void *barrier_caller; /* a return address of who waits there */

    struct simt_named_barrier named[SIMT_NAMED_BARRIERS];
    struct simt_mbarrier *mbarriers;
    struct simt_bulk_copy *bulk, **last_bulk; /* under way, for an mbarrier */

    /* While it is suspended: dynamic shared memory, then static; and what the analysis knows. */
    char *shared;
    struct simt_suspended *analysis;

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
/* Who was the last to do so, if that is known; or NULL. */
const struct simt_change *simt_find_change(const void *address);

extern struct simt_block *simt_block; /* that runs */
extern const struct simt_launch *simt_running_launch;
#define simt_current simt_own.current /* NULL: the host runs */

static inline unsigned int simt_lowest(unsigned int set)
{
    return (unsigned int)__builtin_ctz(set);
}

static inline unsigned int simt_linear(const struct simt_thread *thread)
{
    return (unsigned int)(thread - simt_block->threads);
}

static inline struct simt_warp *simt_warp_of(const struct simt_thread *thread)
{
    return &simt_block->warps[simt_linear(thread) / SIMT_WARP_SIZE];
}

static inline unsigned int simt_bit_of(const struct simt_thread *thread)
{
    return 1u << simt_linear(thread) % SIMT_WARP_SIZE;
}

/* ---- fibers.c ---- */

/* A fiber runs this from its start on; it must not return. */
void simt_fiber_main(struct simt_fiber *self);
struct simt_fiber *simt_take_fiber(void);
void simt_give_fiber(struct simt_fiber *fiber);
/* It stopped somewhere in a kernel: it begins anew. */
void simt_take_back_fiber(struct simt_fiber *fiber);
#ifdef SIMT_ASAN
void simt_switch_fiber(struct simt_fiber *from, struct simt_fiber *to);
#else
static inline void simt_switch_fiber(struct simt_fiber *from, struct simt_fiber *to)
{
    simt_context_switch(&from->context, &to->context);
}
#endif
/* The host's. */
extern struct simt_fiber simt_host_fiber;
void simt_fibers_prepare(void);
/* The stacks that have guards; and whether an address lies in such a guard. */
bool simt_is_in_stacks(uint64_t address, struct simt_range *range);
bool simt_is_stack_guard(uint64_t address);
/* Memory for kernels, reserved; and a part of it that may be used. They end the program if there is
 * none. */
void *simt_reserve(size_t size);
void simt_allow(void *memory, size_t size);

/* ---- exec.c ---- */

unsigned int simt_block_threads(void);
void simt_matrix_collective(uint64_t matrix, const void *caller, const char *file, int line);
/* The running thread waits until all have come to a barrier with a number. */
void simt_wait_named(unsigned int number, const void *caller, const char *file, int line);
/* Those that wait at one go on: each gets the result and knows what the clock tells. */
void simt_wake_named(unsigned int number, unsigned int count, unsigned int count_true,
                     struct simt_clock *clock);
/* The running thread waits for a phase, or until nothing else can happen; and those who wait go on.
 */
void simt_wait_mbarrier(const struct simt_mbarrier *barrier, const void *caller, const char *file,
                        int line);
void simt_wake_mbarrier(const struct simt_mbarrier *barrier);
void simt_give_way(const char *file, int line);
void simt_note_progress(void);

/* ---- barriers.c, mbarrier.c, bulk.c ---- */

void simt_named_thread_exited(void);
/* The block has ended (or, without `check`, been given up). */
void simt_forget_barriers(struct simt_block *block);
struct simt_mbarrier *simt_mbarrier_at(const void *address, const char *what, const char *file,
                                       int line);
/* Bytes have been copied; a thread arrives that has waited for its copies. */
void simt_mbarrier_bytes(struct simt_mbarrier *barrier, long bytes);
void simt_mbarrier_expect_arrival(void *address, const char *file, int line);
void simt_mbarrier_tell(const struct simt_mbarrier *barrier);
bool simt_mbarrier_is_awaited(const struct simt_mbarrier *barrier);
/* Makes a copy that somebody waits for; false if there is none. */
bool simt_bulk_advance(void);
/* The running thread returns: what it should have waited for. The block ends. */
void simt_bulk_thread_exited(void);
void simt_bulk_block_ended(void);
void simt_bulk_forget(struct simt_block *block);

/* ---- collectives.c ---- */

/* What each of the lanes that are together gets from the operation that all of them ask for. */
void simt_collective_do(struct simt_thread *lanes, unsigned int together, unsigned int exited);
/* tensor.c: the same of a matrix operation. */
void simt_matrix_do(struct simt_thread *lanes, unsigned int together);
const char *simt_collective_name(enum simt_collective operation);

/* ---- stuck.c ---- */

/* Each ends the program: which threads of the block are where, and what to do about it; the same
 * for a collective that is wrong in itself. */
__attribute__((noreturn)) void simt_report_stuck(const char *headline, size_t suspended);
__attribute__((noreturn)) void simt_report_collective(struct simt_thread *thread, const char *what,
                                                      unsigned int lanes, const char *hint);
/* Where a helper in a header made the call: ", called from" the line of the .cu file. */
void simt_report_caller(const void *caller);
/* Starts a report: the kernel and the block that run. */
void simt_report_block(void);

/* ---- schedule.c ---- */

/* SIMT_SCHEDULE was given: threads, warps and blocks run in an order that a number decides. */
extern bool simt_shuffled;
void simt_schedule_start_launch(void);
/* One of a set that is not empty. */
unsigned int simt_schedule_lane(unsigned int set);
unsigned int simt_schedule_below(unsigned int count);
/* The block that is `turn`-th of `count`. */
size_t simt_schedule_block(size_t turn, size_t count);

#endif
