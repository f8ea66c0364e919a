/* Runs launches: which block, warp and thread runs next, barriers, and what a kernel asks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "check/causality.h"
#include "machine/machine.h"

enum {
    POLLS_BEFORE_YIELD = 64,
    ROUNDS_BEFORE_OTHERS = 2,   /* of polls, before another block goes on */
    ROUNDS_BEFORE_A_LOOK = 256, /* at the clock */
    ROUNDS_AT_MBARRIERS = 4096, /* that nothing can end */
    FULL_BEFORE_OTHERS = 64,    /* traces in a row that look like a loop that waits */
    SECONDS_OF_POLLS = 3,       /* unless SIMT_WATCHDOG says another number */
    MOST_SUSPENDED = 64,        /* blocks of a launch that is not cooperative */
    SHARED_ALIGNMENT = 1024     /* what kernels ask for at most: a swizzled tile */
};

struct simt_counters simt_counts;

static struct simt_block first_block;
struct simt_block *simt_block = &first_block;
const struct simt_launch *simt_running_launch;

static unsigned int block_threads, block_warps;
static bool pipelines_used; /* by the launch that runs */

/* The launch's blocks: how many there are, have been started, are done; those that wait for others,
 * the one that has waited longest first; and memory of those that are done. */
static size_t blocks, blocks_started, blocks_done, suspended_count;
static struct simt_block *suspended, **last_suspended = &suspended, *idle_blocks;
static struct simt_block *made_blocks; /* all but the first */

/* Grows with all that shows that the launch gets on; when it last did. */
static uint64_t progress, progress_seen;
static double stuck_since;

static char *shared_end; /* dynamic shared memory ends here, a guard page follows */

static void prepare(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t shared = (SIMT_MAX_SHARED_BYTES + page - 1) / page * page;
    simt_fault_install();
    if (shared_end) {
        return;
    }
    simt_fibers_prepare();
    shared_end = (char *)simt_reserve(shared + page) + shared;
    simt_allow(shared_end - shared, shared);
}

/* ---- reports ---- */

void simt_exit(void)
{
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

void simt_exit_without_memory(void)
{
    fflush(NULL);
    _exit(3); /* EXIT_DEVICE_ERROR of the programs */
}

bool simt_in_kernel(void)
{
    return simt_current != NULL;
}

size_t simt_shared_bytes(void)
{
    return simt_running_launch ? simt_running_launch->shared_bytes : 0;
}

enum simt_guard simt_guard_of(const void *address)
{
    uintptr_t past_shared = (uintptr_t)address - (uintptr_t)shared_end;
    if (simt_is_stack_guard((uintptr_t)address)) {
        return SIMT_STACK_GUARD;
    }
    return shared_end && past_shared < 4096 ? SIMT_SHARED_GUARD : SIMT_NO_GUARD;
}

void simt_tell_launch(FILE *file)
{
    const struct simt_launch *launch = simt_running_launch;
    fprintf(file, "%s (launched at %s:%d)", launch->name, launch->file, launch->line);
}

void simt_report_place(void)
{
    simt_report_block();
    if (simt_current) {
        struct uint3 index = simt_current->index;
        fprintf(stderr, ", thread (%u,%u,%u)", index.x, index.y, index.z);
    }
}

/* ---- who runs next ---- */

static void make_ready(unsigned int warp, unsigned int lanes)
{
    simt_block->warps[warp].ready |= lanes;
}

static void note_progress(void)
{
    progress++;
    simt_block->rounds = 0;
}

/* Nothing else in the warp can run: the lanes that wait at the same __activemask() are together. */
static void resolve_activemask(unsigned int number)
{
    struct simt_warp *warp = &simt_block->warps[number];
    struct simt_thread *lanes = &simt_block->threads[number * SIMT_WARP_SIZE];
    const struct simt_thread *first = &lanes[simt_lowest(warp->at_activemask)];
    unsigned int together = 0;
    for (unsigned int set = warp->at_activemask; set; set &= set - 1) {
        const struct simt_thread *lane = &lanes[simt_lowest(set)];
        if (lane->line == first->line && strcmp(lane->file, first->file) == 0) {
            together |= 1u << simt_lowest(set);
        }
    }
    for (unsigned int set = together; set; set &= set - 1) {
        lanes[simt_lowest(set)].result = together;
    }
    simt_counts.votes++;
    warp->at_activemask &= ~together;
    make_ready(number, together);
}

/* A warp with a ready lane: the first, unless the order is shuffled; block_warps if there is
 * none. */
static unsigned int ready_warp(void)
{
    unsigned int first = simt_shuffled ? simt_schedule_below(block_warps) : 0;
    for (unsigned int i = 0; i < block_warps; i++) {
        unsigned int warp = (first + i) % block_warps;
        if (simt_block->warps[warp].ready) {
            return warp;
        }
    }
    return block_warps;
}

/* Of processor time, so that a busy machine is not taken for a thread that waits. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* SIMT_WATCHDOG: 0 is never. */
static double patience(void)
{
    static double seconds = -1;
    const char *asked = seconds < 0 ? getenv("SIMT_WATCHDOG") : NULL;
    char *end;
    if (seconds < 0) {
        seconds = asked ? strtod(asked, &end) : SECONDS_OF_POLLS;
        if (asked && (end == asked || *end != '\0' || !(seconds >= 0))) {
            fprintf(stderr, "simt: SIMT_WATCHDOG=%s: want a number of seconds, 0 for never\n",
                    asked);
            exit(2);
        }
    }
    return seconds;
}

/* All that can run polls, and has done so for a while. */
static void look_at_clock(void)
{
    if (progress != progress_seen) {
        progress_seen = progress;
        stuck_since = now();
    } else if (patience() > 0 && now() - stuck_since > patience()) {
        simt_report_stuck("livelock: the threads that can run wait for a value that never comes",
                          suspended_count);
    }
}

static bool can_wait_for_blocks(void);
static void suspend_block(void);
static bool next_block(void);

/* No thread of the block is ready: those that gave way go on, unless another block may have what
 * they wait for. */
static void wake_yielded(void)
{
    unsigned int any = 0, yielded = 0;
    if (simt_bulk_advance()) {
        simt_block->rounds = 0;
        if (ready_warp() < block_warps) {
            return;
        }
    }
    for (unsigned int i = 0; i < block_warps; i++) {
        yielded |= simt_block->warps[i].yielded;
        any |= simt_block->warps[i].at_mbarrier;
    }
    any |= yielded;
    if (!any) {
        simt_report_stuck("deadlock: no thread can go on", suspended_count);
    }
    if (simt_block->rounds++ % ROUNDS_BEFORE_A_LOOK == ROUNDS_BEFORE_OTHERS) {
        look_at_clock();
    }
    if (!yielded && simt_block->rounds > ROUNDS_AT_MBARRIERS && !can_wait_for_blocks()) {
        simt_report_stuck("deadlock: the threads that are left wait at mbarriers",
                          suspended_count);
    }
    if (simt_block->rounds > ROUNDS_BEFORE_OTHERS && can_wait_for_blocks()) {
        suspend_block();
        next_block();
        if (ready_warp() < block_warps) {
            return;
        }
    }
    for (unsigned int i = 0; i < block_warps; i++) {
        make_ready(i, simt_block->warps[i].yielded | simt_block->warps[i].at_mbarrier);
        simt_block->warps[i].yielded = simt_block->warps[i].at_mbarrier = 0;
    }
}

/* A block's stacks do not fit into the first-level cache: fetch the one that comes after the
 * next. */
static void prefetch(const struct simt_thread *thread)
{
#ifndef SIMT_UCONTEXT
    if (thread->fiber) {
        __builtin_prefetch(thread->fiber->context.stack_pointer);
        __builtin_prefetch((char *)thread->fiber->context.stack_pointer + 64);
    }
#else
    (void)thread;
#endif
}

/* Lanes whose traces are full go on once the others of the warp have come as far. Where they never
 * do anything else, they may wait for a plain variable: then others get their turn. */
static void empty_traces(unsigned int number)
{
    struct simt_warp *warp = &simt_block->warps[number];
    bool polls = simt_trace_polls(simt_lowest(warp->trace_full));
    unsigned int lanes;
    simt_trace_drain(warp->trace_full);
    lanes = simt_trace_with_room(warp->trace_full);
    warp->trace_full &= ~lanes;
    simt_block->full_traces = polls ? simt_block->full_traces + 1 : 0;
    if (simt_block->full_traces < FULL_BEFORE_OTHERS) {
        make_ready(number, lanes);
        return;
    }
    simt_block->full_traces = 0;
    warp->yielded |= lanes;
    progress++; /* they may as well compute */
}

/* The current warp has no ready lane: makes one ready, or goes on with another warp, or with
 * another block. Not inlined, so that next_thread, which runs at each switch, needs no stack. */
__attribute__((noinline)) static void find_ready_warp(void)
{
    unsigned int number = simt_block->current_warp;
    struct simt_warp *warp = &simt_block->warps[number];
    if (simt_tracing) {
        simt_trace_pause();
    }
    if (warp->trace_full) {
        empty_traces(number);
    }
    if (!warp->ready && warp->at_activemask) {
        resolve_activemask(number);
    }
    if (warp->ready) {
        return;
    }
    if (simt_tracing) {
        simt_trace_drain(0);
    }
    while (ready_warp() == block_warps) {
        wake_yielded();
    }
    simt_block->current_warp = ready_warp();
}

/* Takes the lowest ready lane, from the current warp as long as it has any. */
static inline __attribute__((always_inline)) struct simt_thread *next_thread(void)
{
    struct simt_warp *warp;
    struct simt_thread *lanes;
    unsigned int lane;
    if (!simt_block->warps[simt_block->current_warp].ready) {
        find_ready_warp();
    }
    warp = &simt_block->warps[simt_block->current_warp];
    lanes = &simt_block->threads[simt_block->current_warp * SIMT_WARP_SIZE];
    lane = __builtin_expect(simt_shuffled, 0) ? simt_schedule_lane(warp->ready)
                                              : simt_lowest(warp->ready);
    warp->ready &= ~(1u << lane);
    if (warp->ready) {
        prefetch(&lanes[simt_lowest(warp->ready)]);
    }
    return &lanes[lane];
}

/* Suspends the running thread, which has put itself into one of its warp's sets. */
static inline __attribute__((always_inline)) void wait_turn(void)
{
    struct simt_thread *self = simt_current, *next = next_thread();
    if (simt_tracing) {
        simt_trace_pause(); /* which find_ready_warp may have done */
        simt_trace_resume(simt_linear(next));
    }
    if (next == self) {
        return;
    }
    if (!next->fiber) {
        next->fiber = simt_take_fiber();
    }
    simt_current = next;
    simt_switch_fiber(self->fiber, next->fiber);
}

void simt_wait_for_replay(void)
{
    simt_warp_of(simt_current)->trace_full |= simt_bit_of(simt_current);
    wait_turn();
}

/* ---- block barriers ---- */

static void release_barrier(void)
{
    struct simt_block *block = simt_block;
    if (simt_tracing) {
        simt_trace_pause();
        simt_trace_drain(0);
        simt_causality_barrier();
        simt_requests_barrier();
        simt_count_at(block->barrier_caller)->barriers++;
    }
    if (block->waiting_at_different_barriers) {
        simt_report_stuck("divergent barrier: the threads of one block wait at different barriers",
                          suspended_count);
    }
    block->finished = block->waiting;
    block->finished_true = block->waiting_true;
    block->waiting = 0;
    block->waiting_true = 0;
    block->full_traces = 0;
    for (unsigned int i = 0; i < block_warps; i++) {
        make_ready(i, block->warps[i].at_barrier);
        block->warps[i].at_barrier = 0;
    }
    note_progress();
    block->current_warp = ready_warp();
    simt_counts.block_barriers++;
}

static void leave_for_grid(void);

/* All that have not exited have come to the barrier. */
__attribute__((noinline, cold)) static void complete_barrier(void)
{
    const struct simt_thread *first = simt_block->first_at_barrier;
    if (first->barrier == SIMT_BARRIER_GRID && !simt_block->waiting_at_different_barriers) {
        leave_for_grid();
    } else {
        release_barrier();
    }
}

/* Files of one name may have several addresses. */
__attribute__((noinline, cold)) static void compare_files(const struct simt_thread *self)
{
    if (strcmp(self->file, simt_block->first_at_barrier->file) != 0) {
        simt_block->waiting_at_different_barriers = true;
    }
}

/* It keeps next to nothing on the stack of a thread that waits: the less of the stacks is in use,
 * the more of them fit into the caches. */
int simt_block_barrier(enum simt_barrier kind, int predicate, const char *file, int line)
{
    struct simt_thread *self = simt_current;
    struct simt_block *block = simt_block;
    block->barrier_caller = __builtin_return_address(0);
    self->barrier = (unsigned char)kind;
    self->file = file;
    self->line = line;
    simt_warp_of(self)->at_barrier |= simt_bit_of(self);
    block->waiting_true += predicate != 0;
    if (block->waiting++ == 0) {
        block->first_at_barrier = self;
        block->waiting_at_different_barriers = false;
    } else if (line != block->first_at_barrier->line ||
               self->barrier != block->first_at_barrier->barrier) {
        block->waiting_at_different_barriers = true;
    } else if (file != block->first_at_barrier->file) {
        compare_files(self);
    }
    if (block->waiting == block->alive) {
        complete_barrier();
    }
    wait_turn();
    /* The next barrier cannot complete before this thread has come to it. */
    switch (simt_current->barrier) {
    case SIMT_BARRIER_AND:
        return simt_block->finished_true == simt_block->finished;
    case SIMT_BARRIER_OR:
        return simt_block->finished_true != 0;
    default:
        return (int)simt_block->finished_true;
    }
}

/* ---- warp collectives ---- */

static void count_collective(const struct simt_thread *thread)
{
    struct simt_line_counters *counters = simt_count_at(thread->caller);
    switch (thread->operation) {
    case SIMT_SYNCWARP:
        counters->syncwarps++;
        break;
    case SIMT_SHUFFLE:
    case SIMT_SHUFFLE_UP:
    case SIMT_SHUFFLE_DOWN:
    case SIMT_SHUFFLE_XOR:
        counters->shuffles++;
        break;
    case SIMT_MATRIX:
        counters->matrix++;
        break;
    default:
        counters->votes++;
        break;
    }
}

/* Completes the collective that a waiting thread takes part in, if all of its lanes are there that
 * have not exited. */
static void try_collective(const struct simt_thread *thread)
{
    struct simt_warp *warp = simt_warp_of(thread);
    unsigned int number = (unsigned int)(warp - simt_block->warps);
    struct simt_thread *lanes = &simt_block->threads[number * SIMT_WARP_SIZE];
    unsigned int left = warp->members & ~warp->exited, together = thread->mask & left;
    if (together & ~warp->at_collective) {
        return;
    }
    for (unsigned int set = together; set; set &= set - 1) {
        const struct simt_thread *lane = &lanes[simt_lowest(set)];
        if (lane->operation != thread->operation || lane->mask != thread->mask) {
            return;
        }
    }
    if (simt_tracing) {
        count_collective(thread);
        simt_trace_meet(together, thread->operation == SIMT_SYNCWARP, together == left);
    }
    simt_collective_do(lanes, together, warp->exited);
    warp->at_collective &= ~together;
    make_ready(number, together);
}

uint64_t simt_warp_collective(enum simt_collective operation, unsigned int mask, uint64_t value,
                              unsigned int lane, int width, int size, const char *file, int line)
{
    struct simt_thread *self = simt_current;
    struct simt_warp *warp = simt_warp_of(self);
    self->operation = (unsigned char)operation;
    self->mask = mask;
    self->value = value;
    self->lane = lane % SIMT_WARP_SIZE; /* as the hardware does */
    self->width = (unsigned char)width;
    self->size = (unsigned char)size;
    self->file = file;
    self->line = line;
    self->caller = __builtin_return_address(0);
    if (simt_tracing && operation != SIMT_ACTIVEMASK) {
        simt_trace_event(operation == SIMT_SYNCWARP ? EVENT_SYNCWARP : EVENT_COLLECTIVE,
                         self->caller, mask, 0);
    }
    if (operation == SIMT_ACTIVEMASK) {
        warp->at_activemask |= simt_bit_of(self);
        wait_turn();
        return self->result;
    }
    if (!(mask & simt_bit_of(self))) {
        simt_report_collective(self, "lacks the calling lane:", simt_bit_of(self),
                               "a lane may only call with a mask in which its own bit is set.");
    }
    if (width < 1 || width > SIMT_WARP_SIZE || (width & (width - 1)) != 0) {
        simt_report_collective(self,
                               "comes with a width that is not 1, 2, 4, 8, 16 or 32, from lane",
                               simt_bit_of(self), "pass the number of lanes that make up a group.");
    }
    warp->at_collective |= simt_bit_of(self);
    try_collective(self);
    wait_turn();
    return self->result;
}

/* What a lane brings to it lies on its stack, at `matrix`. */
void simt_matrix_collective(uint64_t matrix, const void *caller, const char *file, int line)
{
    struct simt_thread *self = simt_current;
    self->operation = SIMT_MATRIX;
    self->mask = ~0u;
    self->value = matrix;
    self->file = file;
    self->line = line;
    self->caller = caller;
    if (simt_tracing) {
        simt_trace_event(EVENT_COLLECTIVE, caller, ~0u, 0);
    }
    simt_warp_of(self)->at_collective |= simt_bit_of(self);
    try_collective(self);
    wait_turn();
}

/* ---- barriers with a number, and in memory ---- */

unsigned int simt_block_threads(void)
{
    return block_threads;
}

void simt_note_progress(void)
{
    note_progress();
}

void simt_wait_named(unsigned int number, const void *caller, const char *file, int line)
{
    simt_current->caller = caller;
    simt_current->file = file;
    simt_current->line = line;
    simt_current->lane = (unsigned char)number;
    simt_warp_of(simt_current)->at_named |= simt_bit_of(simt_current);
    wait_turn();
}

void simt_wake_named(unsigned int number, unsigned int count, unsigned int count_true,
                     struct simt_clock *clock)
{
    for (unsigned int i = 0; i < block_warps; i++) {
        struct simt_warp *warp = &simt_block->warps[i];
        for (unsigned int set = warp->at_named; set; set &= set - 1) {
            unsigned int thread = i * SIMT_WARP_SIZE + simt_lowest(set);
            if (simt_block->threads[thread].lane == number) {
                simt_block->threads[thread].result = (uint64_t)count << 32 | count_true;
                warp->at_named &= ~(1u << simt_lowest(set));
                make_ready(i, 1u << simt_lowest(set));
                if (simt_tracing) {
                    simt_causality_acquire(thread, clock);
                }
            }
        }
    }
    note_progress();
}

void simt_wait_mbarrier(const struct simt_mbarrier *barrier, const void *caller, const char *file,
                        int line)
{
    simt_current->caller = caller;
    simt_current->file = file;
    simt_current->line = line;
    simt_current->awaited = barrier;
    simt_warp_of(simt_current)->at_mbarrier |= simt_bit_of(simt_current);
    wait_turn();
}

void simt_wake_mbarrier(const struct simt_mbarrier *barrier)
{
    for (unsigned int i = 0; i < block_warps; i++) {
        struct simt_warp *warp = &simt_block->warps[i];
        for (unsigned int set = warp->at_mbarrier; set; set &= set - 1) {
            unsigned int bit = set & (0u - set);
            if (simt_block->threads[i * SIMT_WARP_SIZE + simt_lowest(set)].awaited == barrier) {
                warp->at_mbarrier &= ~bit;
                make_ready(i, bit);
            }
        }
    }
    note_progress();
}

bool simt_mbarrier_is_awaited(const struct simt_mbarrier *barrier)
{
    for (unsigned int i = 0; i < block_warps; i++) {
        for (unsigned int set = simt_block->warps[i].at_mbarrier; set; set &= set - 1) {
            if (simt_block->threads[i * SIMT_WARP_SIZE + simt_lowest(set)].awaited == barrier) {
                return true;
            }
        }
    }
    return barrier->polled;
}

/* ---- locks and other spinning ---- */

static void give_way(const char *file, int line, const void *caller)
{
    simt_current->file = file;
    simt_current->line = line;
    simt_current->caller = caller;
    simt_current->failed_polls = simt_current->poll.count = 0; /* the address stays */
    simt_warp_of(simt_current)->yielded |= simt_bit_of(simt_current);
    wait_turn();
}

void simt_give_way(const char *file, int line)
{
    give_way(file, line, NULL);
}

void simt_yield(const char *file, int line)
{
    give_way(file, line, NULL);
}

void simt_access_point(const void *address)
{
    if (simt_running_launch->interleaved && simt_in_kernel() && simt_memory_is_device(address)) {
        simt_current->poll.address = NULL;
        simt_yield("a memory access", 0);
        note_progress(); /* an access is progress, not waiting */
    }
}

/* The same as the last time, at the same place, with the same result? */
static bool polls_again(const void *address, uint64_t found, uint64_t signature)
{
    struct simt_poll *poll = &simt_current->poll;
    bool again = poll->address == address && poll->found == found && poll->signature == signature;
    unsigned int count = again ? poll->count + 1 : 1;
    *poll = (struct simt_poll){address, found, signature, count};
    return count >= POLLS_BEFORE_YIELD;
}

/* Who has changed words by atomics of late: by address. */
enum { CHANGES = 256 };
static struct simt_change changes[CHANGES];

static struct simt_change *change_of(const void *address)
{
    return &changes[(uintptr_t)address / 4 % CHANGES];
}

const struct simt_change *simt_find_change(const void *address)
{
    const struct simt_change *change = change_of(address);
    return change->address == address ? change : NULL;
}

void simt_atomic_point(const char *file, int line)
{
    if (simt_current && simt_schedule_below(4) == 0) {
        give_way(file, line, NULL);
    }
}

void simt_atomic_done(const void *address, uint64_t old, bool changed, bool lock,
                      uint64_t signature, const char *file, int line)
{
    bool again;
    if (!simt_current) {
        return;
    }
    if (changed) {
        *change_of(address) = (struct simt_change){address, simt_current, simt_block, file, line};
        simt_current->failed_polls = lock ? 0 : simt_current->failed_polls;
        note_progress();
        return;
    }
    again = polls_again(address, old, signature);
    if (lock ? ++simt_current->failed_polls >= POLLS_BEFORE_YIELD : again) {
        give_way(file, line, NULL);
    }
}

void simt_volatile_read(const void *address, unsigned int size, const void *caller)
{
    uint64_t found = 0;
    bool again;
    if (!simt_current || size > sizeof found) {
        return;
    }
    again =
        simt_current->poll.address == address && simt_current->poll.signature == (uintptr_t)caller;
    if (again && simt_tracing) {
        simt_note_guard(simt_site_number(simt_place_of(caller)));
    }
    memcpy(&found, address, size);
    if (polls_again(address, found, (uintptr_t)caller)) {
        give_way(NULL, 0, caller);
    }
}

/* Who writes between two reads does not only wait. */
void simt_volatile_write(void)
{
    if (simt_current) {
        simt_current->poll.address = NULL;
    }
}

/* ---- launches that end before their time ---- */

static cudaError_t abandoned;
static char abandoned_reason[128];

void simt_abandon_launch(cudaError_t error, const char *reason)
{
    abandoned = error;
    snprintf(abandoned_reason, sizeof abandoned_reason, "%s", reason);
    simt_switch_fiber(simt_current->fiber, &simt_host_fiber);
    abort(); /* nobody comes back */
}

static void take_back_fibers(struct simt_block *block)
{
    for (unsigned int i = 0; i < block_threads; i++) {
        struct simt_thread *thread = &block->threads[i];
        if (thread->fiber) {
            simt_take_back_fiber(thread->fiber);
        }
        thread->fiber = NULL;
        thread->pipeline.count = thread->pipeline.group = 0;
    }
    block->waiting = block->waiting_true = 0;
    simt_bulk_forget(block);
    simt_forget_barriers(block);
}

static void end_abandoned(void)
{
    if (simt_tracing) {
        simt_trace_pause();
    }
    take_back_fibers(simt_block);
    for (; suspended; suspended = suspended->next) {
        take_back_fibers(suspended);
        free(suspended->shared);
        if (suspended->analysis) {
            simt_trace_forget_suspended(suspended->analysis);
        }
    }
    simt_current = NULL;
}

void simt_launch_bounds(unsigned int most_threads)
{
    char reason[128];
    if (block_threads > most_threads) {
        snprintf(reason, sizeof reason, "%u threads in a block, __launch_bounds__ says %u at most",
                 block_threads, most_threads);
        simt_abandon_launch(cudaErrorInvalidValue, reason);
    }
}

/* ---- blocks ---- */

static struct uint3 index_of_block(size_t number)
{
    size_t row = simt_running_launch->grid.x, plane = row * simt_running_launch->grid.y;
    return (struct uint3){(unsigned int)(number % row), (unsigned int)(number % plane / row),
                          (unsigned int)(number / plane)};
}

static void start_block(void)
{
    size_t number = blocks_started++;
    struct simt_block *block = simt_block;
    number = simt_shuffled ? simt_schedule_block(number, blocks) : number;
    block->index = index_of_block(number);
    for (unsigned int i = 0; i < block_warps; i++) {
        unsigned int rest = block_threads - i * SIMT_WARP_SIZE;
        unsigned int members = rest >= SIMT_WARP_SIZE ? ~0u : (1u << rest) - 1;
        block->warps[i] = (struct simt_warp){.members = members, .ready = members};
    }
    block->alive = block_threads;
    block->rounds = block->full_traces = 0;
    block->waits_for_grid = false;
    block->current_warp = ready_warp();
    memset(simt_dynamic_shared(), 0xff, simt_running_launch->shared_bytes);
    if (simt_tracing) {
        simt_trace_start_block(number, block_threads);
    }
    simt_counts.blocks++;
    simt_counts.threads += block_threads;
}

static void number_threads(struct simt_block *block)
{
    struct uint3 size = simt_running_launch->block;
    unsigned int number = 0;
    for (unsigned int z = 0; z < size.z; z++) {
        for (unsigned int y = 0; y < size.y; y++) {
            for (unsigned int x = 0; x < size.x; x++) {
                block->threads[number++].index = (struct uint3){x, y, z};
            }
        }
    }
}

/* ---- blocks that wait for one another ---- */

static void copy_shared(char *kept, bool keep)
{
    size_t bytes, dynamic = simt_running_launch->shared_bytes;
    void *shared = simt_static_shared(&bytes);
    memcpy(keep ? kept : simt_dynamic_shared(), keep ? simt_dynamic_shared() : kept, dynamic);
    if (bytes) {
        memcpy(keep ? kept + dynamic : shared, keep ? shared : kept + dynamic, bytes);
    }
}

static void *need(void *memory)
{
    if (!memory) {
        perror("simt: no memory for blocks that wait for one another");
        simt_exit_without_memory();
    }
    return memory;
}

/* Blocks of a cooperative launch run at the same time. Those of any other launch need not; but in a
 * shuffled order, one may come before those that it may rightly count on, with lower numbers. */
static bool can_wait_for_blocks(void)
{
    bool others = suspended_count > 0 || blocks_started < blocks;
    return others && (simt_running_launch->cooperative || simt_shuffled);
}

static void suspend_block(void)
{
    struct simt_block *block = simt_block;
    size_t bytes;
    simt_static_shared(&bytes);
    block->shared = need(malloc(simt_running_launch->shared_bytes + bytes + 1));
    copy_shared(block->shared, true);
    block->analysis = simt_tracing ? simt_trace_suspend(block_threads) : NULL;
    block->rounds = 0;
    block->next = NULL;
    *last_suspended = block;
    last_suspended = &block->next;
    suspended_count++;
    simt_block = NULL;
}

static void resume_block(struct simt_block *block)
{
    simt_block = block;
    copy_shared(block->shared, false);
    free(block->shared);
    if (simt_tracing) {
        simt_trace_resume_block(block->analysis, block_threads);
    }
}

static struct simt_block *take_suspended(struct simt_block **link)
{
    struct simt_block *block = *link;
    *link = block->next;
    if (!block->next) {
        last_suspended = link;
    }
    suspended_count--;
    return block;
}

static struct simt_block **find_runnable(void)
{
    struct simt_block **link = &suspended;
    while (*link && (*link)->waits_for_grid) {
        link = &(*link)->next;
    }
    return *link ? link : NULL;
}

/* All blocks that are left wait for the grid. */
static void release_grid(void)
{
    if (blocks_done > 0) {
        struct simt_block *waits = suspended;
        simt_block = waits;
        simt_report_block();
        fprintf(stderr,
                ": deadlock: %zu of %zu blocks wait in grid.sync() at %s:%d, the others have "
                "returned\n"
                "  hint: every thread of the grid must reach grid.sync().\n",
                suspended_count, blocks, waits->first_at_barrier->file,
                waits->first_at_barrier->line);
        simt_exit();
    }
    for (struct simt_block *block = suspended; block; block = block->next) {
        block->waits_for_grid = false;
    }
    if (simt_tracing) {
        simt_causality_grid_barrier();
    }
}

static struct simt_block *new_block(void)
{
    struct simt_block *block = idle_blocks;
    if (block) {
        idle_blocks = block->next;
    } else {
        block = need(aligned_alloc(_Alignof(struct simt_block), sizeof *block));
        memset(block, 0, sizeof *block);
        block->next_made = made_blocks;
        made_blocks = block;
    }
    number_threads(block);
    return block;
}

/* The block that ran is done or, if simt_block is NULL, suspended: goes on with another. False if
 * there is none left. */
static bool next_block(void)
{
    struct simt_block **runnable = suspended ? find_runnable() : NULL;
    struct simt_block *done = simt_block, *block;
    bool full = suspended_count >= MOST_SUSPENDED && !simt_running_launch->cooperative;
    /* Cooperative blocks all start first. Others: what was done may be what one waited for. */
    bool start = blocks_started < blocks && !(runnable && (full || (done && simt_shuffled)));
    if (start) {
        simt_block = done ? done : new_block();
        start_block();
        return true;
    }
    if (!suspended) {
        return false;
    }
    if (!runnable) {
        release_grid();
        runnable = &suspended;
    }
    block = take_suspended(runnable);
    if (done) {
        done->next = idle_blocks;
        idle_blocks = done;
    }
    resume_block(block);
    if (block->waiting > 0 && block->waiting == block->alive) { /* in grid.sync() */
        block->waiting_true = 0;
        release_barrier();
    }
    return true;
}

/* All threads of the block that have not exited have come to a grid barrier. */
static void leave_for_grid(void)
{
    if (!simt_running_launch->cooperative) {
        simt_report_place();
        fprintf(stderr,
                ": grid.sync() at %s:%d in a launch that is not cooperative\n"
                "  hint: launch the kernel with cudaLaunchCooperativeKernel.\n",
                simt_block->first_at_barrier->file, simt_block->first_at_barrier->line);
        simt_exit();
    }
    if (simt_tracing) {
        simt_trace_pause();
        simt_trace_drain(0);
    }
    note_progress();
    simt_block->waits_for_grid = true;
    suspend_block();
    next_block();
}

static void forget_blocks(void)
{
    while (made_blocks) {
        struct simt_block *next = made_blocks->next_made;
        for (unsigned int i = 0; i < SIMT_MAX_BLOCK_THREADS; i++) {
            free(made_blocks->threads[i].pipeline.copies);
        }
        free(made_blocks);
        made_blocks = next;
    }
    simt_block = &first_block;
}

/* ---- launches ---- */

static void exit_thread(void)
{
    struct simt_warp *warp = simt_warp_of(simt_current);
    struct simt_block *block = simt_block;
    if (pipelines_used) {
        simt_pipeline_drain(&simt_current->pipeline, SIZE_MAX);
        simt_current->pipeline.group = 0;
    }
    simt_bulk_thread_exited();
    if (simt_tracing) {
        simt_trace_pause();
    }
    simt_current->fiber = NULL;
    warp->exited |= simt_bit_of(simt_current);
    block->alive--;
    note_progress();
    /* Others may have waited for nobody but this thread. */
    for (unsigned int set = warp->at_collective; set; set &= set - 1) {
        if (warp->at_collective & 1u << simt_lowest(set)) {
            try_collective(
                &block->threads[(warp - block->warps) * SIMT_WARP_SIZE + simt_lowest(set)]);
        }
    }
    simt_named_thread_exited();
    if (block->waiting && block->waiting == block->alive) {
        complete_barrier();
    } else if (block->alive == 0) {
        simt_bulk_block_ended();
        simt_forget_barriers(block);
        blocks_done++;
    }
}

/* A kernel that writes past the end of an array on its stack often hits the registers that it saved
 * for its callers. That these are saved here again lets the program come to the report of it. */
__attribute__((noinline)) static void call_kernel(void)
{
    simt_running_launch->invoke(simt_running_launch->closure);
#ifdef __x86_64__
    __asm__ volatile("" ::: "rbx", "r12", "r13", "r14", "r15");
#endif
}

/* Runs one thread after the other for as long as none of them waits. */
void simt_fiber_main(struct simt_fiber *self)
{
    for (;;) {
        call_kernel();
        exit_thread();
        if (simt_block->alive == 0) {
            if (simt_tracing) {
                simt_trace_drain(0);
            }
            if (!next_block()) {
                simt_current = NULL;
                simt_give_fiber(self);
                simt_switch_fiber(self, &simt_host_fiber);
                continue;
            }
        }
        simt_current = next_thread();
        if (simt_tracing) {
            simt_trace_resume(simt_linear(simt_current));
        }
        if (!simt_current->fiber) {
            simt_current->fiber = self;
        } else {
            simt_give_fiber(self);
            simt_switch_fiber(self, simt_current->fiber);
        }
    }
}

static void open_launch(const struct simt_launch *asked)
{
    prepare();
    simt_running_launch = asked;
    simt_block = &first_block;
    block_threads = asked->block.x * asked->block.y * asked->block.z;
    block_warps = (block_threads + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE;
    blocks = (size_t)asked->grid.x * asked->grid.y * asked->grid.z;
    blocks_started = blocks_done = suspended_count = 0;
    suspended = idle_blocks = NULL;
    last_suspended = &suspended;
    number_threads(simt_block);
    memset(changes, 0, sizeof changes);
    pipelines_used = false;
    note_progress();
    simt_counts.launches++;
    simt_schedule_start_launch();
    simt_memory_open();
}

/* More than there is, ptxas does not compile. */
static void refuse_static_shared(const struct simt_launch *asked)
{
    size_t bytes = simt_static_shared_of(asked->function);
    if (bytes > SIMT_STATIC_SHARED_BYTES) {
        fflush(stdout);
        fprintf(stderr,
                "simt: kernel %s (launched at %s:%d): %zu bytes of __shared__ variables: nvcc "
                "takes %zu at most; more must be dynamic (extern __shared__)\n",
                asked->name, asked->file, asked->line, bytes, SIMT_STATIC_SHARED_BYTES);
        simt_exit();
    }
}

/* The error, or cudaSuccess. */
static cudaError_t refused(const struct simt_launch *asked)
{
    char reason[128];
    cudaError_t error = simt_check_launch(asked, reason, sizeof reason);
    if (simt_lost() != cudaSuccess) {
        return simt_lost();
    }
    if (error != cudaSuccess) {
        simt_launch_failed(asked, error, reason);
        return error;
    }
    refuse_static_shared(asked);
    return cudaSuccess;
}

static cudaError_t close_launch(const struct simt_launch *asked)
{
    if (abandoned != cudaSuccess) {
        end_abandoned();
    }
    simt_trace_end_launch(asked);
    simt_memory_close();
    forget_blocks();
    simt_running_launch = NULL;
    if (abandoned == cudaErrorAssert) {
        simt_lose(abandoned);
    } else if (abandoned != cudaSuccess) {
        simt_launch_failed(asked, abandoned, abandoned_reason);
        return abandoned;
    }
    return cudaSuccess; /* of an assertion that failed, the calls that come tell */
}

int simt_launch_kernel(const struct simt_launch *asked)
{
    cudaError_t error;
    SIMT_API;
    error = refused(asked);
    if (error != cudaSuccess) {
        return (int)error;
    }
    open_launch(asked);
    simt_trace_start_launch(asked);
    start_block();
    simt_current = next_thread();
    if (simt_tracing) {
        simt_trace_resume(simt_linear(simt_current));
    }
    simt_current->fiber = simt_take_fiber();
    abandoned = cudaSuccess;
    simt_switch_fiber(&simt_host_fiber, simt_current->fiber);
    return (int)close_launch(asked);
}

/* ---- what a kernel asks for ---- */

struct uint3 simt_thread_index(void)
{
    return simt_current->index;
}

struct uint3 simt_block_index(void)
{
    return simt_block->index;
}

struct uint3 simt_block_dimensions(void)
{
    return simt_running_launch->block;
}

struct uint3 simt_grid_dimensions(void)
{
    return simt_running_launch->grid;
}

void *simt_dynamic_shared(void)
{
    size_t size = (simt_running_launch->shared_bytes + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT;
    return shared_end - size * SHARED_ALIGNMENT;
}

int simt_is_cooperative(void)
{
    return simt_running_launch->cooperative;
}

void simt_fence(void)
{
    if (simt_tracing) {
        simt_trace_fence(__builtin_return_address(0), 0);
    }
}

void simt_fence_block(void)
{
    if (simt_tracing) {
        simt_trace_fence(__builtin_return_address(0), EVENT_OF_BLOCK);
    }
}

struct uint3 simt_running_block(void)
{
    return simt_block->index;
}

unsigned int simt_running_thread(void)
{
    return simt_linear(simt_current);
}

struct uint3 simt_thread_number(unsigned int thread)
{
    return simt_block->threads[thread].index;
}

/* Stacks, and dynamic shared memory: as much of it as the launch asked for. */
bool simt_exec_range(uint64_t address, struct simt_range *range)
{
    uint64_t start = (uintptr_t)simt_dynamic_shared();
    uint64_t arguments = (uintptr_t)simt_running_launch->begin;
    size_t size = simt_running_launch->shared_bytes;
    if (simt_is_in_stacks(address, range)) {
        return true;
    }
    *range = (struct simt_range){
        arguments, (size_t)((uintptr_t)simt_running_launch->end - arguments), SPACE_LOCAL, false};
    if (address - arguments < range->size) {
        return true;
    }
    if (address - ((uintptr_t)shared_end - SIMT_MAX_SHARED_BYTES) >=
        SIMT_MAX_SHARED_BYTES + (size_t)4096) {
        return false;
    }
    *range = address - start < size ? (struct simt_range){start, size, SPACE_SHARED, false}
                                    : (struct simt_range){address, 1, SPACE_SHARED, true};
    return true;
}

long long simt_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

void simt_trap(const char *file, int line)
{
    simt_report_place();
    fprintf(stderr, ": __trap() at %s:%d\n", file, line);
    simt_exit();
}

struct simt_pipeline *simt_current_pipeline(void)
{
    pipelines_used = true;
    return &simt_current->pipeline;
}

void simt_counters_reset(void)
{
    simt_counts = (struct simt_counters){0};
}

void simt_counters_read(struct simt_counters *counters)
{
    *counters = simt_counts;
}
