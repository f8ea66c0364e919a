/* Runs a launch from start to end. */
#include "machine/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/need.h"
#include "base/worker.h"
#include "machine/blocks.h"
#include "machine/cluster.h"
#include "machine/endless.h"
#include "machine/fault.h"
#include "machine/fibers.h"
#include "machine/launched.h"
#include "machine/pipeline.h"
#include "machine/progress.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "machine/schedule.h"
#include "machine/shared.h"
#include "machine/turns.h"
#include "machine/workers.h"
#include "memory/memory.h"
#include "memory/streams.h"
#include "observe/observer.h"

struct simt_counters simt_counts;
struct simt_grid simt_grid;
bool simt_ends_matter;

/* ---- early end ---- */

void simt_abandon_launch(cudaError_t error, const char *reason)
{
    simt_only_in_order();
    if (simt_after_report) {
        simt_after_report();
    }
    simt_grid.abandoned = error;
    snprintf(simt_grid.reason, sizeof simt_grid.reason, "%s", reason);
    simt_switch_fiber(simt_current->fiber, &simt_host_fiber);
    abort(); /* not reached */
}

static void take_back_fibers(struct simt_block *block)
{
    for (unsigned int i = 0; i < simt_grid.threads; i++) {
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
    for (; simt_grid.suspended; simt_grid.suspended = simt_grid.suspended->next) {
        take_back_fibers(simt_grid.suspended);
        if (simt_cluster_size() == 1) {
            free(simt_grid.suspended->shared);
        }
        if (simt_grid.suspended->analysis) {
            simt_observer.forget_block(simt_grid.suspended->analysis);
        }
    }
    simt_current = NULL;
}

/* ---- threads ---- */

static void exit_thread(void)
{
    struct simt_warp *warp = simt_warp_of(simt_current);
    struct simt_block *block = simt_block;
    if (simt_grid.pipelines_used) {
        simt_pipeline_drain(&simt_current->pipeline, SIZE_MAX);
        simt_current->pipeline.group = 0;
    }
    if (__builtin_expect(simt_ends_matter, 0)) {
        simt_bulk_thread_exited();
        simt_wgmma_thread_exited();
    }
    if (simt_tracing) {
        simt_trace_pause();
        simt_observer.exits();
        simt_note_left(simt_current);
    }
    simt_current->fiber = NULL;
    warp->exited |= simt_bit_of(simt_current);
    block->alive--;
    simt_note_progress();
    if (__builtin_expect(simt_ends_matter, 0)) {
        simt_cluster_thread_exited();
    }
    /* Other threads may have waited only for this one. */
    for (unsigned int set = warp->at_collective; set; set &= set - 1) {
        if (warp->at_collective & 1u << simt_lowest(set)) {
            simt_try_collective(
                &block->threads[(warp - block->warps) * SIMT_WARP_SIZE + simt_lowest(set)]);
        }
    }
    if (__builtin_expect(simt_ends_matter, 0)) {
        simt_named_thread_exited();
    }
    if (block->waiting && block->waiting == block->alive) {
        simt_complete_barrier();
    } else if (block->alive == 0) {
        simt_bulk_block_ended();
        simt_registers_block_ended();
        simt_wgmma_forget(block);
        simt_forget_barriers(block);
        simt_cluster_block_ended();
        simt_grid.done++;
    }
}

/* A kernel that writes past the end of an array on its stack often overwrites the registers that it
 * saved for its callers. They are saved here again, so the program can still report the error. */
__attribute__((noinline)) static void call_kernel(struct simt_fiber *self)
{
    if (__builtin_setjmp(self->rest->end) == 0) {
        simt_grid.invoke(simt_grid.closure);
    }
#ifdef __x86_64__
    __asm__ volatile("" ::: "rbx", "r12", "r13", "r14", "r15");
#endif
}

void simt_end_thread(void)
{
    __builtin_longjmp(simt_current->fiber->rest->end, 1);
}

/* Runs threads one after the other, while none of them waits. */
void simt_fiber_main(struct simt_fiber *self)
{
    for (;;) {
        call_kernel(self);
        exit_thread();
        if (simt_block->alive == 0) {
            if (simt_tracing) {
                simt_trace_drain(0);
            }
            if (simt_tracing && simt_cluster_size() > 1) {
                simt_observer.end_cluster_block(simt_grid.threads);
            }
            if (!simt_next_block()) {
                simt_current = NULL;
                simt_give_fiber(self);
                simt_switch_fiber(self, &simt_host_fiber);
                continue;
            }
        }
        simt_current = simt_next_thread();
        if (simt_tracing) {
            simt_trace_resume(simt_linear(simt_current));
        }
        if (!simt_current->fiber) {
            simt_current->fiber = self;
            if (simt_tracing) {
                simt_current->ran_on = self;
            }
        } else {
            simt_give_fiber(self);
            simt_switch_fiber(self, simt_current->fiber);
        }
    }
}

/* The functions of a source that exist in both of its translations, with and without hooks
 * (cc/simt_twice.c). */
struct function {
    uintptr_t instrumented, plain;
};
extern const struct function __start_simt_plain[] __attribute__((weak));
extern const struct function __stop_simt_plain[] __attribute__((weak));

static const struct function *find_plain(uintptr_t instrumented)
{
    for (const struct function *function = __start_simt_plain;
         function && function < __stop_simt_plain; function++) {
        if (function->instrumented == instrumented) {
            return function;
        }
    }
    return NULL;
}

/* The launch calls the kernel through an address in its closure. Replaces that address. */
static void *closure_for(const struct simt_launch *launch, const struct function *kernel)
{
    static void **words;
    const size_t count = launch->closure_bytes / sizeof *words;
    free(words);
    words = simt_needed(malloc(launch->closure_bytes + 1), "kernels");
    memcpy(words, launch->closure, launch->closure_bytes);
    for (size_t i = 0; kernel && i < count; i++) {
        if (words[i] == launch->function) {
            words[i] = (void *)kernel->plain;
        }
    }
    return words;
}

void simt_choose_start(void)
{
    const struct simt_launch *launch = simt_grid.launch;
    const struct function *start;
    simt_grid.invoke = launch->invoke;
    simt_grid.closure = launch->closure;
    if (!simt_listening && launch->closure_bytes > 0 &&
        (start = find_plain((uintptr_t)launch->invoke))) {
        simt_grid.invoke = (void (*)(void *))start->plain;
        simt_grid.closure = closure_for(launch, find_plain((uintptr_t)launch->function));
    }
}

static void open_launch(const struct simt_launch *asked)
{
    simt_fault_install();
    simt_fibers_prepare();
    simt_shared_prepare();
    simt_grid.launch = asked;
    simt_shared_start_launch();
    simt_grid.threads = asked->block.x * asked->block.y * asked->block.z;
    simt_grid.warps = (simt_grid.threads + SIMT_WARP_SIZE - 1) / SIMT_WARP_SIZE;
    simt_grid.blocks = (size_t)asked->grid.x * asked->grid.y * asked->grid.z;
    simt_grid.started = simt_grid.done = simt_grid.suspended_count = simt_grid.ends = 0;
    simt_forget_loops();
    simt_grid.suspended = simt_grid.idle = NULL;
    simt_grid.last_suspended = &simt_grid.suspended;
    simt_number_threads(simt_block);
    if (simt_grid.changed) {
        memset(simt_grid.changes, 0, sizeof simt_grid.changes);
        simt_grid.changed = false;
    }
    simt_grid.pipelines_used = false;
    simt_note_progress();
    simt_progress_start_launch();
    simt_lasts_long = simt_goes_round = false;
    simt_counts.launches++;
    simt_note_launched(asked);
    simt_schedule_start_launch();
}

static void begin_operation(const struct simt_launch *asked)
{
    struct simt_operation *launch = simt_operation_begin(asked->stream, asked->name);
    launch->file = asked->file;
    launch->line = asked->line;
    launch->early = asked->early;
}

cudaError_t simt_run(const struct simt_launch *asked, const char **reason)
{
    open_launch(asked);
    begin_operation(asked);
    if (simt_observer.repeats(asked)) {
        simt_grid.launch = NULL;
        return cudaSuccess;
    }
    simt_memory_open();
    simt_trace_start_launch(asked);
    simt_choose_start();
    simt_cluster_start_launch(asked->cluster);
    simt_workers_start_launch();
    simt_start_block();
    simt_current = simt_next_thread();
    if (simt_tracing) {
        simt_trace_resume(simt_linear(simt_current));
    }
    simt_current->ran_on = simt_current->fiber = simt_take_fiber();
    simt_grid.abandoned = cudaSuccess;
    simt_switch_fiber(&simt_host_fiber, simt_current->fiber);
    simt_workers_end_launch();
    if (simt_grid.abandoned != cudaSuccess) {
        end_abandoned();
    }
    simt_trace_end_launch(asked);
    simt_memory_close_behind_kernel();
    simt_forget_blocks();
    simt_grid.launch = NULL;
    *reason = simt_grid.reason;
    return simt_grid.abandoned;
}

void simt_counters_reset(void)
{
    simt_counts = (struct simt_counters){0};
}

void simt_counters_read(struct simt_counters *counters)
{
    *counters = simt_counts;
}
/* SPDX-License-Identifier: MIT */
