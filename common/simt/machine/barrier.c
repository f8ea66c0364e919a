/* __syncthreads() and its variants. */
#include <string.h>

#include "machine/blocks.h"
#include "machine/reports.h"
#include "machine/turns.h"
#include "observe/observer.h"

void simt_release_barrier(void)
{
    struct simt_block *block = simt_block;
    if (simt_tracing) {
        simt_trace_pause();
        simt_trace_drain(0);
        simt_observer.barrier(block->barrier_caller, block->alive == simt_grid.threads);
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
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        simt_make_ready(i, block->warps[i].at_barrier);
        block->warps[i].at_barrier = 0;
    }
    simt_note_progress();
    block->current_warp = simt_ready_warp();
    simt_counts.block_barriers++;
}

/* All that have not exited have come to the barrier. */
__attribute__((cold)) void simt_complete_barrier(void)
{
    const struct simt_thread *first = simt_block->first_at_barrier;
    if (first->barrier == SIMT_BARRIER_GRID && !simt_block->waiting_at_different_barriers) {
        simt_leave_for_grid();
    } else {
        simt_release_barrier();
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
        if (simt_tracing) {
            simt_observer.arrives(block->barrier_caller, file, line);
        }
    } else if (line != block->first_at_barrier->line ||
               self->barrier != block->first_at_barrier->barrier) {
        block->waiting_at_different_barriers = true;
    } else if (file != block->first_at_barrier->file) {
        compare_files(self);
    }
    if (block->waiting == block->alive) {
        simt_complete_barrier();
    }
    simt_wait_turn();
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
