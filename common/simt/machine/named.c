/* Named barriers of a block (bar.sync 1, 64): their arrivals and results. */
#include <stdio.h>
#include <string.h>

#include "base/exit.h"
#include "cuda/simt_ptx_runtime.h"
#include "machine/endless.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "observe/observer.h"

static const void *called_at; /* the place of the kernel's call */
static bool were_used;

__attribute__((noreturn)) static void refuse(const char *what, unsigned int number,
                                             const char *file, int line)
{
    simt_report_place();
    fprintf(stderr, ": barrier %u at %s:%d %s\n", number, file, line, what);
    if (simt_tracing) {
        simt_observer.tell_place(stderr, called_at);
    }
    simt_exit();
}

/* Wakes a warp's threads at the barrier: each gets the counts, and learns what all of them knew. */
static void wake(unsigned int number, const struct simt_named_barrier *barrier)
{
    struct simt_warp *warp = &simt_block->warps[number];
    for (unsigned int set = warp->at_named; set; set &= set - 1) {
        unsigned int thread = number * SIMT_WARP_SIZE + simt_lowest(set);
        if (&simt_block->named[simt_block->threads[thread].lane] == barrier) {
            simt_block->threads[thread].result = (uint64_t)barrier->came << 32 | barrier->came_true;
            warp->at_named &= ~(1u << simt_lowest(set));
            simt_go_on(number, 1u << simt_lowest(set), simt_block->threads[thread].caller);
            if (simt_tracing) {
                simt_observer.acquire(thread, barrier->clock);
            }
        }
    }
}

/* The barrier is complete. */
static void complete(struct simt_named_barrier *barrier)
{
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        wake(i, barrier);
    }
    if (simt_tracing) {
        simt_observer.forget_clock(&barrier->clock);
        simt_observer.named_barrier(barrier->caller);
    }
    barrier->came = barrier->came_true = barrier->wanted = 0;
    simt_note_progress();
    simt_counts.block_barriers++;
}

/* A barrier of the whole block may have waited only for threads that have now returned. */
void simt_named_thread_exited(void)
{
    for (unsigned int i = 0; were_used && i < SIMT_NAMED_BARRIERS; i++) {
        struct simt_named_barrier *barrier = &simt_block->named[i];
        if (barrier->came > 0 && barrier->of_all && barrier->came >= simt_block->alive) {
            complete(barrier);
        }
    }
}

static unsigned int result_of(enum simt_named kind, uint64_t counts)
{
    unsigned int count = (unsigned int)(counts >> 32), count_true = (unsigned int)counts;
    return kind == SIMT_NAMED_COUNT ? count_true
           : kind == SIMT_NAMED_AND ? count_true == count
                                    : kind == SIMT_NAMED_OR && count_true != 0;
}

static unsigned int come(struct simt_named_barrier *barrier, enum simt_named kind, bool predicate,
                         const char *file, int line)
{
    uint64_t counts;
    const bool completes = barrier->came + 1 >= barrier->wanted ||
                           (barrier->of_all && barrier->came + 1 >= simt_block->alive);
    were_used = simt_ends_matter = true;
    barrier->caller = called_at;
    barrier->came++;
    barrier->came_true += predicate;
    if (simt_tracing) {
        simt_observer.release(&barrier->clock);
    }
    if (simt_watched) {
        simt_watcher.named(called_at, (unsigned int)(barrier - simt_block->named), completes,
                           kind != SIMT_NAMED_ARRIVE);
    }
    if (completes) {
        counts = (uint64_t)barrier->came << 32 | barrier->came_true;
        if (simt_tracing && kind != SIMT_NAMED_ARRIVE) {
            simt_observer.acquire(simt_linear(simt_current), barrier->clock);
        }
        complete(barrier);
        return result_of(kind, counts);
    }
    if (kind == SIMT_NAMED_ARRIVE) {
        return 0;
    }
    simt_current->file = file;
    simt_current->line = line;
    simt_current->caller = called_at;
    simt_current->lane = (unsigned char)(barrier - simt_block->named);
    simt_warp_of(simt_current)->at_named |= simt_bit_of(simt_current);
    simt_wait_turn();
    return result_of(kind, simt_current->result);
}

unsigned int simt_named_barrier(enum simt_named kind, unsigned int number, unsigned int threads,
                                bool predicate, const char *file, int line)
{
    struct simt_named_barrier *barrier;
    unsigned int all = simt_grid.threads, wanted = threads ? threads : all;
    called_at = __builtin_return_address(0);
    if (number >= SIMT_PTX_BARRIERS) {
        refuse("does not exist: there are 0 to 15", number, file, line);
    }
    if (threads % SIMT_WARP_SIZE != 0 || threads > SIMT_MAX_BLOCK_THREADS) {
        refuse("is given a number of threads that is not a multiple of 32", number, file, line);
    }
    if (threads > (all + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE * SIMT_WARP_SIZE) {
        refuse("is given more threads than the block has", number, file, line);
    }
    barrier = &simt_block->named[number];
    if (number == 0 && wanted == all && kind != SIMT_NAMED_ARRIVE && barrier->came == 0) {
        enum simt_barrier same = kind == SIMT_NAMED_SYNC    ? SIMT_BARRIER
                                 : kind == SIMT_NAMED_COUNT ? SIMT_BARRIER_COUNT
                                 : kind == SIMT_NAMED_AND   ? SIMT_BARRIER_AND
                                                            : SIMT_BARRIER_OR;
        return (unsigned int)simt_block_barrier(same, predicate, file, line);
    }
    if (number == 0 && simt_block->waiting > 0) {
        refuse("is that of __syncthreads(), at which others wait", number, file, line);
    }
    if (barrier->came > 0 && barrier->wanted != wanted) {
        refuse("is given another number of threads than by those that have come", number, file,
               line);
    }
    barrier->wanted = wanted;
    barrier->of_all = threads == 0;
    return come(barrier, kind, predicate, file, line);
}

unsigned int simt_tile_barrier(unsigned int size, enum simt_named kind, bool predicate,
                               const char *file, int line)
{
    const unsigned int tile = simt_linear(simt_current) / size;
    const unsigned int left = simt_grid.warps * SIMT_WARP_SIZE - tile * size;
    struct simt_named_barrier *barrier =
        &simt_block->named[SIMT_PTX_BARRIERS + SIMT_MAX_BLOCK_THREADS / size + tile];
    called_at = __builtin_return_address(0);
    barrier->wanted = left < size ? left : size;
    barrier->of_all = false;
    return come(barrier, kind, predicate, file, line);
}

void simt_tile_put(unsigned int warp, const void *value, size_t size)
{
    memcpy(simt_block->left[warp], value, size);
}

void simt_tile_get(unsigned int warp, void *value, size_t size)
{
    memcpy(value, simt_block->left[warp], size);
}
/* SPDX-License-Identifier: MIT */
