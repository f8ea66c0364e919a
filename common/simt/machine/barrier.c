/* __syncthreads() and its variants. */
#include <string.h>

#include "machine/blocks.h"
#include "machine/endless.h"
#include "machine/reports.h"
#include "observe/observer.h"

/* ---- loops around barriers ---- */

/* In the running launch, the loops that some thread has left. */
static struct loop {
    const char *file;
    int first, last, helper_first, helper_last;
    bool in_branch;
} loops[SIMT_LOOPS];
static unsigned int loop_count;

void simt_forget_loops(void)
{
    loop_count = 0;
}

void simt_left_loop(const char *file, int first, int last, int helper_first, int helper_last,
                    bool in_branch)
{
    struct simt_thread *self = simt_current;
    unsigned int i = 0;
    while (i < loop_count && (loops[i].file != file || loops[i].first != first)) {
        i++;
    }
    if (!simt_tracing || !self || i == SIMT_LOOPS) {
        return;
    }
    if (i == loop_count) {
        loops[loop_count++] =
            (struct loop){file, first, last, helper_first, helper_last, in_branch};
    }
    self->loops_left = (self->left_in == simt_block->phase ? self->loops_left : 0) | UINT64_C(1)
                                                                                         << i;
    self->left_in = simt_block->phase;
}

void simt_note_left(const struct simt_thread *thread)
{
    struct simt_block *block = simt_block;
    if (thread->left_in == block->phase && thread->loops_left) {
        block->loops_left =
            (block->left_in == block->phase ? block->loops_left : 0) | thread->loops_left;
        block->left_in = block->phase;
        for (uint64_t set = thread->loops_left; set; set &= set - 1) {
            block->left_by[__builtin_ctzll(set)] = thread->number;
        }
    }
}

/* Threads may have returned since the last barrier, after a loop. Reports it if threads at this
 * barrier are in that loop, and have not left it since. */
__attribute__((noinline, cold)) static void look_for_loops(const struct simt_block *block)
{
    const struct simt_thread *first = block->first_at_barrier;
    const uint64_t own = first->left_in == block->phase ? first->loops_left : 0;
    for (uint64_t set = block->loops_left & ~own; set; set &= set - 1) {
        const unsigned int number = (unsigned int)__builtin_ctzll(set);
        const struct loop *loop = &loops[number];
        if ((strcmp(loop->file, first->file) == 0 && loop->first <= first->line &&
             first->line <= loop->last) ||
            (loop->helper_first <= first->line && first->line <= loop->helper_last)) {
            simt_observer.went_less(block->left_by[number], loop->file, loop->first,
                                    loop->in_branch, first->file, first->line);
            return;
        }
    }
}

/* ---- barriers ---- */

void simt_release_barrier(void)
{
    struct simt_block *block = simt_block;
    if (simt_tracing) {
        if (block->left_in == block->phase && !block->waiting_at_different_barriers) {
            look_for_loops(block);
        }
        simt_trace_pause();
        simt_trace_drain(0);
        simt_observer.barrier(block->barrier_caller, block->barrier_file,
                              block->first_at_barrier->line, block->alive == simt_grid.threads);
    }
    if (block->waiting_at_different_barriers) {
        simt_report_stuck("divergent barrier: the threads of one block wait at different barriers",
                          simt_grid.suspended_count);
    }
    block->finished = block->waiting;
    block->finished_true = block->waiting_true;
    block->waiting = 0;
    block->waiting_true = 0;
    block->full_traces = 0;
    block->phase++;
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        simt_go_on(i, block->warps[i].at_barrier, block->barrier_caller);
        block->warps[i].at_barrier = 0;
    }
    simt_note_progress();
    block->current_warp = &block->warps[simt_lasts_long ? 0 : simt_ready_warp()];
    simt_counts.block_barriers++;
}

/* All threads that have not exited have arrived at the barrier. */
__attribute__((cold)) void simt_complete_barrier(void)
{
    const struct simt_thread *first = simt_block->first_at_barrier;
    if (first->barrier == SIMT_BARRIER_GRID && !simt_block->waiting_at_different_barriers) {
        simt_leave_for_grid();
    } else {
        simt_release_barrier();
    }
}

/* A different line than the first thread's, or a different kind of barrier; or only a different
 * pointer to the same file name. */
__attribute__((noinline, cold)) static void compare_barriers(const struct simt_thread *self,
                                                             uint64_t line)
{
    if (line != simt_block->barrier_line || strcmp(self->file, simt_block->barrier_file) != 0) {
        simt_block->waiting_at_different_barriers = true;
    }
}

__attribute__((noinline, cold)) static void begin_barrier(const struct simt_thread *self,
                                                          uint64_t line, const void *caller)
{
    simt_block->first_at_barrier = self;
    simt_block->waiting_at_different_barriers = false;
    simt_block->barrier_line = line;
    simt_block->barrier_file = self->file;
    simt_block->barrier_caller = caller;
    if (simt_tracing) {
        simt_observer.arrives(caller, self->file, self->line);
    }
}

/* These functions keep almost nothing on a waiting thread's stack: the less of each stack is in
 * use, the more stacks fit into the caches. */
static inline __attribute__((always_inline)) void
wait_at_barrier(enum simt_barrier kind, const char *file, int line, const void *caller)
{
    struct simt_thread *self = simt_current;
    struct simt_block *block = simt_block;
    uint64_t of_kind = (uint64_t)(unsigned int)line << 8 | kind;
    self->barrier = (unsigned char)kind;
    self->file = file;
    self->line = line;
    simt_warp_of(self)->at_barrier |= simt_bit_of(self);
    if (block->waiting++ == 0) {
        begin_barrier(self, of_kind, caller);
    } else if (of_kind != block->barrier_line || file != block->barrier_file) {
        compare_barriers(self, of_kind);
    }
    if (block->waiting == block->alive) {
        simt_complete_barrier();
    }
    simt_wait_turn();
}

void simt_block_wait(const char *file, int line)
{
    wait_at_barrier(SIMT_BARRIER, file, line, __builtin_return_address(0));
}

int simt_block_barrier(enum simt_barrier kind, int predicate, const char *file, int line)
{
    simt_block->waiting_true += predicate != 0;
    wait_at_barrier(kind, file, line, __builtin_return_address(0));
    /* The next barrier cannot complete before this thread has arrived at it. */
    const unsigned int made = simt_current->barrier;
    return made == SIMT_BARRIER_AND  ? simt_block->finished_true == simt_block->finished
           : made == SIMT_BARRIER_OR ? simt_block->finished_true != 0
                                     : (int)simt_block->finished_true;
}
/* SPDX-License-Identifier: MIT */
