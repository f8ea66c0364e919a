/* Reports of errors in kernels: their place; and, for threads that can never go on, where each is,
 * what it waits for, and how to fix it. */
#include <stdio.h>
#include <string.h>

#include "machine/ptx.h"
#include "machine/reports.h"

#include "base/exit.h"
#include "base/worker.h"
#include "memory/heap.h"
#include "memory/memory.h"
#include "observe/observer.h"
#include "program/elf.h"
#include "program/source.h"
#include "program/symbols.h"

/* "0-15 32 40-47": the members of a set of `count` flags. */
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

void (*simt_before_report)(void);
void (*simt_after_report)(void);

void simt_report_block(void)
{
    struct uint3 index = simt_block->index;
    simt_only_in_order();
    fflush(stdout);
    if (simt_tracing) {
        simt_observer.tell_findings(); /* an earlier error may be the reason */
    }
    if (simt_before_report) {
        simt_before_report();
    }
    fputs("simt: kernel ", stderr);
    simt_tell_launch(stderr);
    fprintf(stderr, ", block (%u,%u,%u)", index.x, index.y, index.z);
}

void simt_tell_launch(FILE *file)
{
    const struct simt_launch *launch = simt_grid.launch;
    fprintf(file, "%s (launched at %s:%d)", launch->name, launch->file, launch->line);
}

void simt_report_place(void)
{
    simt_report_block();
    if (simt_current) {
        struct uint3 index = simt_index_of(simt_current);
        fprintf(stderr, ", thread (%u,%u,%u)", index.x, index.y, index.z);
    }
}

void simt_past_variable(size_t left, size_t size, const char *what)
{
    const void *const caller = __builtin_return_address(0);
    if (simt_in_kernel()) {
        simt_report_place();
        fprintf(stderr, ": %s %zu bytes, and %zu are left of the variable\n", what, size, left);
        simt_observer.tell_place(stderr, caller);
        simt_exit();
    }
}

/* ---- places of threads ---- */

enum place {
    PLACE_RUNS,
    PLACE_NAMED,
    PLACE_MBARRIER,
    PLACE_BARRIER,
    PLACE_COLLECTIVE,
    PLACE_YIELDED,
    PLACE_ROUND,
    PLACE_EXITED,
    PLACES
};

static enum place place_of(unsigned int thread)
{
    const struct simt_warp *warp = &simt_block->warps[thread / SIMT_WARP_SIZE];
    unsigned int bit = 1u << thread % SIMT_WARP_SIZE;
    return warp->at_barrier & bit      ? PLACE_BARRIER
           : warp->at_named & bit      ? PLACE_NAMED
           : warp->at_mbarrier & bit   ? PLACE_MBARRIER
           : warp->at_collective & bit ? PLACE_COLLECTIVE
           : warp->exited & bit        ? PLACE_EXITED
           : warp->yielded & bit
               ? simt_block->threads[thread].round.place ? PLACE_ROUND : PLACE_YIELDED
               : PLACE_RUNS;
}

static bool same_place(unsigned int a, unsigned int b)
{
    const struct simt_thread *first = &simt_block->threads[a], *second = &simt_block->threads[b];
    enum place place = place_of(a);
    if (place != place_of(b)) {
        return false;
    }
    if (place == PLACE_EXITED || place == PLACE_RUNS) {
        return true;
    }
    if (place == PLACE_NAMED ? first->lane != second->lane
                             : place == PLACE_MBARRIER && first->awaited != second->awaited) {
        return false;
    }
    if ((place == PLACE_NAMED || place == PLACE_MBARRIER) && first->caller != second->caller) {
        return false;
    }
    if (place == PLACE_ROUND) {
        return first->round.place == second->round.place;
    }
    if (place == PLACE_YIELDED && (!first->file || !second->file)) {
        return !first->file && !second->file && first->caller == second->caller;
    }
    return first->line == second->line && strcmp(first->file, second->file) == 0 &&
           (place == PLACE_BARRIER ? first->barrier == second->barrier
            : place == PLACE_COLLECTIVE
                ? first->operation == second->operation && first->mask == second->mask
                : true);
}

void simt_report_caller(const void *caller)
{
    const struct simt_source *source = simt_tracing ? simt_source_of(simt_place_of(caller)) : NULL;
    if (source &&
        (source->kernel_line != source->line || strcmp(source->kernel_file, source->file) != 0)) {
        fprintf(stderr, ", called from %s:%d", source->kernel_file, source->kernel_line);
    }
}

static void print_place(unsigned int thread)
{
    const struct simt_thread *at = &simt_block->threads[thread];
    switch (place_of(thread)) {
    case PLACE_BARRIER:
        fprintf(stderr, "in %s() at %s:%d", barrier_name(at->barrier), at->file, at->line);
        break;
    case PLACE_NAMED:
        if (at->lane < SIMT_PTX_BARRIERS) {
            fprintf(stderr, "in bar.sync %u at %s:%d", at->lane, at->file, at->line);
        } else {
            fprintf(stderr, "in sync() of a tile at %s:%d", at->file, at->line);
        }
        simt_report_caller(at->caller);
        break;
    case PLACE_MBARRIER:
        fprintf(stderr, "in mbarrier.try_wait at %s:%d", at->file, at->line);
        simt_report_caller(at->caller);
        break;
    case PLACE_COLLECTIVE:
        fprintf(stderr, "in %s(), mask 0x%08x, at %s:%d", simt_collective_name(at->operation),
                at->mask, at->file, at->line);
        break;
    case PLACE_YIELDED:
    case PLACE_ROUND: {
        const uint32_t round = at->round.place;
        const struct simt_source *source =
            simt_source_of(round ? round : simt_place_of(at->caller));
        const bool known = !at->file || (round && source->line > 0);
        fprintf(stderr, "%sin a loop at %s:%d", round ? "" : "waiting ",
                known ? source->file : at->file, known ? source->line : at->line);
        break;
    }
    default:
        fputs(place_of(thread) == PLACE_EXITED ? "returned from the kernel" : "running", stderr);
        break;
    }
}

static void print_changer(bool other_block, unsigned int thread, const char *file, int line)
{
    if (other_block) {
        fprintf(stderr, ": a thread of another block changed it last, at %s:%d", file, line);
    } else {
        struct uint3 index = simt_thread_number(thread);
        fprintf(stderr, ": thread (%u,%u,%u) changed it last, at %s:%d, and is now ", index.x,
                index.y, index.z, file, line);
        print_place(thread);
    }
}

static void describe_awaited(const void *address, char *where, size_t size)
{
    static const char *const kinds[] = {[cudaMemoryTypeUnregistered] = "shared memory",
                                        [cudaMemoryTypeHost] = "pinned memory",
                                        [cudaMemoryTypeManaged] = "managed memory"};
    simt_symbols_read();
    if (simt_is_of_program((uintptr_t)address) &&
        simt_data_describe((uintptr_t)address, false, where, size)) {
        return;
    }
    if (simt_memory_is_device(address)) {
        simt_memory_describe(address, where, size);
    } else {
        snprintf(where, size, "a word of %s", kinds[simt_memory_type(address)]);
    }
}

/* For a thread that polls a word: prints who changed it last, and where that thread is now. True:
 * only the host can change it. */
static bool print_awaited(unsigned int thread)
{
    const struct simt_poll *poll = &simt_block->threads[thread].poll;
    const struct simt_change *change = simt_find_change(poll->address);
    struct simt_last_change last;
    char where[512];
    bool is_of_host = false;
    if (place_of(thread) == PLACE_MBARRIER) {
        simt_mbarrier_tell(simt_block->threads[thread].awaited);
    }
    if ((place_of(thread) != PLACE_YIELDED && place_of(thread) != PLACE_ROUND) || !poll->address) {
        return false;
    }
    describe_awaited(poll->address, where, sizeof where);
    fprintf(stderr, "    it reads %s, which stays %llu", where, (unsigned long long)poll->found);
    if (change) {
        print_changer(change->block != simt_block, simt_linear(change->thread), change->file,
                      change->line);
    } else if (simt_tracing && simt_observer.last_change((uintptr_t)poll->address, &last)) {
        const struct simt_source *source = simt_source_of(last.place);
        print_changer(last.other_block, last.thread, source->file, source->line);
    } else {
        const enum cudaMemoryType type = simt_memory_type(poll->address);
        is_of_host = type == cudaMemoryTypeHost || type == cudaMemoryTypeManaged;
        fputs(simt_tracing ? ": no thread of this launch has changed it" : "", stderr);
    }
    fputc('\n', stderr);
    return is_of_host;
}

static const char *const hints[PLACES] = {
    [PLACE_BARRIER] =
        "every thread of a block must reach the same __syncthreads(): move it out of the branch or "
        "loop\n"
        "  that only some threads take. (A GPU may hang here, or go on with wrong data.)",
    [PLACE_NAMED] =
        "bar.sync and bar.arrive of one barrier must together be called by as many threads as they "
        "name, sync() of a tile by all of its threads.",
    [PLACE_MBARRIER] =
        "each phase of an mbarrier needs as many arrivals as mbarrier.init says, and exactly the "
        "bytes that\n"
        "  expect_tx announces; a wait for a parity ends when the phase of that parity has ended.",
    [PLACE_COLLECTIVE] =
        "every lane that a mask names must make the same call with the same mask: make the call "
        "outside of\n"
        "  the branch, or name only the lanes that take it.",
    [PLACE_YIELDED] =
        "a lock must be given back by a thread that can run: not across a barrier, and not in a "
        "block\n"
        "  that has yet to start (blocks that wait for later ones need a cooperative launch).",
    [PLACE_ROUND] =
        "what a loop tests must change in it. A variable that another thread sets must be volatile "
        "or atomic\n"
        "  (cuda::atomic_ref): the compiler may read a plain one once and keep the value. "
        "(SIMT_WATCHDOG=0 lets it go on.)",
};

static const char *const wait_for_host =
    "a kernel cannot wait for the host here: the CPU back end runs a launch to its end before the "
    "host goes on.\n"
    "  Let the host store the value before the launch, or start another kernel for what comes "
    "behind it.";

void simt_report_stuck(const char *headline, size_t suspended)
{
    const unsigned int threads =
        simt_grid.launch->block.x * simt_grid.launch->block.y * simt_grid.launch->block.z;
    bool told[SIMT_MAX_BLOCK_THREADS] = {false}, seen[PLACES] = {false};
    bool only_host = false;
    simt_report_block();
    fprintf(stderr, ": %s\n", headline);
    for (unsigned int i = 0; i < threads; i++) {
        bool here[SIMT_MAX_BLOCK_THREADS] = {false};
        unsigned int count = 0;
        if (told[i]) {
            continue;
        }
        for (unsigned int j = i; j < threads; j++) {
            here[j] = !told[j] && same_place(i, j);
            told[j] = told[j] || here[j];
            count += here[j];
        }
        seen[place_of(i)] = true;
        fprintf(stderr, "  %u thread%s ", count, count == 1 ? "" : "s");
        print_place(i);
        fputc(':', stderr);
        print_ranges(here, threads);
        only_host |= print_awaited(i);
    }
    if (suspended > 0) {
        fprintf(stderr, "  %zu other block%s wait%s, too\n", suspended, suspended == 1 ? "" : "s",
                suspended == 1 ? "s" : "");
    }
    for (unsigned int i = 0; i < PLACES; i++) {
        if (seen[i] && hints[i]) {
            const bool waits = only_host && (i == PLACE_YIELDED || i == PLACE_ROUND);
            fprintf(stderr, "  hint: %s\n", waits ? wait_for_host : hints[i]);
        }
    }
    simt_exit();
}

void simt_report_collective(struct simt_thread *thread, const char *what, unsigned int lanes,
                            const char *hint)
{
    char text[128];
    simt_current = thread;
    simt_report_place();
    fprintf(stderr, ": %s() at %s:%d", simt_collective_name(thread->operation), thread->file,
            thread->line);
    simt_report_caller(thread->caller);
    fprintf(stderr, ": mask 0x%08x %s", thread->mask, what);
    print_lanes(lanes);
    if (simt_source_line(thread->file, thread->line, text, sizeof text)) {
        fprintf(stderr, "  %s\n", text);
    }
    fprintf(stderr, "  hint: %s\n", hint);
    simt_exit();
}
/* SPDX-License-Identifier: MIT */
