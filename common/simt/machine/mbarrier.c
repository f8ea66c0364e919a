/* mbarrier: barriers in shared memory. A phase ends when the expected numbers of threads and bytes
 * have arrived.
 *
 * The state of a barrier is opaque to the program. Here it is stored outside, and its 8 bytes hold
 * a number that changes with the state. So a write of the program to these bytes is noticed.
 *
 * mbarrier.try_wait waits until the phase has ended. A GPU may give up earlier, and this back end
 * does so if nothing else in the block can run. mbarrier.test_wait gives way to other threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/need.h"
#include "cuda/simt_ptx_runtime.h"
#include "machine/cluster.h"
#include "machine/hooks.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "machine/turns.h"
#include "observe/observer.h"

enum { MOST_ARRIVALS = (1 << 20) - 1, MOST_BYTES = (1 << 20) - 1 };

/* The place of the kernel's call, for reports. */
static const void *called_at;
#define HERE called_at = __builtin_return_address(0)

__attribute__((noreturn)) static void refuse(const struct simt_mbarrier *barrier, const char *what,
                                             const char *wrong, const char *file, int line)
{
    simt_report_place();
    fprintf(stderr, ": mbarrier.%s at %s:%d: %s\n", what, file, line, wrong);
    if (barrier) {
        fprintf(stderr, "  the barrier was initialised at %s:%d", barrier->file, barrier->line);
        simt_report_caller(barrier->caller);
        fputc('\n', stderr);
    }
    if (simt_tracing) {
        simt_observer.tell_place(stderr, called_at);
    }
    simt_exit();
}

/* ---- the table ---- */

/* Finds the barrier of an address, also in another block of the cluster. */
static struct simt_mbarrier **find(const void *address)
{
    static struct simt_mbarrier *none;
    struct simt_mbarrier **link = &simt_block->mbarriers;
    const char *state;
    unsigned int rank;
    void *own;
    if (simt_cluster_find(address, &rank, &own)) {
        struct simt_block *block = simt_cluster_block(rank, &state);
        if (!block) {
            simt_report_place();
            fprintf(stderr, ": mbarrier of block %u of the cluster, which %s\n", rank, state);
            if (simt_tracing) {
                simt_observer.tell_place(stderr, called_at);
            }
            simt_exit();
        }
        link = block ? &block->mbarriers : &none;
        address = own;
    }
    while (*link && (*link)->address != address) {
        link = &(*link)->next;
    }
    return link;
}

/* The address of its 8 bytes, also while its block does not run. */
static char *bytes_of(const struct simt_mbarrier *barrier)
{
    return barrier->block == simt_block
               ? barrier->address
               : simt_cluster_place(barrier->block->rank, barrier->address);
}

/* Stores a number for the state. Consecutive states have different numbers. */
static void reflect(struct simt_mbarrier *barrier)
{
    uint64_t state = barrier->phase << 42 ^ (uint64_t)barrier->pending << 21 ^
                     ((uint64_t)barrier->bytes & 0x1fffff);
    barrier->mirror = state * UINT64_C(0x9e3779b97f4a7c15) ^ (uintptr_t)barrier->address;
    memcpy(bytes_of(barrier), &barrier->mirror, sizeof barrier->mirror);
}

static struct simt_mbarrier *at(const void *address, const char *what, const char *file, int line)
{
    struct simt_mbarrier *barrier = *find(address);
    uint64_t word;
    if (!barrier) {
        refuse(NULL, what, "there is no mbarrier here: mbarrier.init has not been called for it",
               file, line);
    }
    memcpy(&word, bytes_of(barrier), sizeof word);
    if (word != barrier->mirror) {
        refuse(barrier, what, "the program has written to the barrier's 8 bytes", file, line);
    }
    return barrier;
}

struct simt_mbarrier *simt_mbarrier_at(const void *address, const char *what, const void *caller,
                                       const char *file, int line)
{
    called_at = caller;
    return at(address, what, file, line);
}

/* Records the operation as an atomic with block (or cluster) scope, which orders what comes before
 * it. */
static void record(enum simt_event_kind kind, const void *address)
{
    if (simt_tracing) {
        simt_trace_event(kind, called_at, (uintptr_t)address,
                         (simt_cluster_size() > 1 ? 0u : EVENT_OF_BLOCK) | 8u);
        simt_trace_check();
    }
}

/* Tells the watcher the effect of the last recorded event. */
static void tell_use(enum simt_mbarrier_how how, const struct simt_mbarrier *barrier,
                     uint64_t before, uint64_t number)
{
    const struct simt_mbarrier_use use = {
        how, before, barrier->phase, barrier->pending, barrier->bytes, number};
    if (simt_watched) {
        simt_watcher.mbarrier(&use);
    }
    if (barrier->block != simt_block && simt_watcher.far_mbarrier) {
        simt_watcher.far_mbarrier(barrier, &use, called_at);
    }
}

static void forget_clock(struct simt_clock **clock)
{
    if (*clock) {
        simt_observer.forget_clock(clock);
    }
}

static void forget(struct simt_mbarrier **link)
{
    struct simt_mbarrier *barrier = *link;
    *link = barrier->next;
    forget_clock(&barrier->arrived);
    forget_clock(&barrier->completed);
    free(barrier);
}

void simt_forget_barriers(struct simt_block *block)
{
    while (block->mbarriers) {
        forget(&block->mbarriers);
    }
    for (unsigned int i = 0; i < SIMT_NAMED_BARRIERS; i++) {
        forget_clock(&block->named[i].clock);
        block->named[i] = (struct simt_named_barrier){0};
    }
}

/* Whether threads wait for a phase that has not ended. */
static bool has_waiters(const struct simt_mbarrier *barrier)
{
    const struct simt_block *block = barrier->block;
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        for (unsigned int set = block->warps[i].at_mbarrier; set; set &= set - 1) {
            if (block->threads[i * SIMT_WARP_SIZE + simt_lowest(set)].awaited == barrier) {
                return true;
            }
        }
    }
    return false;
}

void simt_mbarrier_init(void *address, unsigned int count, const char *file, int line)
{
    struct simt_mbarrier **link = find(address), *barrier;
    HERE;
    if (!simt_in_shared(address) || (uintptr_t)address % 8 != 0) {
        refuse(NULL, "init", "the barrier must lie in shared memory, at a multiple of 8 bytes",
               file, line);
    }
    if (count == 0 || count > MOST_ARRIVALS) {
        refuse(NULL, "init", "it must expect 1 to 1048575 arrivals", file, line);
    }
    record(EVENT_INIT, address);
    if (*link && has_waiters(*link)) {
        refuse(*link, "init", "threads wait at this barrier", file, line);
    }
    if (*link) {
        forget(link);
    }
    barrier = simt_needed(calloc(1, sizeof *barrier), "an mbarrier");
    *barrier = (struct simt_mbarrier){.next = simt_block->mbarriers,
                                      .block = simt_block,
                                      .address = address,
                                      .expected = count,
                                      .pending = count,
                                      .file = file,
                                      .line = line,
                                      .caller = called_at};
    simt_block->mbarriers = barrier;
    reflect(barrier);
    tell_use(MBARRIER_INIT, barrier, 0, count);
}

void simt_mbarrier_invalidate(void *address, const char *file, int line)
{
    struct simt_mbarrier *barrier;
    HERE;
    barrier = at(address, "inval", file, line);
    record(EVENT_INIT, address);
    if (has_waiters(barrier)) {
        refuse(barrier, "inval", "threads wait at this barrier", file, line);
    }
    tell_use(MBARRIER_INVALIDATE, barrier, barrier->phase, 0);
    forget(find(address));
}

/* ---- phases ---- */

/* Wakes the threads that wait for the phase. */
static void wake(const struct simt_mbarrier *barrier)
{
    struct simt_block *block = barrier->block;
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        struct simt_warp *warp = &block->warps[i];
        for (unsigned int set = warp->at_mbarrier; set; set &= set - 1) {
            unsigned int bit = set & (0u - set);
            if (block->threads[i * SIMT_WARP_SIZE + simt_lowest(set)].awaited == barrier) {
                warp->at_mbarrier &= ~bit;
                warp->ready |= bit;
            }
        }
    }
    simt_note_progress();
}

bool simt_mbarrier_is_awaited(const struct simt_mbarrier *barrier)
{
    return barrier->polled || has_waiters(barrier);
}

static void end_phase_if_complete(struct simt_mbarrier *barrier)
{
    if (barrier->pending == 0 && barrier->bytes == 0) {
        barrier->phase++;
        barrier->pending = barrier->expected;
        if (barrier->arrived) {
            simt_observer.join_clock(&barrier->completed, &barrier->arrived);
        }
        wake(barrier);
    }
    reflect(barrier);
}

void simt_mbarrier_bytes(struct simt_mbarrier *barrier, long bytes)
{
    barrier->bytes -= bytes;
    simt_note_progress();
    end_phase_if_complete(barrier);
}

static void expect(struct simt_mbarrier *barrier, unsigned int bytes, const char *what,
                   const char *file, int line)
{
    if (bytes > MOST_BYTES || barrier->bytes + (long)bytes > MOST_BYTES) {
        refuse(barrier, what, "a phase cannot wait for more than 1048575 bytes", file, line);
    }
    barrier->bytes += bytes;
}

uint64_t simt_mbarrier_arrive(void *address, unsigned int count, unsigned int bytes,
                              unsigned int flags, const char *file, int line)
{
    struct simt_mbarrier *barrier;
    uint64_t state, phase;
    if (simt_shuffled) {
        simt_atomic_point(file, line, NULL);
    }
    HERE;
    barrier = at(address, "arrive", file, line);
    record(EVENT_BARRIER, address);
    if (count == 0 || count > barrier->pending) {
        refuse(barrier, "arrive",
               count ? "more threads arrive than the phase expects" : "no thread arrives", file,
               line);
    }
    if (simt_tracing && !(flags & m_relaxed)) {
        simt_observer.release(&barrier->arrived);
    }
    expect(barrier, bytes, "arrive.expect_tx", file, line);
    phase = barrier->phase;
    state = phase << 20 | barrier->pending;
    barrier->pending -= count;
    barrier->expected -= flags & m_drop ? count : 0;
    if (flags & m_noComplete && barrier->pending == 0) {
        refuse(barrier, "arrive.noComplete", "it would end the phase", file, line);
    }
    simt_note_progress();
    end_phase_if_complete(barrier);
    tell_use(MBARRIER_ARRIVE, barrier, phase, bytes);
    return state;
}

/* In this phase, one more arrival than mbarrier.init said. */
void simt_mbarrier_expect_arrival(void *address, const char *file, int line)
{
    struct simt_mbarrier *barrier = at(address, "arrive", file, line);
    barrier->pending++;
    reflect(barrier);
}

void simt_mbarrier_expect(void *address, unsigned int bytes, const char *file, int line)
{
    struct simt_mbarrier *barrier;
    HERE;
    barrier = at(address, "expect_tx", file, line);
    record(EVENT_BARRIER, address);
    expect(barrier, bytes, "expect_tx", file, line);
    reflect(barrier);
    tell_use(MBARRIER_EXPECT, barrier, barrier->phase, bytes);
}

void simt_mbarrier_complete(void *address, unsigned int bytes, bool releases, const char *file,
                            int line)
{
    struct simt_mbarrier *barrier;
    uint64_t phase;
    HERE;
    barrier = at(address, "complete_tx", file, line);
    record(EVENT_BARRIER, address);
    if (simt_tracing && releases) {
        simt_observer.release(&barrier->arrived);
    }
    phase = barrier->phase;
    simt_mbarrier_bytes(barrier, (long)bytes);
    tell_use(MBARRIER_COMPLETE, barrier, phase, bytes);
}

/* ---- waiting ---- */

/* Whether the phase of a state, or of a parity, is over. */
static bool is_over(const struct simt_mbarrier *barrier, uint64_t state, bool parity)
{
    return parity ? (barrier->phase & 1) != (state & 1) : barrier->phase != state >> 20;
}

/* Waits until the phase ends, or nothing else can run. */
static void wait_for(const struct simt_mbarrier *barrier, const char *file, int line)
{
    simt_current->file = file;
    simt_current->line = line;
    simt_current->caller = called_at;
    simt_current->awaited = barrier;
    simt_warp_of(simt_current)->at_mbarrier |= simt_bit_of(simt_current);
    simt_wait_turn();
}

bool simt_mbarrier_wait(void *address, uint64_t state, unsigned int flags, const char *file,
                        int line)
{
    const char *what = flags & m_try ? "try_wait" : "test_wait";
    struct simt_mbarrier *barrier;
    bool parity = flags & m_parity;
    HERE;
    barrier = at(address, what, file, line);
    if (parity && state > 1) {
        refuse(barrier, what, "a parity is 0 or 1", file, line);
    }
    record(EVENT_BARRIER, address);
    tell_use(MBARRIER_WAIT, barrier, barrier->phase,
             parity ? barrier->phase - is_over(barrier, state, parity) : state >> 20);
    if (!is_over(barrier, state, parity)) {
        if (flags & m_try) {
            wait_for(barrier, file, line);
        } else {
            barrier->polled = true;
            simt_current->awaited = barrier;
            simt_yield(file, line);
        }
        HERE;
        barrier = at(address, what, file, line);
    }
    if (!is_over(barrier, state, parity)) {
        return false;
    }
    simt_current->awaited = NULL;
    if (simt_tracing && !(flags & m_relaxed)) {
        simt_observer.acquire(simt_linear(simt_current), barrier->completed);
    }
    return true;
}

/* "phase 1: 2 of 4 arrivals and 4096 bytes missing" */
void simt_mbarrier_tell(const struct simt_mbarrier *barrier)
{
    fprintf(stderr, "    the mbarrier initialised at %s:%d", barrier->file, barrier->line);
    simt_report_caller(barrier->caller);
    fprintf(stderr, " is in phase %llu", (unsigned long long)barrier->phase);
    if (barrier->pending > 0) {
        fprintf(stderr, ", %u of %u arrivals missing", barrier->pending, barrier->expected);
    }
    if (barrier->bytes > 0) {
        fprintf(stderr, ", %ld bytes missing", barrier->bytes);
    } else if (barrier->bytes < 0) {
        fprintf(stderr, ", %ld bytes came that no thread expected", -barrier->bytes);
    }
    fputc('\n', stderr);
}

static void fence(enum simt_deed deed, const void *caller)
{
    if (simt_tracing) {
        simt_observer.proxy_fence(SIMT_PROXY_ASYNC, NULL);
    }
    if (simt_watched) {
        simt_watcher.deed(deed, caller, 0, false);
    }
}

void simt_fence_proxy_async(void)
{
    fence(DEED_PROXY_FENCE, __builtin_return_address(0));
}

/* The checks treat it the same way: copies then see the initialization. */
void simt_fence_mbarrier_init(void)
{
    fence(DEED_MBARRIER_FENCE, __builtin_return_address(0));
}
/* SPDX-License-Identifier: MIT */
