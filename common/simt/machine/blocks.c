/* The blocks of a launch: they start, are suspended to wait for other blocks, and resume. */
#include "machine/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/need.h"
#include "base/worker.h"
#include "machine/cluster.h"
#include "machine/launch.h"
#include "machine/progress.h"
#include "machine/reports.h"
#include "machine/shared.h"
#include "machine/turns.h"
#include "machine/workers.h"
#include "observe/observer.h"

enum { MOST_SUSPENDED = 64 /* blocks of a launch that is not cooperative */ };

static struct simt_block first_block;
struct simt_block *simt_block = &first_block;

/* ---- order of blocks ---- */

static void add_end(size_t number)
{
    size_t at = simt_grid.ends;
    simt_grid.first[simt_grid.ends++] = number;
    for (; at > 0 && simt_grid.ascending[at - 1] > number; at--) {
        simt_grid.ascending[at] = simt_grid.ascending[at - 1];
    }
    simt_grid.ascending[at] = number;
}

/* The first, the last and the middle one of `count`. */
static unsigned int choose_ends(unsigned int count, unsigned int ends[3])
{
    ends[0] = 0;
    ends[1] = count - 1;
    ends[2] = count / 2;
    return count < 3 ? count : 3;
}

void simt_ends_first(void)
{
    const struct uint3 grid = simt_grid.launch->grid;
    unsigned int x[3], y[3], z[3];
    const unsigned int across = choose_ends(grid.x, x), down = choose_ends(grid.y, y),
                       deep = choose_ends(grid.z, z);
    for (int middle = 0; middle < 2; middle++) { /* after the corners */
        for (unsigned int i = 0; i < deep; i++) {
            for (unsigned int j = 0; j < down; j++) {
                for (unsigned int k = 0; k < across; k++) {
                    if ((i == 2 || j == 2 || k == 2) == middle) {
                        add_end(((size_t)z[i] * grid.y + y[j]) * grid.x + x[k]);
                    }
                }
            }
        }
    }
}

/* The number of the block that starts as the `turn`-th. */
static size_t number_of(size_t turn)
{
    size_t number = turn - simt_grid.ends;
    if (turn < simt_grid.ends) {
        return simt_grid.first[turn];
    }
    if (simt_shuffled && simt_cluster_size() == 1) {
        number = simt_schedule_block(number, simt_grid.blocks - simt_grid.ends);
    }
    for (size_t i = 0; i < simt_grid.ends; i++) {
        number += simt_grid.ascending[i] <= number;
    }
    return number;
}

void simt_start_block(void)
{
    const size_t turn = simt_grid.started++, number = number_of(turn);
    struct simt_block *block = simt_block;
    block->early = turn < simt_grid.ends && number > turn;
    block->index = simt_cluster_index_of(number);
    for (unsigned int i = 0; i < simt_grid.warps; i++) {
        unsigned int rest = simt_grid.threads - i * SIMT_WARP_SIZE;
        unsigned int members = rest >= SIMT_WARP_SIZE ? ~0u : (1u << rest) - 1;
        block->warps[i] = (struct simt_warp){
            .lanes = &block->threads[i * SIMT_WARP_SIZE], .members = members, .ready = members};
    }
    block->alive = simt_grid.threads;
    block->phase++;
    block->number = simt_cluster_start_block(number);
    block->rounds = block->woken = block->full_traces = 0;
    block->read = (struct simt_read){UINT64_MAX, 0};
    block->waits_for_grid = false;
    memset(block->boxes, 0, sizeof block->boxes);
    block->current_warp = &block->warps[simt_ready_warp()];
    memset(simt_dynamic_shared(), 0xff, simt_grid.launch->shared_bytes);
    if (simt_tracing) {
        simt_trace_start_block(block->number, simt_grid.threads);
    }
    simt_counts.blocks++;
    simt_counts.threads += simt_grid.threads;
}

void simt_number_threads(struct simt_block *block)
{
    struct uint3 size = simt_grid.launch->block;
    unsigned int number = 0;
    for (unsigned int z = 0; z < size.z; z++) {
        for (unsigned int y = 0; y < size.y; y++) {
            for (unsigned int x = 0; x < size.x; x++) {
                struct simt_thread *thread = &block->threads[number];
                thread->index.x = (unsigned short)x;
                thread->index.y = (unsigned short)y;
                thread->index.z = (unsigned short)z;
                thread->number = (unsigned short)number++;
            }
        }
    }
}

/* ---- blocks that wait for one another ---- */

/* Blocks of a cooperative launch run at the same time. So do the blocks of a launch that has no
 * more blocks than there are SMs, if nothing else runs. In other launches they need not, but a
 * block that started early may wait for blocks with lower numbers: they would have run first. */
bool simt_can_wait_for_blocks(void)
{
    bool others = simt_grid.suspended_count > 0 || simt_grid.started < simt_grid.blocks;
    return others && (simt_grid.launch->cooperative || simt_grid.launch->together ||
                      simt_shuffled || simt_block->early || simt_cluster_size() > 1);
}

void simt_suspend_block(void)
{
    struct simt_block *block = simt_block;
    simt_only_in_order();
    if (simt_cluster_size() == 1) {
        block->shared =
            simt_needed(malloc(simt_kept_bytes() + 1), "blocks that wait for one another");
    }
    simt_copy_shared(block->shared, true);
    block->analysis = simt_tracing ? simt_observer.suspend_block(simt_grid.threads) : NULL;
    block->rounds = block->woken = 0;
    block->next = NULL;
    *simt_grid.last_suspended = block;
    simt_grid.last_suspended = &block->next;
    simt_grid.suspended_count++;
    simt_block = NULL;
}

static void resume_block(struct simt_block *block)
{
    simt_block = block;
    simt_copy_shared(block->shared, false);
    if (simt_cluster_size() == 1) {
        free(block->shared);
    }
    if (block->analysis) {
        simt_observer.resume_block(block->analysis, simt_grid.threads);
        block->analysis = NULL;
    }
}

static struct simt_block *take_suspended(struct simt_block **link)
{
    struct simt_block *block = *link;
    *link = block->next;
    if (!block->next) {
        simt_grid.last_suspended = link;
    }
    simt_grid.suspended_count--;
    return block;
}

static struct simt_block **find_runnable(void)
{
    struct simt_block **link = &simt_grid.suspended;
    while (*link && (*link)->waits_for_grid) {
        link = &(*link)->next;
    }
    return *link ? link : NULL;
}

/* A waiting block that started early resumes when its turn has come. */
static struct simt_block **find_due(void)
{
    struct simt_block **link = &simt_grid.suspended;
    while (*link && !((*link)->early && (simt_grid.started == simt_grid.blocks ||
                                         (*link)->number < number_of(simt_grid.started)))) {
        link = &(*link)->next;
    }
    return *link ? link : NULL;
}

/* All remaining blocks wait for the grid. */
static void release_grid(void)
{
    if (simt_grid.done > 0) {
        struct simt_block *waits = simt_grid.suspended;
        simt_block = waits;
        simt_report_block();
        fprintf(stderr,
                ": deadlock: %zu of %zu blocks wait in grid.sync() at %s:%d, the others have "
                "returned\n"
                "  hint: every thread of the grid must reach grid.sync().\n",
                simt_grid.suspended_count, simt_grid.blocks, waits->first_at_barrier->file,
                waits->first_at_barrier->line);
        simt_exit();
    }
    for (struct simt_block *block = simt_grid.suspended; block; block = block->next) {
        block->waits_for_grid = false;
    }
    if (simt_tracing) {
        simt_observer.grid_barrier();
    }
}

static struct simt_block *new_block(void)
{
    struct simt_block *block = simt_grid.idle;
    if (block) {
        simt_grid.idle = block->next;
    } else {
        block = simt_needed(aligned_alloc(_Alignof(struct simt_block), sizeof *block),
                            "blocks that wait for one another");
        memset(block, 0, sizeof *block);
        block->next_made = simt_grid.made;
        simt_grid.made = block;
    }
    simt_number_threads(block);
    return block;
}

static bool next_block(void)
{
    struct simt_block **runnable = simt_grid.suspended ? find_runnable() : NULL;
    struct simt_block *done = simt_block, *block;
    bool full = simt_grid.suspended_count >= MOST_SUSPENDED && !simt_grid.launch->cooperative &&
                !simt_grid.launch->together;
    /* Cooperative blocks all start first. Others may have waited for the block just done. */
    bool start =
        simt_grid.started < simt_grid.blocks && !(runnable && (full || (done && simt_shuffled)));
    struct simt_block **due = simt_grid.ends > 0 ? find_due() : NULL;
    if (due) {
        (*due)->early = start = false;
        runnable = due;
    }
    if (simt_cluster_size() > 1) { /* it must end before the next one begins */
        start = simt_grid.started < simt_grid.blocks &&
                (!simt_cluster_begins(simt_grid.started) || !simt_grid.suspended);
    }
    simt_progress_tell();
    if (start) {
        simt_block = done ? done : new_block();
        simt_start_block();
        return true;
    }
    if (!simt_grid.suspended) {
        return false;
    }
    if (!runnable) {
        release_grid();
        runnable = &simt_grid.suspended;
    }
    block = take_suspended(runnable);
    if (done) {
        done->next = simt_grid.idle;
        simt_grid.idle = done;
    }
    resume_block(block);
    if (block->waiting > 0 && block->waiting == block->alive) { /* in grid.sync() */
        block->waiting_true = 0;
        simt_release_barrier();
    }
    return true;
}

/* The running block has ended or, if simt_block is NULL, is suspended: runs another one. False if
 * there is none left. */
bool simt_next_block(void)
{
    if (simt_grid.started >= simt_workers_next && simt_block && !simt_grid.suspended) {
        simt_workers_act();
    }
    if (simt_tracing && simt_block && simt_cluster_size() == 1 && !simt_grid.launch->cooperative &&
        simt_workers_are_done() && simt_observer.enough()) {
        simt_workers_stop();
        for (struct simt_block *block = simt_grid.suspended; block; block = block->next) {
            simt_observer.forget_block(block->analysis);
            block->analysis = NULL;
        }
        simt_trace_end_launch(simt_grid.launch);
        simt_choose_start();
    }
    return next_block();
}

/* All threads of the block that have not exited have arrived at a grid barrier. */
void simt_leave_for_grid(void)
{
    if (!simt_grid.launch->cooperative) {
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
    simt_note_progress();
    simt_block->waits_for_grid = true;
    simt_suspend_block();
    simt_next_block();
}

void simt_forget_blocks(void)
{
    while (simt_grid.made) {
        struct simt_block *next = simt_grid.made->next_made;
        for (unsigned int i = 0; i < SIMT_MAX_BLOCK_THREADS; i++) {
            free(simt_grid.made->threads[i].pipeline.copies);
        }
        free(simt_grid.made);
        simt_grid.made = next;
    }
    simt_block = &first_block;
}
/* SPDX-License-Identifier: MIT */
