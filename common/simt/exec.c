/* Runs launches: fibers, blocks, barriers and warp collectives, and the reports when threads wait
 * for what cannot come. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "context.h"
#include "internal.h"
#include "trace.h"

#if defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#endif
#ifdef SIMT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum {
    STACK_BYTES = 256 << 10,
    STACK_GUARD_BYTES = 68 << 10, /* wide, so that a large frame cannot step over it */
    MAX_WARPS = SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE,
    POLLS_BEFORE_YIELD = 64,
    ROUNDS_BEFORE_LIVELOCK = 10000,
    SHARED_ALIGNMENT = 1024 /* what kernels ask for at most: a swizzled tile */
};

struct fiber {
    struct simt_context context;
    struct fiber *next_free;
    const void *stack; /* the next three for the address sanitizer */
    size_t stack_bytes;
    void *fake_stack;
};

/* What each switch and each collective needs comes first, in one cache line. */
struct thread {
    struct fiber *fiber; /* NULL before it starts and after it ends */
    struct uint3 index;
    int line; /* where it waits */
    const char *file;
    uint64_t value, result;
    const void *caller; /* of a collective */
    unsigned int mask;
    unsigned char operation; /* enum simt_collective */
    unsigned char barrier;   /* enum simt_barrier */
    unsigned char lane;      /* a shuffle's argument */
    unsigned char width;
    unsigned char size;
    unsigned int failed_polls;
    struct simt_pipeline pipeline;
} __attribute__((aligned(64)));

/* A lane that runs is in none of the sets but `members`; any other is in exactly one more. */
struct warp {
    unsigned int members;
    unsigned int ready;
    unsigned int at_barrier;
    unsigned int at_collective;
    unsigned int at_activemask;
    unsigned int yielded;
    unsigned int trace_full;
    unsigned int exited;
};

struct simt_counters simt_counts;

static struct thread threads[SIMT_MAX_BLOCK_THREADS];
static struct warp warps[MAX_WARPS];
#define current simt_own.current

static const struct simt_launch *launch;
static struct uint3 block_index;
static unsigned int block_threads, block_warps;
static bool pipelines_used; /* by the launch that runs */

/* The running block. */
static unsigned int alive; /* threads that have not exited */
static unsigned int current_warp;
static unsigned int rounds_without_progress;

/* Its barrier: who has come, and what the last one gave. */
static unsigned int waiting, waiting_true;
static bool waiting_at_different_barriers;
static unsigned int finished, finished_true;
static const struct thread *first_at_barrier;
static const void *barrier_caller; /* a return address of who waits there */

static struct fiber fibers[SIMT_MAX_BLOCK_THREADS];
static struct fiber *free_fibers;
static size_t fibers_made;
static char *stacks;
static struct fiber host_fiber;

static char *shared_end; /* dynamic shared memory ends here, a guard page follows */

/* ---- stacks and fibers ---- */

static size_t stack_stride(void)
{
    return (size_t)STACK_BYTES + STACK_GUARD_BYTES;
}

static void fatal(const char *what)
{
    perror(what);
    simt_exit_without_memory();
}

static void *reserve(size_t size)
{
    void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        fatal("simt: cannot reserve memory for kernels");
    }
    return memory;
}

static void allow(void *memory, size_t size)
{
    if (mprotect(memory, size, PROT_READ | PROT_WRITE) != 0) {
        fatal("simt: cannot get memory for kernels");
    }
}

static void prepare(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t shared = (SIMT_MAX_SHARED_BYTES + page - 1) / page * page;
    simt_fault_install();
    if (stacks) {
        return;
    }
    stacks = reserve(stack_stride() * SIMT_MAX_BLOCK_THREADS);
    shared_end = (char *)reserve(shared + page) + shared;
    allow(shared_end - shared, shared);
}

static void fiber_main(void *argument);

/* For cooperative launches, which keep more than one block. These stacks have no guards: a mapping
 * for each would be more than the system allows. */
static struct fiber *extra_fiber(void)
{
    static char *stack, *end;
    struct fiber *fiber = calloc(1, sizeof *fiber);
    if (!fiber) {
        fatal("simt: cannot get memory for kernels");
    }
    if (stack == end) {
        size_t size = (size_t)STACK_BYTES * SIMT_MAX_BLOCK_THREADS;
        stack = reserve(size);
        end = stack + size;
        allow(stack, size);
    }
    fiber->stack = stack;
    fiber->stack_bytes = STACK_BYTES - (fibers_made++ * 192 & 4095);
    simt_context_make(&fiber->context, stack, fiber->stack_bytes, fiber_main, fiber);
    stack += STACK_BYTES;
    return fiber;
}

static struct fiber *take_fiber(void)
{
    struct fiber *fiber = free_fibers;
    size_t colour = (fibers_made * 192) & 4095; /* else all stacks would share their cache sets */
    char *stack = stacks + fibers_made * stack_stride() + STACK_GUARD_BYTES;
    if (fiber) {
        free_fibers = fiber->next_free;
        return fiber;
    }
    if (fibers_made >= SIMT_MAX_BLOCK_THREADS) {
        return extra_fiber();
    }
    fiber = &fibers[fibers_made++];
    allow(stack, STACK_BYTES);
    fiber->stack = stack;
    fiber->stack_bytes = STACK_BYTES - colour;
    simt_context_make(&fiber->context, stack, fiber->stack_bytes, fiber_main, fiber);
    return fiber;
}

static void give_fiber(struct fiber *fiber)
{
    fiber->next_free = free_fibers;
    free_fibers = fiber;
}

#ifdef SIMT_ASAN
static struct fiber *switched_from;

static void arrived(struct fiber *fiber)
{
    __sanitizer_finish_switch_fiber(fiber->fake_stack, &switched_from->stack,
                                    &switched_from->stack_bytes);
}

static void switch_fiber(struct fiber *from, struct fiber *to)
{
    switched_from = from;
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->stack_bytes);
    simt_context_switch(&from->context, &to->context);
    arrived(from);
}
#else
static void arrived(struct fiber *fiber)
{
    (void)fiber;
}

static void switch_fiber(struct fiber *from, struct fiber *to)
{
    simt_context_switch(&from->context, &to->context);
}
#endif

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
    return current != NULL;
}

size_t simt_stack_bytes(void)
{
    return STACK_BYTES;
}

size_t simt_shared_bytes(void)
{
    return launch ? launch->shared_bytes : 0;
}

enum simt_guard simt_guard_of(const void *address)
{
    uintptr_t in_stacks = (uintptr_t)address - (uintptr_t)stacks;
    uintptr_t past_shared = (uintptr_t)address - (uintptr_t)shared_end;
    if (stacks && in_stacks < stack_stride() * SIMT_MAX_BLOCK_THREADS) {
        return in_stacks % stack_stride() < STACK_GUARD_BYTES ? SIMT_STACK_GUARD : SIMT_NO_GUARD;
    }
    return stacks && past_shared < 4096 ? SIMT_SHARED_GUARD : SIMT_NO_GUARD;
}

void simt_tell_launch(FILE *file)
{
    fprintf(file, "%s (launched at %s:%d)", launch->name, launch->file, launch->line);
}

static void report_kernel(void)
{
    fflush(stdout);
    if (simt_tracing) {
        simt_check_tell_now(); /* what was wrong before may be the reason */
    }
    fputs("simt: kernel ", stderr);
    simt_tell_launch(stderr);
    fprintf(stderr, ", block (%u,%u,%u)", block_index.x, block_index.y, block_index.z);
}

void simt_report_place(void)
{
    report_kernel();
    if (current) {
        fprintf(stderr, ", thread (%u,%u,%u)", current->index.x, current->index.y,
                current->index.z);
    }
}

/* "0-15 32 40-47": the members of a set of block_threads (or fewer) flags. */
static void print_ranges(const bool *members, unsigned int count)
{
    for (unsigned int i = 0; i < count; i++) {
        unsigned int first = i;
        if (!members[i]) {
            continue;
        }
        while (i + 1 < count && members[i + 1]) {
            i++;
        }
        fprintf(stderr, first == i ? " %u" : " %u-%u", first, i);
    }
    fputc('\n', stderr);
}

static void print_lanes(unsigned int lanes)
{
    bool members[SIMT_WARP_SIZE];
    for (unsigned int i = 0; i < SIMT_WARP_SIZE; i++) {
        members[i] = lanes >> i & 1;
    }
    print_ranges(members, SIMT_WARP_SIZE);
}

static const char *barrier_name(enum simt_barrier barrier)
{
    static const char *const names[] = {"__syncthreads", "__syncthreads_count", "__syncthreads_and",
                                        "__syncthreads_or", "grid.sync"};
    return names[barrier];
}

static const char *collective_name(enum simt_collective operation)
{
    static const char *const names[SIMT_COLLECTIVES] = {
        [SIMT_SYNCWARP] = "__syncwarp",
        [SIMT_SHUFFLE] = "__shfl_sync",
        [SIMT_SHUFFLE_UP] = "__shfl_up_sync",
        [SIMT_SHUFFLE_DOWN] = "__shfl_down_sync",
        [SIMT_SHUFFLE_XOR] = "__shfl_xor_sync",
        [SIMT_BALLOT] = "__ballot_sync",
        [SIMT_ANY] = "__any_sync",
        [SIMT_ALL] = "__all_sync",
        [SIMT_MATCH_ANY] = "__match_any_sync",
        [SIMT_MATCH_ALL] = "__match_all_sync",
        [SIMT_REDUCE_ADD] = "__reduce_add_sync",
        [SIMT_REDUCE_MIN] = "__reduce_min_sync",
        [SIMT_REDUCE_MAX] = "__reduce_max_sync",
        [SIMT_REDUCE_MIN_SIGNED] = "__reduce_min_sync",
        [SIMT_REDUCE_MAX_SIGNED] = "__reduce_max_sync",
        [SIMT_REDUCE_AND] = "__reduce_and_sync",
        [SIMT_REDUCE_OR] = "__reduce_or_sync",
        [SIMT_REDUCE_XOR] = "__reduce_xor_sync",
        [SIMT_ACTIVEMASK] = "__activemask",
    };
    return names[operation];
}

enum place { PLACE_BARRIER, PLACE_COLLECTIVE, PLACE_YIELDED, PLACE_EXITED };

static enum place place_of(unsigned int thread)
{
    const struct warp *warp = &warps[thread / SIMT_WARP_SIZE];
    unsigned int bit = 1u << thread % SIMT_WARP_SIZE;
    return warp->at_barrier & bit      ? PLACE_BARRIER
           : warp->at_collective & bit ? PLACE_COLLECTIVE
           : warp->exited & bit        ? PLACE_EXITED
                                       : PLACE_YIELDED;
}

static bool same_place(unsigned int a, unsigned int b)
{
    const struct thread *first = &threads[a], *second = &threads[b];
    enum place place = place_of(a);
    if (place != place_of(b)) {
        return false;
    }
    if (place == PLACE_EXITED) {
        return true;
    }
    return first->line == second->line && strcmp(first->file, second->file) == 0 &&
           (place == PLACE_BARRIER ? first->barrier == second->barrier
            : place == PLACE_COLLECTIVE
                ? first->operation == second->operation && first->mask == second->mask
                : true);
}

static void print_place(unsigned int thread)
{
    const struct thread *at = &threads[thread];
    switch (place_of(thread)) {
    case PLACE_BARRIER:
        fprintf(stderr, "in %s() at %s:%d:", barrier_name(at->barrier), at->file, at->line);
        break;
    case PLACE_COLLECTIVE:
        fprintf(stderr, "in %s(), mask 0x%08x, at %s:%d:", collective_name(at->operation), at->mask,
                at->file, at->line);
        break;
    case PLACE_YIELDED:
        fprintf(stderr, "spinning on an atomic at %s:%d:", at->file, at->line);
        break;
    case PLACE_EXITED:
        fputs("returned from the kernel:", stderr);
        break;
    }
}

/* Ends the program: which threads of the block are where, and what to do about it. */
__attribute__((noreturn)) static void report_stuck(const char *headline)
{
    bool told[SIMT_MAX_BLOCK_THREADS] = {false};
    bool barrier = false, collective = false, yielded = false, exited = false;
    report_kernel();
    fprintf(stderr, ": %s\n", headline);
    for (unsigned int i = 0; i < block_threads; i++) {
        bool here[SIMT_MAX_BLOCK_THREADS] = {false};
        unsigned int count = 0;
        if (told[i]) {
            continue;
        }
        for (unsigned int j = i; j < block_threads; j++) {
            here[j] = !told[j] && same_place(i, j);
            told[j] = told[j] || here[j];
            count += here[j];
        }
        barrier = barrier || place_of(i) == PLACE_BARRIER;
        collective = collective || place_of(i) == PLACE_COLLECTIVE;
        yielded = yielded || place_of(i) == PLACE_YIELDED;
        exited = exited || place_of(i) == PLACE_EXITED;
        fprintf(stderr, "  %u thread%s ", count, count == 1 ? "" : "s");
        print_place(i);
        print_ranges(here, block_threads);
    }
    if (barrier) {
        fputs("  hint: every thread of a block must reach the same __syncthreads(): move it out of "
              "the branch or loop\n"
              "  that only some threads take. (A GPU may hang here, or go on with wrong data.)\n",
              stderr);
    }
    if (collective) {
        fputs("  hint: every lane that a mask names must make the same call with the same mask: "
              "make the call outside of\n"
              "  the branch, or name only the lanes that take it.\n",
              stderr);
    }
    if (yielded) {
        fputs("  hint: a lock must be given back by a thread that can run: not across a barrier, "
              "and not in a block\n"
              "  that has yet to start.\n",
              stderr);
    }
    simt_exit();
}

/* Ends the program: the running thread's warp collective is wrong in itself. */
__attribute__((noreturn)) static void report_collective(struct thread *thread, const char *what,
                                                        unsigned int lanes, const char *hint)
{
    current = thread;
    simt_report_place();
    fprintf(stderr, ": %s() at %s:%d: mask 0x%08x %s", collective_name(thread->operation),
            thread->file, thread->line, thread->mask, what);
    print_lanes(lanes);
    fprintf(stderr, "  hint: %s\n", hint);
    simt_exit();
}

/* ---- who runs next ---- */

static unsigned int linear(const struct thread *thread)
{
    return (unsigned int)(thread - threads);
}

static struct warp *warp_of(const struct thread *thread)
{
    return &warps[linear(thread) / SIMT_WARP_SIZE];
}

static unsigned int bit_of(const struct thread *thread)
{
    return 1u << linear(thread) % SIMT_WARP_SIZE;
}

static unsigned int lowest(unsigned int set)
{
    return (unsigned int)__builtin_ctz(set);
}

static void make_ready(unsigned int warp, unsigned int lanes)
{
    warps[warp].ready |= lanes;
    rounds_without_progress = 0;
}

/* Nothing else in the warp can run: the lanes that wait at the same __activemask() are together. */
static void resolve_activemask(unsigned int number)
{
    struct warp *warp = &warps[number];
    struct thread *lanes = &threads[number * SIMT_WARP_SIZE];
    const struct thread *first = &lanes[lowest(warp->at_activemask)];
    unsigned int together = 0;
    for (unsigned int set = warp->at_activemask; set; set &= set - 1) {
        const struct thread *lane = &lanes[lowest(set)];
        if (lane->line == first->line && strcmp(lane->file, first->file) == 0) {
            together |= 1u << lowest(set);
        }
    }
    for (unsigned int set = together; set; set &= set - 1) {
        lanes[lowest(set)].result = together;
    }
    simt_counts.votes++;
    warp->at_activemask &= ~together;
    make_ready(number, together);
}

/* The first warp with a ready lane; block_warps if there is none. */
static unsigned int ready_warp(void)
{
    unsigned int i = 0;
    while (i < block_warps && !warps[i].ready) {
        i++;
    }
    return i;
}

static void wake_yielded(void)
{
    unsigned int rounds = rounds_without_progress + 1;
    for (unsigned int i = 0; i < block_warps; i++) {
        if (warps[i].yielded) {
            make_ready(i, warps[i].yielded);
        }
    }
    rounds_without_progress = rounds;
    if (ready_warp() == block_warps) {
        report_stuck("deadlock: no thread can go on");
    }
    if (rounds > ROUNDS_BEFORE_LIVELOCK) {
        report_stuck("livelock: the threads that can run wait for a value that never comes");
    }
    for (unsigned int i = 0; i < block_warps; i++) {
        warps[i].yielded = 0;
    }
}

/* A block's stacks do not fit into the first-level cache: fetch the one that comes after the
 * next. */
static void prefetch(const struct thread *thread)
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

/* The current warp has no ready lane: makes one ready, or goes on with another warp. Not inlined,
 * so that next_thread, which runs at each switch, needs no stack. */
__attribute__((noinline)) static void find_ready_warp(void)
{
    struct warp *warp = &warps[current_warp];
    if (simt_tracing) {
        simt_trace_pause();
    }
    if (warp->trace_full) {
        unsigned int lanes;
        simt_trace_drain(warp->trace_full);
        lanes = simt_trace_with_room(warp->trace_full);
        warp->trace_full &= ~lanes;
        make_ready(current_warp, lanes);
    }
    if (!warp->ready && warp->at_activemask) {
        resolve_activemask(current_warp);
    }
    if (!warp->ready && simt_tracing) {
        simt_trace_drain(0);
    }
    if (!warp->ready) {
        if (ready_warp() == block_warps) {
            wake_yielded();
        }
        current_warp = ready_warp();
    }
}

/* Takes the lowest ready lane, from the current warp as long as it has any. */
static inline __attribute__((always_inline)) struct thread *next_thread(void)
{
    struct warp *warp;
    struct thread *lanes;
    unsigned int lane;
    if (!warps[current_warp].ready) {
        find_ready_warp();
    }
    warp = &warps[current_warp];
    lanes = &threads[current_warp * SIMT_WARP_SIZE];
    lane = lowest(warp->ready);
    warp->ready &= warp->ready - 1;
    if (warp->ready) {
        prefetch(&lanes[lowest(warp->ready)]);
    }
    return &lanes[lane];
}

/* Suspends the running thread, which has put itself into one of its warp's sets. */
static inline __attribute__((always_inline)) void wait_turn(void)
{
    struct thread *next;
    struct fiber *fiber;
    next = next_thread();
    if (simt_tracing) {
        simt_trace_pause(); /* which find_ready_warp may have done */
        simt_trace_resume(linear(next));
    }
    if (next == current) {
        return;
    }
    if (!next->fiber) {
        next->fiber = take_fiber();
    }
    fiber = current->fiber;
    current = next;
    switch_fiber(fiber, next->fiber);
}

void simt_wait_for_replay(void)
{
    warp_of(current)->trace_full |= bit_of(current);
    wait_turn();
}

/* ---- block barriers ---- */

static void release_barrier(void)
{
    if (simt_tracing) {
        simt_trace_pause();
        simt_trace_drain(0);
        simt_check_barrier();
        simt_requests_barrier();
        simt_count_at(barrier_caller)->barriers++;
    }
    if (waiting_at_different_barriers) {
        report_stuck("divergent barrier: the threads of one block wait at different barriers");
    }
    finished = waiting;
    finished_true = waiting_true;
    waiting = 0;
    waiting_true = 0;
    for (unsigned int i = 0; i < block_warps; i++) {
        if (warps[i].at_barrier) {
            make_ready(i, warps[i].at_barrier);
            warps[i].at_barrier = 0;
        }
    }
    current_warp = 0;
    simt_counts.block_barriers++;
}

static bool waits_for_grid(void);
static void wait_for_grid(void);

/* RARELY: not inlined. simt_block_barrier then keeps next to nothing on the stack of a thread that
 * waits; the less of the stacks is in use, the more of them fit into the caches. */
#define RARELY __attribute__((noinline, cold))

/* Files of one name may have several addresses. */
RARELY static void compare_files(const struct thread *self)
{
    if (strcmp(self->file, first_at_barrier->file) != 0) {
        waiting_at_different_barriers = true;
    }
}

/* All have come. False if the block has waited for the grid and need not wait any more. */
RARELY static bool complete_barrier(void)
{
    if (waits_for_grid()) {
        wait_for_grid();
        return false;
    }
    release_barrier();
    return true;
}

int simt_block_barrier(enum simt_barrier kind, int predicate, const char *file, int line)
{
    struct thread *self = current;
    barrier_caller = __builtin_return_address(0);
    self->barrier = (unsigned char)kind;
    self->file = file;
    self->line = line;
    warp_of(self)->at_barrier |= bit_of(self);
    waiting_true += predicate != 0;
    if (waiting++ == 0) {
        first_at_barrier = self;
        waiting_at_different_barriers = false;
    } else if (line != first_at_barrier->line || self->barrier != first_at_barrier->barrier) {
        waiting_at_different_barriers = true;
    } else if (file != first_at_barrier->file) {
        compare_files(self);
    }
    if (waiting == alive && !complete_barrier()) {
        return 0;
    }
    wait_turn();
    /* The next barrier cannot complete before this thread has come to it. */
    switch (current->barrier) {
    case SIMT_BARRIER_AND:
        return finished_true == finished;
    case SIMT_BARRIER_OR:
        return finished_true != 0;
    default:
        return (int)finished_true;
    }
}

/* ---- warp collectives ---- */

/* The lane a shuffle reads; outside of its segment, its own. */
static unsigned int source_lane(const struct thread *thread, unsigned int lane)
{
    unsigned int width = thread->width, argument = thread->lane;
    unsigned int first = lane & ~(width - 1), source = lane;
    switch (thread->operation) {
    case SIMT_SHUFFLE:
        return first + (argument & (width - 1));
    case SIMT_SHUFFLE_UP:
        return lane >= first + argument ? lane - argument : lane;
    case SIMT_SHUFFLE_DOWN:
        source = lane + argument;
        break;
    default:
        source = lane ^ argument;
        break;
    }
    return source < first + width ? source : lane;
}

static void shuffle(struct thread *lanes, unsigned int together)
{
    for (unsigned int set = together; set; set &= set - 1) {
        unsigned int lane = lowest(set), source = source_lane(&lanes[lane], lane);
        lanes[lane].result = together >> source & 1  ? lanes[source].value
                             : lanes[lane].size == 8 ? UINT64_C(0x7ff8deaddeaddead)
                                                     : UINT64_C(0x7fc0dead);
    }
    simt_counts.shuffles++;
}

/* The lanes of a set that hold the same value. */
static unsigned int matching(const struct thread *lanes, unsigned int together, uint64_t value)
{
    unsigned int same = 0;
    for (unsigned int set = together; set; set &= set - 1) {
        if (lanes[lowest(set)].value == value) {
            same |= 1u << lowest(set);
        }
    }
    return same;
}

static void vote(struct thread *lanes, unsigned int together)
{
    unsigned int without = matching(lanes, together, 0);
    for (unsigned int set = together; set; set &= set - 1) {
        struct thread *lane = &lanes[lowest(set)];
        unsigned int same = matching(lanes, together, lane->value);
        switch (lane->operation) {
        case SIMT_ANY:
            lane->result = without != together;
            break;
        case SIMT_ALL:
            lane->result = without == 0;
            break;
        case SIMT_MATCH_ANY:
            lane->result = same;
            break;
        case SIMT_MATCH_ALL:
            lane->result = same == together ? same : 0;
            break;
        default:
            lane->result = together & ~without;
            break;
        }
    }
    simt_counts.votes++;
}

static uint32_t combine(enum simt_collective operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case SIMT_REDUCE_ADD:
        return a + b;
    case SIMT_REDUCE_MIN:
        return a < b ? a : b;
    case SIMT_REDUCE_MAX:
        return a > b ? a : b;
    case SIMT_REDUCE_MIN_SIGNED:
        return (int32_t)a < (int32_t)b ? a : b;
    case SIMT_REDUCE_MAX_SIGNED:
        return (int32_t)a > (int32_t)b ? a : b;
    case SIMT_REDUCE_AND:
        return a & b;
    case SIMT_REDUCE_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void reduce(struct thread *lanes, unsigned int together)
{
    const struct thread *first = &lanes[lowest(together)];
    uint32_t result = (uint32_t)first->value;
    for (unsigned int set = together & (together - 1); set; set &= set - 1) {
        result = combine(first->operation, result, (uint32_t)lanes[lowest(set)].value);
    }
    for (unsigned int set = together; set; set &= set - 1) {
        lanes[lowest(set)].result = result;
    }
    simt_counts.reductions++;
}

static void count_collective(const struct thread *thread)
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
    default:
        counters->votes++;
        break;
    }
}

/* Completes the collective that a waiting thread takes part in, if all of its lanes are there. */
static void try_collective(struct thread *thread)
{
    struct warp *warp = warp_of(thread);
    unsigned int number = (unsigned int)(warp - warps);
    struct thread *lanes = &threads[number * SIMT_WARP_SIZE];
    unsigned int together = thread->mask & warp->members & ~warp->exited;
    if (together & ~warp->at_collective) {
        return;
    }
    if (thread->mask & warp->exited && thread->operation != SIMT_SYNCWARP) {
        report_collective(
            thread, "names lanes that have returned from the kernel:", thread->mask & warp->exited,
            "every lane that the mask names must execute this call. Where they skipped it, take it "
            "out of the branch\n"
            "  that only some lanes take: let all call it, and use the result in some. Where they "
            "returned early, let\n"
            "  them stay, with a neutral value, or name only the lanes that are still there.");
    }
    for (unsigned int set = together; set; set &= set - 1) {
        const struct thread *lane = &lanes[lowest(set)];
        if (lane->operation != thread->operation || lane->mask != thread->mask) {
            return;
        }
    }
    if (simt_tracing) {
        count_collective(thread);
        if (together == (warp->members & ~warp->exited)) {
            simt_trace_pause();
            simt_trace_drain(0);
        }
    }
    switch (thread->operation) {
    case SIMT_SYNCWARP:
        simt_counts.warp_barriers++;
        break;
    case SIMT_SHUFFLE:
    case SIMT_SHUFFLE_UP:
    case SIMT_SHUFFLE_DOWN:
    case SIMT_SHUFFLE_XOR:
        shuffle(lanes, together);
        break;
    case SIMT_BALLOT:
    case SIMT_ANY:
    case SIMT_ALL:
    case SIMT_MATCH_ANY:
    case SIMT_MATCH_ALL:
        vote(lanes, together);
        break;
    default:
        reduce(lanes, together);
        break;
    }
    warp->at_collective &= ~together;
    make_ready(number, together);
}

uint64_t simt_warp_collective(enum simt_collective operation, unsigned int mask, uint64_t value,
                              unsigned int lane, int width, int size, const char *file, int line)
{
    struct thread *self = current;
    struct warp *warp = warp_of(self);
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
        warp->at_activemask |= bit_of(self);
        wait_turn();
        return self->result;
    }
    if (!(mask & bit_of(self))) {
        report_collective(self, "lacks the calling lane:", bit_of(self),
                          "a lane may only call with a mask in which its own bit is set.");
    }
    if (width < 1 || width > SIMT_WARP_SIZE || (width & (width - 1)) != 0) {
        report_collective(self, "comes with a width that is not 1, 2, 4, 8, 16 or 32, from lane",
                          bit_of(self), "pass the number of lanes that make up a group.");
    }
    warp->at_collective |= bit_of(self);
    try_collective(self);
    wait_turn();
    return self->result;
}

/* ---- locks and other spinning ---- */

void simt_yield(const char *file, int line)
{
    current->file = file;
    current->line = line;
    warp_of(current)->yielded |= bit_of(current);
    wait_turn();
}

void simt_poll_failed(const char *file, int line)
{
    if (current && ++current->failed_polls == POLLS_BEFORE_YIELD) {
        current->failed_polls = 0;
        simt_yield(file, line);
    }
}

void simt_poll_succeeded(void)
{
    if (current) {
        current->failed_polls = 0;
        rounds_without_progress = 0;
    }
}

/* ---- launches that end before their time ---- */

static cudaError_t abandoned;
static char abandoned_reason[128];

void simt_abandon_launch(cudaError_t error, const char *reason)
{
    struct fiber *self = current->fiber;
    abandoned = error;
    snprintf(abandoned_reason, sizeof abandoned_reason, "%s", reason);
    switch_fiber(self, &host_fiber);
    abort(); /* nobody comes back */
}

/* A fiber stopped somewhere in a kernel: it begins anew. */
static void take_back(struct fiber *fiber)
{
#ifdef SIMT_ASAN
    __asan_unpoison_memory_region(fiber->stack, fiber->stack_bytes);
    fiber->fake_stack = NULL;
#endif
    simt_context_make(&fiber->context, (void *)(uintptr_t)fiber->stack, fiber->stack_bytes,
                      fiber_main, fiber);
    give_fiber(fiber);
}

static void take_back_all(struct thread *of_block)
{
    for (unsigned int i = 0; i < block_threads; i++) {
        if (of_block[i].fiber) {
            take_back(of_block[i].fiber);
        }
        of_block[i].fiber = NULL;
        of_block[i].pipeline.count = of_block[i].pipeline.group = 0;
    }
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

/* ---- blocks and launches ---- */

static void start_block(void)
{
    for (unsigned int i = 0; i < block_warps; i++) {
        unsigned int rest = block_threads - i * SIMT_WARP_SIZE;
        unsigned int members = rest >= SIMT_WARP_SIZE ? ~0u : (1u << rest) - 1;
        warps[i] = (struct warp){.members = members, .ready = members};
    }
    alive = block_threads;
    current_warp = 0;
    rounds_without_progress = 0;
    memset(simt_dynamic_shared(), 0xff, launch->shared_bytes);
    if (simt_tracing) {
        simt_trace_start_block(block_threads);
    }
    simt_counts.blocks++;
    simt_counts.threads += block_threads;
}

static bool next_block(void)
{
    if (++block_index.x == launch->grid.x) {
        block_index.x = 0;
        if (++block_index.y == launch->grid.y) {
            block_index.y = 0;
            block_index.z++;
        }
    }
    return block_index.z < launch->grid.z;
}

/* ---- cooperative launches: blocks that wait for one another ---- */

/* A block of the grid; while it waits for the others, what makes up its state. */
struct grid_block {
    bool started, finished;
    unsigned int alive, waiting;
    const struct thread *first_at_barrier;
    struct thread *threads;
    struct warp warps[MAX_WARPS];
    char *shared; /* dynamic, then what the program's thread_local variables hold: static */
};

static struct grid_block *grid;
static size_t grid_blocks, grid_current;

static void *grid_memory(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory) {
        fatal("simt: cannot keep a block of a cooperative launch");
    }
    return memory;
}

static void copy_shared(char *kept, bool keep)
{
    size_t bytes, dynamic = launch->shared_bytes;
    void *shared = simt_static_shared(&bytes);
    memcpy(keep ? kept : simt_dynamic_shared(), keep ? simt_dynamic_shared() : kept, dynamic);
    if (bytes) {
        memcpy(keep ? kept + dynamic : shared, keep ? shared : kept + dynamic, bytes);
    }
}

static void keep_block(struct grid_block *block)
{
    size_t bytes;
    simt_static_shared(&bytes);
    if (!block->threads) {
        block->threads = grid_memory(block_threads * sizeof *threads);
        block->shared = grid_memory(launch->shared_bytes + bytes);
    }
    memcpy(block->threads, threads, block_threads * sizeof *threads);
    memcpy(block->warps, warps, sizeof warps);
    copy_shared(block->shared, true);
    block->alive = alive;
    block->waiting = waiting;
    block->first_at_barrier = first_at_barrier;
    waiting = 0;
    for (unsigned int i = 0; i < block_threads; i++) {
        threads[i].fiber = NULL;
        threads[i].pipeline = (struct simt_pipeline){0};
    }
}

static void restore_block(const struct grid_block *block)
{
    for (unsigned int i = 0; i < block_threads; i++) {
        free(threads[i].pipeline.copies);
    }
    memcpy(threads, block->threads, block_threads * sizeof *threads);
    memcpy(warps, block->warps, sizeof warps);
    copy_shared(block->shared, false);
    alive = block->alive;
    waiting = block->waiting;
    waiting_true = 0;
    waiting_at_different_barriers = false;
    first_at_barrier = block->first_at_barrier;
    release_barrier();
}

static struct uint3 index_of_block(size_t number)
{
    size_t row = launch->grid.x, plane = row * launch->grid.y;
    return (struct uint3){(unsigned int)(number % row), (unsigned int)(number % plane / row),
                          (unsigned int)(number / plane)};
}

/* Goes on with the block after the current one that has not finished, with the first of all once
 * each has come to the barrier; false if all have finished. */
static bool next_grid_block(void)
{
    size_t finished_blocks = 0, number = grid_current;
    for (size_t i = 0; i < grid_blocks; i++) {
        finished_blocks += grid[i].finished;
    }
    if (finished_blocks == grid_blocks) {
        return false;
    }
    do {
        number = (number + 1) % grid_blocks;
        if (number == 0 && finished_blocks > 0) {
            report_kernel();
            fprintf(stderr,
                    ": deadlock: %zu of %zu blocks wait in grid.sync(), the others have returned\n"
                    "  hint: every thread of the grid must reach grid.sync().\n",
                    grid_blocks - finished_blocks, grid_blocks);
            simt_exit();
        }
    } while (grid[number].finished);
    grid_current = number;
    block_index = index_of_block(number);
    if (grid[number].started) {
        restore_block(&grid[number]);
    } else {
        grid[number].started = true;
        start_block();
    }
    return true;
}

static bool waits_for_grid(void)
{
    return first_at_barrier->barrier == SIMT_BARRIER_GRID && !waiting_at_different_barriers;
}

/* All threads of the block that have not exited have come to a grid barrier. */
static void leave_for_grid(void)
{
    if (!launch->cooperative) {
        simt_report_place();
        fprintf(stderr,
                ": grid.sync() at %s:%d in a launch that is not cooperative\n"
                "  hint: launch the kernel with cudaLaunchCooperativeKernel.\n",
                first_at_barrier->file, first_at_barrier->line);
        simt_exit();
    }
    keep_block(&grid[grid_current]);
    next_grid_block();
}

static void wait_for_grid(void)
{
    struct fiber *self = current->fiber;
    leave_for_grid();
    current = next_thread();
    if (!current->fiber) {
        current->fiber = take_fiber();
    }
    if (current->fiber != self) {
        switch_fiber(self, current->fiber);
    }
}

static void end_abandoned(void)
{
    take_back_all(threads);
    waiting = waiting_true = 0;
    for (size_t i = 0; i < grid_blocks && grid; i++) {
        if (i != grid_current && grid[i].threads && !grid[i].finished) {
            take_back_all(grid[i].threads);
        }
    }
    if (simt_tracing) {
        simt_trace_pause();
    }
    current = NULL;
}

static void open_grid(void)
{
    grid_blocks = (size_t)launch->grid.x * launch->grid.y * launch->grid.z;
    grid_current = 0;
    grid = calloc(grid_blocks, sizeof *grid);
    if (!grid) {
        fatal("simt: cannot keep the blocks of a cooperative launch");
    }
    grid[0].started = true;
}

static void close_grid(void)
{
    for (size_t i = 0; i < grid_blocks; i++) {
        free(grid[i].threads);
        free(grid[i].shared);
    }
    free(grid);
    grid = NULL;
}

static bool next_block_of_launch(void)
{
    if (!launch->cooperative) {
        if (!next_block()) {
            return false;
        }
        start_block();
        return true;
    }
    grid[grid_current].finished = true;
    return next_grid_block();
}

static void exit_thread(void)
{
    struct warp *warp = warp_of(current);
    if (pipelines_used) {
        simt_pipeline_drain(&current->pipeline, SIZE_MAX);
        current->pipeline.group = 0;
    }
    if (simt_tracing) {
        simt_trace_pause();
    }
    current->fiber = NULL;
    warp->exited |= bit_of(current);
    alive--;
    rounds_without_progress = 0;
    /* Others may have waited for nobody but this thread. */
    for (unsigned int set = warp->at_collective; set; set &= set - 1) {
        if (warp->at_collective & 1u << lowest(set)) {
            try_collective(&threads[(warp - warps) * SIMT_WARP_SIZE + lowest(set)]);
        }
    }
    if (waiting && waiting == alive) {
        if (waits_for_grid()) {
            leave_for_grid();
        } else {
            release_barrier();
        }
    }
}

/* A kernel that writes past the end of an array on its stack often hits the registers that it saved
 * for its callers. That these are saved here again lets the program come to the report of it. */
__attribute__((noinline)) static void call_kernel(void)
{
    launch->invoke(launch->closure);
#ifdef __x86_64__
    __asm__ volatile("" ::: "rbx", "r12", "r13", "r14", "r15");
#endif
}

/* Runs one thread after the other for as long as none of them waits. */
static void fiber_main(void *argument)
{
    struct fiber *self = argument;
    arrived(self);
    for (;;) {
        call_kernel();
        exit_thread();
        if (alive == 0) {
            if (simt_tracing) {
                simt_trace_drain(0);
            }
            if (!next_block_of_launch()) {
                current = NULL;
                give_fiber(self);
                switch_fiber(self, &host_fiber);
                continue;
            }
        }
        current = next_thread();
        if (simt_tracing) {
            simt_trace_resume(linear(current));
        }
        if (!current->fiber) {
            current->fiber = self;
        } else {
            give_fiber(self);
            switch_fiber(self, current->fiber);
        }
    }
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

int simt_launch_kernel(const struct simt_launch *asked)
{
    unsigned int number = 0;
    char reason[128];
    cudaError_t error;
    SIMT_API;
    error = simt_check_launch(asked, reason, sizeof reason);
    if (simt_lost() != cudaSuccess) {
        return (int)simt_lost();
    }
    if (error != cudaSuccess) {
        simt_launch_failed(asked, error, reason);
        return (int)error;
    }
    refuse_static_shared(asked);
    prepare();
    launch = asked;
    block_index = (struct uint3){0, 0, 0};
    block_threads = asked->block.x * asked->block.y * asked->block.z;
    block_warps = (block_threads + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE;
    for (unsigned int z = 0; z < asked->block.z; z++) {
        for (unsigned int y = 0; y < asked->block.y; y++) {
            for (unsigned int x = 0; x < asked->block.x; x++) {
                threads[number++].index = (struct uint3){x, y, z};
            }
        }
    }
    pipelines_used = false;
    simt_counts.launches++;
    simt_memory_open();
    if (asked->cooperative) {
        open_grid();
    }
    simt_trace_start_launch(asked);
    start_block();
    current = next_thread();
    if (simt_tracing) {
        simt_trace_resume(linear(current));
    }
    current->fiber = take_fiber();
    abandoned = cudaSuccess;
    switch_fiber(&host_fiber, current->fiber);
    if (abandoned != cudaSuccess) {
        end_abandoned();
    }
    simt_trace_end_launch(asked);
    simt_memory_close();
    if (asked->cooperative) {
        close_grid();
    }
    launch = NULL;
    if (abandoned == cudaErrorAssert) {
        simt_lose(abandoned);
    } else if (abandoned != cudaSuccess) {
        simt_launch_failed(asked, abandoned, abandoned_reason);
        return (int)abandoned;
    }
    return (int)cudaSuccess; /* of an assertion that failed, the calls that come tell */
}

/* ---- what a kernel asks for ---- */

struct uint3 simt_thread_index(void)
{
    return current->index;
}

struct uint3 simt_block_index(void)
{
    return block_index;
}

struct uint3 simt_block_dimensions(void)
{
    return launch->block;
}

struct uint3 simt_grid_dimensions(void)
{
    return launch->grid;
}

void *simt_dynamic_shared(void)
{
    size_t size = (launch->shared_bytes + SHARED_ALIGNMENT - 1) / SHARED_ALIGNMENT;
    return shared_end - size * SHARED_ALIGNMENT;
}

int simt_is_cooperative(void)
{
    return launch->cooperative;
}

void simt_fence(void)
{
    if (simt_tracing) {
        simt_replay_fence();
        simt_trace_event(EVENT_FENCE, __builtin_return_address(0), 0, 0);
    }
}

struct uint3 simt_running_block(void)
{
    return block_index;
}

unsigned int simt_running_thread(void)
{
    return linear(current);
}

struct uint3 simt_thread_number(unsigned int thread)
{
    return threads[thread].index;
}

unsigned int simt_warp_alive(unsigned int warp)
{
    return warps[warp].members & ~warps[warp].exited;
}

/* Stacks, and dynamic shared memory: as much of it as the launch asked for. */
bool simt_exec_range(uint64_t address, struct simt_range *range)
{
    uint64_t start = (uintptr_t)simt_dynamic_shared();
    size_t size = launch->shared_bytes;
    if (address - (uintptr_t)stacks < stack_stride() * SIMT_MAX_BLOCK_THREADS) {
        *range = (struct simt_range){(uintptr_t)stacks, stack_stride() * SIMT_MAX_BLOCK_THREADS,
                                     SPACE_LOCAL, false};
        return true;
    }
    if (address - (uintptr_t)launch->begin < (uintptr_t)launch->end - (uintptr_t)launch->begin) {
        *range = (struct simt_range){(uintptr_t)launch->begin,
                                     (size_t)((uintptr_t)launch->end - (uintptr_t)launch->begin),
                                     SPACE_LOCAL, false};
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
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
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
    return &current->pipeline;
}

void simt_counters_reset(void)
{
    simt_counts = (struct simt_counters){0};
}

void simt_counters_read(struct simt_counters *counters)
{
    *counters = simt_counts;
}
