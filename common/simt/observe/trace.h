/* What instrumented kernels do, on its way from the compiler's hooks to the counters and the
 * checks.
 *
 * Code compiled with the flags of simt.cmake calls a function of trace.c at the start of every
 * basic block and before every access to memory. While a launch is analysed these append an event
 * to the running lane's trace; calls that the runtime itself serves (barriers, atomics, ...) add
 * events of their own. When the lanes of a warp can go no further, replay.c goes through the 32
 * traces together and pairs equal events into warp-level instructions, which it counts and hands to
 * check.c. */
#ifndef SIMT_TRACE_H
#define SIMT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cuda/cuda_runtime_api.h"
#include "cuda/simt.h"
#include "cuda/simt_analysis.h"

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
    EVENT_ARRIVED     /* in findings: a bulk copy has written */
};

/* Part of an event's size. */
enum simt_event_how {
    EVENT_VOLATILE = 0x80,
    EVENT_OF_BLOCK = 0x40, /* the scope of an atomic or a fence */
    EVENT_STRONG = 0x20,   /* and volatile: races with no other such access */
    EVENT_HOW = 0xe0
};

/* Lanes whose next events have the same key do them together. */
struct simt_event {
    /* From the top: 0xffff - call depth (16 bits), program location (32), kind (8), size (8). */
    uint64_t key;
    uint64_t address; /* meaningless if the kind is EVENT_BLOCK */
};

static inline uint32_t event_place(const struct simt_event *event)
{
    return (uint32_t)(event->key >> 16);
}

static inline enum simt_event_kind event_kind(const struct simt_event *event)
{
    return (enum simt_event_kind)(event->key >> 8 & 0xff);
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
 * pipeline.c has seen to it that its address is a multiple of the whole copy's size, and such an
 * address passes here. */
static inline bool is_aligned(uint64_t address, unsigned int size)
{
    return (address & (size - 1)) == 0;
}

/* A place in the program and what happened there in the running launch. */
struct simt_site {
    uint32_t place; /* bytes from the start of the program: a return address */
    bool touched;   /* it is in the list of this launch's sites */
    struct simt_line_counters counters;
};

/* ---- trace.c ---- */

/* Lane i's events lie from begin[i] up to end[i]. There is one set of traces, the running
 * warp's. */
enum {
    TRACE_EVENTS = 512,
    TRACE_STRIDE = TRACE_EVENTS + 4, /* not a power of two: cache sets */
    TRACE_STRETCHES = 1024
};
struct simt_traces {
    struct simt_event *begin[SIMT_WARP_SIZE], *end[SIMT_WARP_SIZE];
    struct simt_event *full[SIMT_WARP_SIZE]; /* where it ends at most */
    uint32_t filled;                         /* the lanes that have events */
    /* If the warp is checked in order: in what order lanes ran since the last check, and where
     * their traces ended then. */
    bool in_order;
    unsigned int stretch_count;
    const struct simt_event *stretches[TRACE_STRETCHES]; /* a lane's buffer tells the lane */
};

extern struct simt_traces simt_traces;
/* SIMT_WARP_SIZE buffers of TRACE_STRIDE events. */
extern struct simt_event *simt_trace_events;
static inline struct simt_event *simt_trace_buffer(unsigned int lane)
{
    return simt_trace_events + (size_t)lane * TRACE_STRIDE;
}

/* What the hooks touch, in one cache line. next == end sends a hook the long way. */
struct simt_hook_state {
    struct simt_event *next, *end;
    uint64_t depth; /* as keys start: see outermost */
    bool interleaved;
    int lane; /* that runs; -1: none */
    unsigned int thread;
} __attribute__((aligned(64)));

/* What belongs to an OS thread of the program: another one may run while a launch does, and its
 * hooks must not be taken for a kernel's. (symbols.c) */
struct simt_thread;
struct simt_own {
    char
        past_shared[SIMT_PAST_SHARED]; /* nobody's: writes past the end of shared memory go there */
    bool listening; /* the hooks have something to do; sources test it before they call one */
    bool tracing;   /* the launch that runs is being analysed */
    bool has_handler_stack;
    cudaError_t last_error;
    struct simt_thread *current; /* the CUDA thread that runs */
    struct simt_hook_state recorder;
};
_Static_assert(offsetof(struct simt_own, listening) == SIMT_PAST_SHARED, "as sources have it");
extern __thread struct simt_own simt_own __attribute__((tls_model("local-exec")));
#define simt_recorder simt_own.recorder
#define simt_tracing simt_own.tracing
#define simt_listening simt_own.listening
/* Of threads that do not run. */
extern uint64_t simt_trace_depths[SIMT_MAX_BLOCK_THREADS];

/* replay.c: the warp is checked in order. */
bool simt_replay_is_in_order(unsigned int warp);

void simt_trace_start_launch(const struct simt_launch *launch);
void simt_trace_end_launch(const struct simt_launch *launch);
void simt_trace_start_block(size_t number, unsigned int threads);
/* The running block, of so many threads, gives way to another; the block goes on, and what was kept
 * is freed. No traces are left in between. */
struct simt_suspended *simt_trace_suspend(unsigned int threads);
void simt_trace_resume_block(struct simt_suspended *kept, unsigned int threads);
/* The launch has ended before the block did. */
void simt_trace_forget_suspended(struct simt_suspended *kept);
/* The lane's trace looks like a loop that waits for a plain variable to change. */
bool simt_trace_polls(unsigned int lane);

/* All that is in the traces is checked now, in the order in which it was recorded, and so is what
 * comes after it. */
void simt_trace_check(void);

/* The last event was a block that is not the source's: it has not been. */
void simt_trace_forget_block(void);

/* The running lane stops, or goes on. In between, another lane or the runtime may look at the
 * traces. */
static inline void simt_trace_pause(void)
{
    struct simt_hook_state *recorder = &simt_recorder;
    unsigned int lane = (unsigned int)recorder->lane;
    if (recorder->lane < 0) {
        return;
    }
    if (recorder->next > simt_traces.begin[lane]) {
        simt_traces.end[lane] = recorder->next;
        simt_traces.filled |= (uint32_t)1 << lane;
        if (simt_traces.in_order) {
            simt_traces.stretches[simt_traces.stretch_count++] = recorder->next;
            if (simt_traces.stretch_count == TRACE_STRETCHES) {
                simt_trace_check();
            }
        }
    }
    simt_trace_depths[recorder->thread] = recorder->depth;
    recorder->lane = -1;
    recorder->next = recorder->end = NULL;
}

static inline void simt_trace_resume(unsigned int thread)
{
    struct simt_hook_state *recorder = &simt_recorder;
    unsigned int lane = thread % SIMT_WARP_SIZE;
    recorder->lane = (int)lane;
    recorder->thread = thread;
    simt_traces.in_order = simt_replay_is_in_order(thread / SIMT_WARP_SIZE);
    recorder->depth = simt_trace_depths[thread];
    recorder->next = simt_traces.end[lane];
    recorder->end = recorder->interleaved ? recorder->next : simt_traces.full[lane];
}

/* Lanes of the running warp meet in a __syncwarp (`syncs`) or another collective; `whole`: nobody
 * else of the warp is left. */
void simt_trace_meet(uint32_t lanes, bool syncs, bool whole);
/* A fence was called, with this scope. */
void simt_trace_fence(const void *caller, unsigned int how);
/* Replays the running warp's traces; no lane runs. `cut`: see simt_replay. */
void simt_trace_drain(unsigned int cut);
/* Of these lanes, those whose traces are not full. */
unsigned int simt_trace_with_room(unsigned int lanes);
/* Adds an event of the runtime's own: what the call that returns to `caller` does. */
void simt_trace_event(enum simt_event_kind kind, const void *caller, uint64_t address,
                      unsigned int size);
/* The last event of the running lane, or NULL. */
const struct simt_event *simt_trace_last(void);

/* The site of a place; numbers start at 1 and stay the same. */
unsigned int simt_site_number(uint32_t place);
struct simt_site *simt_site(unsigned int number);
/* The place a call returns to, and its site's counters. */
uint32_t simt_place_of(const void *return_address);
struct simt_line_counters *simt_count_at(const void *return_address);

/* ---- exec.c ---- */

/* The running lane's trace is full: waits until the other lanes have come as far. */
void simt_wait_for_replay(void);
struct uint3 simt_running_block(void);
unsigned int simt_running_thread(void);
struct uint3 simt_thread_number(unsigned int thread);
/* "name (launched at file:line)" */
void simt_tell_launch(FILE *file);

/* ---- replay.c ---- */

/* Consumes the traces: all of them or, if `cut` names lanes, until one of those has no event left,
 * since what such a lane does next is not known yet. */
void simt_replay(struct simt_traces *traces, unsigned int warp, unsigned int cut);
void simt_replay_start_block(unsigned int threads);
struct simt_replayed *simt_replay_suspend(unsigned int threads);
void simt_replay_resume(struct simt_replayed *kept, unsigned int threads);
/* Checks all that is in the traces, in the order of the stretches, and from now on the warp so. */
void simt_replay_check(const struct simt_traces *traces, unsigned int warp);
/* How many wavefronts, and how many more than needed, an access to shared memory takes. */
void simt_count_banks(bool store, unsigned int size, unsigned int lanes, const uint64_t *addresses,
                      unsigned int *wavefronts, unsigned int *conflicts);

/* ---- order.c ---- */

/* Events are nodes in the program's flow of control; 0 is none. The thread's next event is this
 * one: gives its node, and returns that of the one before in the same call. */
unsigned int simt_order_observe(unsigned int thread, const struct simt_event *event,
                                unsigned int *node);
/* These lanes of a warp have done what another one did. */
void simt_order_copy(unsigned int warp, unsigned int lanes, unsigned int from);
/* Whether what matters of the past of two threads is the same. */
bool simt_order_same(unsigned int a, unsigned int b);
/* For the next ranks: a lane that has come to the first node may come to the second one. */
void simt_order_assume(unsigned int from, unsigned int to);
/* Ranks the nodes anew if anything was learnt. */
void simt_order_rank(void);
/* Lanes in the same depth of calls go by this: who has the least, first. `before`: the node
 * before. */
unsigned int simt_order_of(unsigned int before, unsigned int node);
/* What order.c keeps of a thread: the last node of each call that it is in, from 0 up to `level`.
 * Of a thread that has yet to start, all is 0. */
enum { SIMT_LEVELS = 12 };
struct simt_past {
    unsigned int level, node[SIMT_LEVELS];
};
/* `one_past`: that of the first lane is every lane's. */
void simt_order_get_past(unsigned int warp, bool one_past, struct simt_past *lanes);
void simt_order_set_past(unsigned int warp, const struct simt_past *lanes);
/* All that is kept of a block's threads: copied to or from so many of these. */
void simt_order_keep(struct simt_past *threads, unsigned int count, bool restore);
/* A number that changes whenever nodes or ways between them become known. */
unsigned int simt_order_version(void);

/* ---- plans.c ---- */

/* These lanes' next events are paired. `row`: see look_at in replay.c. */
struct simt_step {
    uint32_t lanes;
    bool row;
};
void simt_plans_start_launch(void);
void simt_plans_start_block(unsigned int warps);
/* Which past each warp of a block has: copied to or from there. */
void simt_plans_keep(unsigned int *pasts, unsigned int warps, bool restore);
/* The steps that pair the traces, all of them, if they are known; else NULL. */
const struct simt_step *simt_plan_find(const struct simt_traces *traces, unsigned int warp,
                                       size_t *count);
/* They are not, or are not to be used: order.c gets the warp's past, lane by lane, unless it has it
 * (false). If the steps are to be recorded, all of them are added before the end; traces->begin is
 * then what it was. */
bool simt_plan_start(unsigned int warp, bool record);
void simt_plan_add_step(uint32_t lanes, bool row);
void simt_plan_end(const struct simt_traces *traces, unsigned int warp, bool one_past);

/* ---- check.c ---- */

enum simt_space { SPACE_LOCAL, SPACE_GLOBAL, SPACE_SHARED, SPACE_CONSTANT, SPACE_HOST };
struct simt_range {
    uint64_t base;
    size_t size;
    enum simt_space space;
    bool illegal; /* in an address space, but not allocated */
};
/* Addresses around this one that are alike. Valid until the next call but a few. */
const struct simt_range *simt_range_of(uint64_t address);
/* The same, found anew, also in a launch that is not looked at. */
enum simt_space simt_space_of(uint64_t address);
/* Parts of that: they know ranges of their own, or return false. */
bool simt_exec_range(uint64_t address, struct simt_range *range);
bool simt_memory_range(uint64_t address, struct simt_range *range);
bool simt_heap_range(uint64_t address, struct simt_range *range);

/* ---- symbols.c ---- */

void simt_shared_start_launch(const void *function);
bool simt_shared_range(uint64_t address, struct simt_range *range);
/* Says which variable an address that is out of bounds comes after; false if it is none of static
 * shared memory's. */
bool simt_shared_describe(uint64_t address, char *text, size_t size);
/* A variable of the program's data: the device's, or SPACE_HOST; its name, or (`past`) of the
 * device's that the address comes after. */
bool simt_data_range(uint64_t address, struct simt_range *range);
bool simt_data_describe(uint64_t address, bool past, char *text, size_t size);

/* ---- check.c ---- */

/* The lanes of a set make the same access; addresses[i] is lane i's. */
void simt_check_access(enum simt_space space, enum simt_event_kind kind, unsigned int how,
                       unsigned int site, unsigned int size, unsigned int warp, unsigned int lanes,
                       const uint64_t *addresses);
/* The same, faster, for loads of words by all 32 lanes, side by side or (distance 0) of one, inside
 * one range; false if it must be done the other way. */
bool simt_check_simple_load(enum simt_space space, unsigned int site, unsigned int warp,
                            uint64_t first, uint64_t distance);
/* Lanes free memory from the kernels' heap. */
void simt_check_free(unsigned int site, unsigned int warp, unsigned int lanes,
                     const uint64_t *addresses);
/* ---- check/bulk.c: a piece of a bulk copy, of at most 16 bytes, that a thread starts ---- */

/* False if it does not lie in memory, which has been told. */
bool simt_check_bulk_read(uint64_t address, unsigned int size, unsigned int thread,
                          unsigned int site);
bool simt_check_bulk_write(uint64_t address, unsigned int size, unsigned int thread,
                           unsigned int site);
void simt_check_bulk_barrier(uint64_t address, unsigned int thread, unsigned int site);
/* It has been read; and written, by whom the tag names. */
void simt_check_bulk_was_read(uint64_t address, unsigned int size);
void simt_check_bulk_written(uint64_t address, unsigned int size, uint32_t tag, unsigned int site);

/* ---- bulk.c ---- */

/* Which copy that is under way reads there. */
bool simt_bulk_reader(uint64_t address, unsigned int *thread, unsigned int *site);
/* By agent: whose copy was the last. */
extern unsigned short simt_bulk_agents[];

/* ---- check.c ---- */

/* `function`: the kernel's address. */
void simt_check_start_launch(const void *function, size_t blocks);
/* Lanes read by __ldg, whose cache does not see what the launch writes. */
void simt_check_read_only(unsigned int site, unsigned int size, unsigned int warp,
                          unsigned int lanes, const uint64_t *addresses);
/* Who wrote a word last in this launch; false: nobody. */
struct simt_last_change {
    unsigned int thread, site;
    bool other_block;
};
bool simt_check_last_change(uint64_t address, struct simt_last_change *last);
/* A launch is not looked at. */
void simt_check_not_looked(void);
/* Block `number` of the grid starts. */
void simt_check_start_block(size_t number, unsigned int threads);

/* ---- findings.c ---- */

/* A site that reads in order to wait, or to see whether an atomic is worth its while: its reads may
 * race with atomics, or, if it is volatile, with volatile writes. */
void simt_note_guard(unsigned int site);
/* A site reads a place, volatile. As long as it is one place in an era, it may be a flag. */
void simt_note_volatile_read(unsigned int site, uint64_t address, uint32_t era);
/* Tells what was found; ends the program unless findings are kept. */
void simt_check_end_launch(void);
void simt_check_tell_now(void);
/* The line where the running lane was last seen; true if its address there is misaligned. */
bool simt_check_tell_last(FILE *file);
void simt_check_tell_place(FILE *file, uint32_t place);
bool simt_findings_are_kept(void);

/* ---- source.c ---- */

enum { PATH_BYTES = 4096 };

/* Where in the source a place lies: the innermost line that is not the runtime's own, and the line
 * of the .cu file that brought it in, if that is another one. */
struct simt_source {
    const char *file, *function;
    int line;
    const char *kernel_file;
    int kernel_line;
};
const struct simt_source *simt_source_of(uint32_t place);
/* The same for many at once, which is faster. */
void simt_sources_load(const uint32_t *places, size_t count);
/* The text of a line, or NULL; the same without the white space in front, in `text`. */
const char *simt_source_text(const char *path, int line);
bool simt_source_line(const char *path, int line, char *text, size_t size);

/* ---- requests.c ---- */

/* SIMT_REQUESTS was given: simt_requests_add wants to be told of each request. */
extern bool simt_requests_wanted;
void simt_requests_prepare(void);
void simt_requests_launch(const struct simt_launch *launch);
void simt_requests_barrier(void);
void simt_requests_add(uint32_t place, enum simt_space space, enum simt_event_kind kind,
                       unsigned int size, unsigned int warp, unsigned int lanes,
                       const uint64_t *addresses);
void simt_requests_reset(void);

/* ---- listing.c ---- */

void simt_listing_add(const struct simt_launch *launch, const unsigned int *sites, size_t count);
void simt_listing_prepare(void);

#endif
