/* Asynchronous bulk copies: cp.async.bulk and its tensor forms, which tensor_copies.c splits into
 * pieces.
 *
 * A copy into shared memory is made when a thread waits for its mbarrier and nothing else in the
 * block can run. In a shuffled order it may be made earlier, but not before a thread waits. A
 * thread that does not wait finds the old data. A copy into global memory is made when its thread
 * waits for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "base/need.h"
#include "cuda/simt_ptx_runtime.h"
#include "machine/bulk.h"
#include "machine/cluster.h"
#include "machine/pipeline.h"
#include "machine/reports.h"
#include "machine/turns.h"
#include "observe/observer.h"

/* ---- making copies ---- */

static void refuse(const struct simt_bulk_copy *copy, const char *wrong)
{
    simt_report_place();
    fprintf(stderr, ": %s at %s:%d %s\n", copy->name, copy->file, copy->line, wrong);
    if (simt_tracing) {
        simt_observer.tell_place(stderr, copy->caller);
    }
    simt_exit();
}

struct simt_bulk_copy *simt_bulk_new(const char *name, size_t count, const void *caller,
                                     const char *file, int line)
{
    static unsigned int copies;
    struct simt_bulk_copy *copy =
        simt_needed(malloc(sizeof *copy + count * sizeof *copy->pieces), "an asynchronous copy");
    *copy = (struct simt_bulk_copy){.name = name,
                                    .file = file,
                                    .line = line,
                                    .thread = simt_linear(simt_current),
                                    .number = copies++,
                                    .caller = caller,
                                    .count = count};
    return copy;
}

long simt_bulk_bytes(const struct simt_bulk_copy *copy)
{
    long bytes = 0;
    for (size_t i = 0; i < copy->count; i++) {
        bytes += copy->pieces[i].size;
    }
    return bytes;
}

/* Checks now what the copy reads and writes. */
static void check(const struct simt_bulk_copy *copy)
{
    bool inside = true;
    if (!simt_tracing) {
        return;
    }
    simt_observer.bulk_begins(
        copy->caller, (size_t)simt_bulk_bytes(copy),
        copy->barrier && copy->barrier->block == simt_block ? copy->barrier->address : NULL);
    if (copy->beyond) {
        simt_observer.bulk_beyond(copy->caller, copy->beyond, copy->way);
    }
    for (size_t i = 0; i < copy->count; i++) {
        const struct simt_bulk_piece *piece = &copy->pieces[i];
        const char *const from =
            copy->way == SIMT_BULK_STORES || piece->beyond ? NULL : piece->from;
        inside = simt_observer.bulk_piece(copy->caller, piece->to, from, piece->size, copy->way) &&
                 inside;
    }
    if (!inside) {
        refuse(copy, "leaves the memory that there is");
    }
    if (simt_watched) {
        simt_watcher.copy_begins(copy);
    }
    if (copy->barrier && copy->barrier->block != simt_block && simt_watcher.far_copy) {
        simt_watcher.far_copy(copy);
    }
}

/* A reduction into global memory counts as an atomic of its thread, from the start. */
static void note_made(const struct simt_bulk_copy *copy, uint32_t tag)
{
    for (size_t i = 0; simt_tracing && i < copy->count; i++) {
        const struct simt_bulk_piece *piece = &copy->pieces[i];
        if (copy->way != SIMT_BULK_REDUCES) {
            simt_observer.bulk_written(copy->caller, piece->to, piece->size, tag);
        } else if (copy->barrier) {
            simt_observer.bulk_reduced(copy->caller, piece->to, piece->size, tag);
        }
    }
}

static void note_read(const struct simt_bulk_copy *copy)
{
    for (size_t i = 0; simt_tracing && i < copy->count; i++) {
        if (copy->pieces[i].from && simt_in_shared(copy->pieces[i].from)) {
            simt_observer.bulk_read(copy->pieces[i].from, copy->pieces[i].size);
        }
    }
}

/* ---- to shared memory ---- */

/* While another block does not run, its memory is in its place in the cluster. The copy is made
 * while that block runs. */
static void see_from_other_block(struct simt_bulk_copy *copy)
{
    for (size_t i = 0; i < copy->count; i++) {
        struct simt_bulk_piece *piece = &copy->pieces[i];
        unsigned int rank;
        void *own;
        if (simt_cluster_find(piece->to, &rank, &own)) {
            piece->to = own;
        }
        if (piece->from && simt_in_shared(piece->from)) {
            piece->from = simt_cluster_place(simt_block->rank, piece->from);
        }
    }
}

void simt_bulk_start_load(struct simt_bulk_copy *copy, struct simt_mbarrier *barrier)
{
    struct simt_block *block = barrier->block;
    copy->barrier = barrier;
    check(copy);
    if (block != simt_block) {
        see_from_other_block(copy);
    }
    copy->next = NULL;
    *(block->bulk ? block->last_bulk : &block->bulk) = copy;
    block->last_bulk = &copy->next;
    simt_note_progress();
}

static unsigned short threads_of_agents[SIMT_MAX_BLOCK_THREADS];

unsigned int simt_bulk_thread_of(unsigned int agent)
{
    return threads_of_agents[agent - SIMT_MAX_BLOCK_THREADS];
}

void simt_bulk_agent_is(unsigned int agent, unsigned int thread)
{
    threads_of_agents[agent - SIMT_MAX_BLOCK_THREADS] = (unsigned short)thread;
}

/* The writer is the barrier's agent, so only threads that wait at the barrier know of the write. */
static void finish_load(struct simt_bulk_copy *copy)
{
    struct simt_mbarrier *barrier = copy->barrier;
    const uint64_t phase = barrier->phase;
    simt_bulk_make(copy);
    if (simt_tracing) {
        uint32_t tag = simt_observer.bulk_tag(&barrier->agent, &barrier->arrived);
        if (!tag) {
            refuse(copy, "is for more mbarriers than the checks can tell apart");
        }
        simt_bulk_agent_is(barrier->agent, copy->thread);
        note_made(copy, tag);
        note_read(copy);
    }
    barrier->polled = false;
    simt_mbarrier_bytes(barrier, simt_bulk_bytes(copy));
    if (simt_watched) {
        simt_watcher.copy_ends(copy, phase);
    }
    free(copy);
}

bool simt_bulk_advance(void)
{
    struct simt_block *block = simt_block;
    struct simt_bulk_copy **link = &block->bulk, *copy;
    while (*link && !simt_mbarrier_is_awaited((*link)->barrier)) {
        link = &(*link)->next;
    }
    copy = *link;
    if (!copy) {
        return false;
    }
    *link = copy->next;
    if (!copy->next) {
        block->last_bulk = link;
    }
    finish_load(copy);
    return true;
}

/* ---- to global memory ---- */

void simt_bulk_start_store(struct simt_bulk_copy *copy)
{
    struct simt_bulk_groups *groups = &simt_current->bulk;
    simt_ends_matter = true;
    check(copy);
    copy->group = groups->group;
    copy->next = NULL;
    *(groups->first ? groups->last : &groups->first) = copy;
    groups->last = &copy->next;
}

void simt_bulk_commit(void)
{
    simt_ends_matter = true;
    simt_current->bulk.group++;
}

void simt_bulk_wait(unsigned int kept, bool reads_only)
{
    struct simt_bulk_groups *groups = &simt_current->bulk;
    struct simt_bulk_copy *copy;
    uint32_t tag = 0;
    size_t end = groups->group > kept ? groups->group - kept : 0;
    if (simt_tracing && groups->first) {
        simt_trace_check();
        tag = simt_observer.bulk_tag(NULL, NULL);
    }
    for (copy = groups->first; copy && copy->group < end; copy = copy->next) {
        if (!copy->is_read) {
            simt_bulk_make(copy);
            note_read(copy);
            copy->is_read = true;
            if (simt_watched) {
                simt_watcher.copy_ends(copy, 0);
            }
        }
    }
    while (!reads_only && groups->first && groups->first->group < end) {
        copy = groups->first;
        groups->first = copy->next;
        if (simt_tracing) {
            note_made(copy, tag);
        }
        free(copy);
    }
}

/* ---- end of a thread or block ---- */

/* A copy may write global memory after its thread's end, but may not read freed memory. */
void simt_bulk_thread_exited(void)
{
    struct simt_bulk_groups *groups = &simt_current->bulk;
    for (struct simt_bulk_copy *copy = groups->first; copy; copy = copy->next) {
        if (!copy->is_read) {
            refuse(copy, "still reads shared memory when its thread returns\n"
                         "  hint: cp.async.bulk.commit_group and cp.async.bulk.wait_group.read are "
                         "missing after it.");
        }
    }
    groups->group++;
    if (groups->first) {
        simt_bulk_wait(0, false);
    }
    groups->group = 0;
}

void simt_bulk_block_ended(void)
{
    if (simt_block->bulk) {
        refuse(simt_block->bulk, "is still under way when the block ends\n"
                                 "  hint: a thread must wait for the phase of its mbarrier.");
    }
}

static void forget(struct simt_bulk_copy **first)
{
    while (*first) {
        struct simt_bulk_copy *copy = *first;
        *first = copy->next;
        free(copy);
    }
}

void simt_bulk_forget(struct simt_block *block)
{
    forget(&block->bulk);
    for (unsigned int i = 0; i < SIMT_MAX_BLOCK_THREADS; i++) {
        forget(&block->threads[i].bulk.first);
        block->threads[i].bulk.group = 0;
    }
    simt_wgmma_forget(block);
}

bool simt_bulk_reader(const void *address, unsigned int *thread, const void **caller)
{
    for (unsigned int i = 0; i < simt_grid.threads; i++) {
        for (const struct simt_bulk_copy *copy = simt_block->threads[i].bulk.first; copy;
             copy = copy->next) {
            for (size_t j = 0; !copy->is_read && j < copy->count; j++) {
                if ((uintptr_t)address - (uintptr_t)copy->pieces[j].from < copy->pieces[j].size) {
                    *thread = copy->thread;
                    *caller = copy->caller;
                    return true;
                }
            }
        }
    }
    return false;
}

/* ---- one-dimensional copies ---- */

enum { PIECE_BYTES = 16 };

static struct simt_bulk_copy *one_dimension(const char *name, char *to, const char *from,
                                            unsigned int bytes, const void *caller,
                                            const char *file, int line)
{
    struct simt_bulk_copy *copy = simt_bulk_new(name, bytes / PIECE_BYTES, caller, file, line);
    if (bytes % PIECE_BYTES != 0 || bytes == 0) {
        refuse(copy, "copies a number of bytes that is not a multiple of 16");
    }
    if ((uintptr_t)to % PIECE_BYTES != 0 || (uintptr_t)from % PIECE_BYTES != 0) {
        refuse(copy, "has an address that is not a multiple of 16");
    }
    for (size_t i = 0; i < copy->count; i++) {
        copy->pieces[i] = (struct simt_bulk_piece){to + i * PIECE_BYTES, from + i * PIECE_BYTES,
                                                   PIECE_BYTES, false};
    }
    return copy;
}

/* From shared memory to shared memory. On a GPU this is an illegal instruction. */
static struct simt_bulk_copy *in_cluster(struct simt_bulk_copy *copy)
{
    if (!simt_cluster_is_explicit()) {
        refuse(copy, "is for the shared memory of a cluster, and the kernel runs in none\n"
                     "  hint: clusters of one block will do: __cluster_dims__, or the launch's "
                     "attribute.");
    }
    return copy;
}

void simt_bulk_load(void *to, const void *from, unsigned int bytes, void *barrier,
                    unsigned int ranks, const char *file, int line)
{
    const void *caller = __builtin_return_address(0);
    for (unsigned int rank = 0; rank < 32; rank++) {
        if (ranks ? ranks >> rank & 1 : rank == 0) {
            void *there = ranks ? simt_cluster_map(to, rank) : to;
            void *of = ranks ? simt_cluster_map(barrier, rank) : barrier;
            struct simt_bulk_copy *copy =
                one_dimension("cp.async.bulk", there, from, bytes, caller, file, line);
            simt_bulk_start_load(simt_in_shared(from) ? in_cluster(copy) : copy,
                                 simt_mbarrier_at(of, "complete_tx", caller, file, line));
        }
    }
}

void simt_bulk_store(void *to, const void *from, unsigned int bytes, const char *file, int line)
{
    simt_bulk_start_store(
        one_dimension("cp.async.bulk", to, from, bytes, __builtin_return_address(0), file, line));
}

void simt_bulk_reduce(void *to, const void *from, unsigned int bytes, void *barrier,
                      enum simt_atomic operation, unsigned int type, const char *file, int line)
{
    const void *caller = __builtin_return_address(0);
    struct simt_bulk_copy *copy =
        one_dimension("cp.reduce.async.bulk", to, from, bytes, caller, file, line);
    copy->way = SIMT_BULK_REDUCES;
    copy->operation = operation;
    copy->type = type;
    if (barrier) {
        simt_bulk_start_load(in_cluster(copy),
                             simt_mbarrier_at(barrier, "complete_tx", caller, file, line));
    } else {
        simt_bulk_start_store(copy);
    }
}

/* ---- copies of registers ---- */

/* The value is stored after the copy's only piece. */
void simt_store_async(void *to, const void *value, unsigned int bytes, void *barrier,
                      const char *file, int line)
{
    const void *caller = __builtin_return_address(0);
    struct simt_bulk_copy *copy = simt_bulk_new("st.async", 2, caller, file, line);
    char *const kept = (char *)&copy->pieces[1];
    copy->count = 1;
    copy->way = SIMT_BULK_STORES;
    if ((uintptr_t)to % bytes != 0) {
        refuse(copy, "has an address that is not a multiple of its size");
    }
    memcpy(kept, value, bytes);
    copy->pieces[0] = (struct simt_bulk_piece){to, kept, bytes, false};
    simt_bulk_start_load(copy, simt_mbarrier_at(barrier, "complete_tx", caller, file, line));
}

/* ---- cp.async.mbarrier.arrive ---- */

/* Makes the thread's cp.async copies so far, then arrives. A GPU arrives when they have ended. The
 * barrier ensures that no other thread sees them earlier. */
void simt_copy_arrive(void *barrier, bool counted, const char *file, int line)
{
    simt_pipeline_drain(&simt_current->pipeline, SIZE_MAX);
    if (!counted) {
        simt_mbarrier_expect_arrival(barrier, file, line);
    }
    simt_mbarrier_arrive(barrier, 1, 0, 0, file, line);
}
/* SPDX-License-Identifier: MIT */
