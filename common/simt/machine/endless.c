/* Endless loops whose threads meet at barriers or in collectives. Detects that the launch returns
 * to an earlier state, and so will do so forever. The state is all threads' stacks and registers,
 * and all memory that they may change. */
#include "machine/endless.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "machine/cluster.h"
#include "machine/progress.h"
#include "machine/reports.h"
#include "machine/shared.h"
#include "memory/heap.h"
#include "memory/regions.h"
#include "program/symbols.h"

enum { REPEATS = 3, FIRST_NOTED = 256, MOST_BYTES = 1 << 30 };

bool simt_lasts_long, simt_goes_round;

/* The number of times that all threads have stopped since the launch counts as long; and the state
 * at the last power of two. (R. Brent, 1980.) */
static struct {
    unsigned long count, noted;
    unsigned int repeats;
    bool other; /* since noting: the thread's state came back, the rest differed */
    uint64_t thread, all, clocks;
} rounds;
static size_t done, bytes;
static double now, since;

/* Clears data below the stack's frames, such as a time, because later frames may contain it. */
static __attribute__((noinline)) void wipe(void)
{
    char below[2048];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

void simt_look_whether_long(void)
{
    now = simt_processor_seconds();
    simt_progress_tell();
    if (simt_grid.done != done || now < since) {
        done = simt_grid.done;
        since = now;
        simt_lasts_long = simt_goes_round = false;
    } else if (!simt_lasts_long && simt_lasts(since, 1) && simt_cluster_size() == 1 &&
               !simt_grid.launch->interleaved && !simt_shuffled) {
        simt_lasts_long = true;
        memset(&rounds, 0, sizeof rounds);
    }
    wipe();
}

/* Reads the whole stack, also the gaps between its variables. */
__attribute__((no_sanitize_address)) uint64_t simt_hash(uint64_t state, const void *from,
                                                        size_t size)
{
    const char *at = from;
    for (; size >= sizeof state; at += sizeof state, size -= sizeof state) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        state ^= state >> 32;
    }
    for (size_t i = 0; i < size; i++) {
        state = (state ^ (unsigned char)at[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return state;
}

static uint64_t add(uint64_t state, const void *from, size_t size)
{
    bytes += size;
    return bytes < MOST_BYTES ? simt_hash(state, from, size) : state;
}

static uint64_t add_stack(uint64_t state, const struct simt_fiber *fiber, const void *from)
{
    const char *const end = (const char *)fiber->rest->stack + fiber->rest->stack_bytes;
    return add(state, from, (size_t)(end - (const char *)from));
}

static uint64_t add_block(uint64_t state, const struct simt_block *block)
{
    state = add(state, &block->number, sizeof block->number);
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        const struct simt_warp *warp = &block->warps[i];
        const unsigned int sets[] = {warp->at_barrier, warp->at_collective, warp->at_activemask,
                                     warp->at_named,   warp->yielded,       warp->exited};
        state = add(state, sets, sizeof sets);
    }
    for (unsigned int i = 0; i < simt_grid.threads; i++) {
        const struct simt_thread *thread = &block->threads[i];
        state = add(state, &thread->result, sizeof thread->result);
#ifndef SIMT_UCONTEXT
        if (thread->fiber && thread != simt_current) {
            state = add_stack(state, thread->fiber, thread->fiber->context.stack_pointer);
        }
#endif
    }
    return block == simt_block ? state : add(state, block->shared, simt_kept_bytes());
}

static void add_variable(void *state, char *base, size_t size)
{
    *(uint64_t *)state = add(*(uint64_t *)state, base, size);
}

/* False if part of the state is unknown. */
static bool note_all(uint64_t *state)
{
    const struct simt_region *region;
    char *shared = malloc(simt_kept_bytes() + 1);
    bytes = 0;
    *state = add_block(rounds.thread, simt_block);
    if (shared) {
        simt_copy_shared(shared, true);
        *state = add(*state, shared, simt_kept_bytes());
    }
    free(shared);
    for (const struct simt_block *block = simt_grid.suspended; block; block = block->next) {
        *state = add_block(*state, block);
    }
    for (size_t i = 0; (region = simt_region_number(i)); i++) {
        if (!simt_region_is_foreign(region)) {
            simt_region_open(region->base, true);
            *state = add(*state, region->base, region->size);
        }
    }
    return shared && simt_device_data(add_variable, state) && !simt_heap_is_used() &&
           !simt_block->bulk && !simt_grid.pipelines_used && !simt_block->mbarriers &&
           bytes < MOST_BYTES;
}

static __attribute__((noinline)) uint64_t state_of_thread(void)
{
    jmp_buf registers;
    memset(&registers, 0, sizeof registers);
    (void)setjmp(registers);
    bytes = 0;
    return simt_current->fiber /* it has not returned */
               ? add_stack(simt_linear(simt_current), simt_current->fiber, &registers)
               : simt_linear(simt_current);
}

void simt_look_for_round(void)
{
    const uint64_t thread = state_of_thread();
    uint64_t all;
    rounds.count++;
    if (rounds.noted > 0 && !rounds.other && thread == rounds.thread) {
        rounds.other = rounds.clocks != simt_grid.clocks || !note_all(&all) || all != rounds.all;
        rounds.repeats += !rounds.other;
        simt_goes_round = rounds.repeats > 0;
        if (rounds.repeats >= REPEATS) {
            simt_report_stuck("endless loop: the threads that can run come back to where they "
                              "were, with nothing changed",
                              simt_grid.suspended_count);
        }
    } else if (rounds.count >= FIRST_NOTED && (rounds.count & (rounds.count - 1)) == 0) {
        rounds.noted = rounds.count;
        rounds.repeats = 0;
        rounds.thread = thread;
        rounds.clocks = simt_grid.clocks;
        rounds.other = !note_all(&rounds.all);
    }
    wipe();
}
/* SPDX-License-Identifier: MIT */
