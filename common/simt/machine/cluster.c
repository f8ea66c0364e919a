/* Clusters: their blocks, the cluster barrier, and access to the shared memory of other blocks.
 *
 * Blocks take turns. The running block has its shared memory at the one address that kernels know.
 * The shared memory of the others is in places of their own, one per rank, with the same layout. So
 * a pointer into another block's shared memory is a plain pointer. A cluster ends before the next
 * one begins. */
#include "machine/cluster.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit.h"
#include "machine/fibers.h"
#include "machine/ptx.h"
#include "machine/reports.h"
#include "machine/shared.h"
#include "machine/turns.h"
#include "observe/observer.h"
#include "program/layout.h"

enum { PAGE = 4096, RANK_SHIFT = 24 /* in an address of shared::cluster, plus 1 */ };

static struct {
    struct uint3 dimensions;
    unsigned int size;
    bool is_explicit;
    /* The running cluster. */
    struct simt_block *blocks[SIMT_MOST_CLUSTER];
    bool ended[SIMT_MOST_CLUSTER];
    size_t taken; /* the real number of the launch's first block; 0 replaces it */
    /* Its barrier. A cluster of one block uses a barrier in that block. */
    struct simt_split_barrier barrier;
} cluster = {.size = 1};

static struct simt_split_barrier grid_barrier;
static size_t left_grid; /* threads returned since a first arrival at a barrier */

static char *places; /* one per rank: dynamic shared memory, then static */

/* ---- the blocks of a cluster ---- */

void simt_cluster_start_launch(struct uint3 dimensions)
{
    struct uint3 grid = simt_grid.launch->grid;
    char reason[128];
    cluster.dimensions = dimensions;
    cluster.size = dimensions.x * dimensions.y * dimensions.z;
    cluster.taken = 0;
    left_grid = 0;
    grid_barrier = (struct simt_split_barrier){0};
    cluster.is_explicit = cluster.size > 0;
    if (cluster.size == 0) {
        cluster.dimensions = (struct uint3){1, 1, 1};
        cluster.size = 1;
    } else if (grid.x % dimensions.x || grid.y % dimensions.y || grid.z % dimensions.z ||
               cluster.size > SIMT_MOST_CLUSTER) {
        if (cluster.size > SIMT_MOST_CLUSTER) {
            snprintf(reason, sizeof reason, "clusters of %u x %u x %u blocks, more than %d",
                     dimensions.x, dimensions.y, dimensions.z, SIMT_MOST_CLUSTER);
        } else {
            snprintf(
                reason, sizeof reason,
                "clusters of %u x %u x %u blocks, which do not divide the grid of %u x %u x %u",
                dimensions.x, dimensions.y, dimensions.z, grid.x, grid.y, grid.z);
        }
        cluster.size = 1;
        simt_abandon_launch(cudaErrorInvalidValue, reason);
    }
    if (cluster.size > 1 && !places) {
        const size_t bytes = SIMT_MOST_CLUSTER * simt_cluster_place_bytes();
        places = simt_reserve(bytes);
        simt_allow(places, bytes);
    }
}

/* A kernel with __cluster_dims__ begins. Its first running thread calls this. Its block was to be
 * the launch's first block, or the one that a shuffled order put first. */
void simt_cluster_dims(unsigned int x, unsigned int y, unsigned int z)
{
    cluster.is_explicit = true;
    if (simt_grid.started == 1 && cluster.size == 1 && x * y * z > 1 && simt_grid.done == 0) {
        simt_cluster_start_launch((struct uint3){x, y, z});
        cluster.taken = simt_block->number;
        simt_block->index = (struct uint3){0, 0, 0};
        simt_grid.ends = 0; /* clusters run one after the other */
        simt_cluster_start_block(0);
        if (simt_watcher.is_first) {
            simt_watcher.is_first(simt_grid.threads);
        }
    }
}

bool simt_cluster_is_explicit(void)
{
    return cluster.is_explicit;
}

unsigned int simt_cluster_size(void)
{
    return cluster.size;
}

bool simt_cluster_begins(size_t number)
{
    return number % cluster.size == 0;
}

static struct uint3 part_of(size_t number, struct uint3 whole)
{
    const size_t row = whole.x, plane = row * whole.y;
    return (struct uint3){(unsigned int)(number % row), (unsigned int)(number % plane / row),
                          (unsigned int)(number / plane)};
}

struct uint3 simt_cluster_index_of(size_t number)
{
    const struct uint3 size = cluster.dimensions, grid = simt_grid.launch->grid;
    const struct uint3 clusters = {grid.x / size.x, grid.y / size.y, grid.z / size.z};
    const struct uint3 first = part_of(number / cluster.size, clusters);
    const struct uint3 mine = part_of(number % cluster.size, size);
    return (struct uint3){first.x * size.x + mine.x, first.y * size.y + mine.y,
                          first.z * size.z + mine.z};
}

static void forget_barrier(struct simt_split_barrier *barrier)
{
    if (simt_tracing && barrier->arriving) {
        simt_observer.forget_clock(&barrier->arriving);
    }
    if (simt_tracing && barrier->completed) {
        simt_observer.forget_clock(&barrier->completed);
    }
    *barrier = (struct simt_split_barrier){0};
}

size_t simt_cluster_start_block(size_t number)
{
    struct simt_block *block = simt_block;
    block->rank = (unsigned int)(number % cluster.size);
    forget_barrier(&block->alone);
    forget_barrier(&block->split);
    if (block->rank == 0) {
        forget_barrier(&cluster.barrier);
        memset(cluster.blocks, 0, sizeof cluster.blocks);
        memset(cluster.ended, 0, sizeof cluster.ended);
    }
    for (unsigned int i = 0; i < simt_grid.threads; i++) {
        memset(block->threads[i].has_arrived, 0, sizeof block->threads[i].has_arrived);
    }
    cluster.blocks[block->rank] = block;
    return cluster.size > 1 && number == cluster.taken ? 0 : number;
}

/* Clocks must end with their launch, because the next launch's clocks may have more levels. */
void simt_cluster_block_ended(void)
{
    bool all_ended = true;
    forget_barrier(&simt_block->alone);
    forget_barrier(&simt_block->split);
    if (simt_grid.done + 1 == simt_grid.blocks) {
        forget_barrier(&grid_barrier);
    }
    if (cluster.size > 1) {
        cluster.blocks[simt_block->rank] = NULL;
        cluster.ended[simt_block->rank] = true;
    }
    for (unsigned int rank = 0; rank < cluster.size; rank++) {
        all_ended = all_ended && (cluster.size == 1 || cluster.ended[rank]);
    }
    if (all_ended) {
        forget_barrier(&cluster.barrier);
    }
}

struct simt_block *simt_cluster_block(unsigned int rank, const char **state)
{
    if (rank >= cluster.size) {
        *state = "does not exist";
        return NULL;
    }
    *state = cluster.ended[rank]    ? "has returned"
             : cluster.blocks[rank] ? "runs"
                                    : "has not started: cluster.sync() comes before";
    return cluster.size == 1 ? simt_block : cluster.blocks[rank];
}

/* ---- split barriers: threads arrive first and wait later ---- */

static struct simt_split_barrier *barrier_of(enum simt_split of)
{
    return of == SIMT_SPLIT_BLOCK  ? &simt_block->split
           : of == SIMT_SPLIT_GRID ? &grid_barrier
           : cluster.size == 1     ? &simt_block->alone
                                   : &cluster.barrier;
}

/* The number of threads that have not returned. */
static size_t alive(enum simt_split of)
{
    size_t count = 0;
    if (of == SIMT_SPLIT_GRID) {
        return simt_grid.blocks * simt_grid.threads - left_grid;
    }
    if (of == SIMT_SPLIT_BLOCK || cluster.size == 1) {
        return simt_block->alive;
    }
    for (unsigned int i = 0; i < cluster.size; i++) {
        count += cluster.ended[i]    ? 0
                 : cluster.blocks[i] ? cluster.blocks[i]->alive
                                     : simt_grid.threads;
    }
    return count;
}

static void complete_if_all_came(enum simt_split of)
{
    struct simt_split_barrier *barrier = barrier_of(of);
    if (barrier->arrived > 0 && barrier->arrived == alive(of)) {
        if (of == SIMT_SPLIT_CLUSTER && cluster.size > 1 && simt_watcher.cluster_meets) {
            simt_watcher.cluster_meets(barrier->phase);
        }
        barrier->phase++;
        barrier->arrived = 0;
        if (barrier->arriving) {
            simt_observer.join_clock(&barrier->completed, &barrier->arriving);
        }
        simt_note_progress();
    }
}

__attribute__((noreturn)) static void refuse(const char *what, const char *wrong,
                                             const void *caller, const char *file, int line)
{
    simt_report_place();
    fprintf(stderr, ": %s at %s:%d", what, file, line);
    simt_report_caller(caller);
    fprintf(stderr, ": %s\n", wrong);
    simt_exit();
}

static void arrive(enum simt_split of, bool relaxed, const void *caller, const char *file, int line)
{
    static const char *const names[] = {"barrier.cluster.arrive", "thread_block::barrier_arrive()",
                                        "grid_group::barrier_arrive()"};
    struct simt_split_barrier *barrier = barrier_of(of);
    if (simt_current->has_arrived[of]) {
        refuse(names[of], "the thread has arrived before, and has not waited", caller, file, line);
    }
    if (of == SIMT_SPLIT_GRID && !simt_grid.launch->cooperative) {
        refuse(names[of], "the launch is not cooperative: use cudaLaunchCooperativeKernel()",
               caller, file, line);
    }
    if (simt_tracing && !relaxed) {
        simt_observer.release(&barrier->arriving);
    }
    simt_ends_matter = true;
    simt_current->has_arrived[of] = true;
    simt_current->arrived_in[of] = barrier->phase;
    barrier->arrived++;
    simt_note_progress();
    complete_if_all_came(of);
    if (simt_watched && of == SIMT_SPLIT_CLUSTER) {
        simt_watcher.deed(DEED_CLUSTER_ARRIVE, caller, simt_current->arrived_in[of],
                          barrier->phase != simt_current->arrived_in[of]);
    }
}

static void wait(enum simt_split of, const void *caller, const char *file, int line)
{
    static const char *const names[] = {"barrier.cluster.wait", "thread_block::barrier_wait()",
                                        "grid_group::barrier_wait()"};
    struct simt_split_barrier *barrier = barrier_of(of);
    if (!simt_current->has_arrived[of]) {
        refuse(names[of], "the thread has not arrived before", caller, file, line);
    }
    if (simt_watched && of == SIMT_SPLIT_CLUSTER) {
        simt_watcher.deed(DEED_CLUSTER_WAIT, caller, simt_current->arrived_in[of],
                          barrier->phase != simt_current->arrived_in[of]);
    }
    while (barrier->phase == simt_current->arrived_in[of]) {
        simt_yield(file, line);
    }
    simt_current->has_arrived[of] = false;
    if (simt_tracing && barrier->completed) {
        simt_observer.acquire(simt_linear(simt_current), barrier->completed);
    }
}

#define CALLER __builtin_return_address(0)

void simt_cluster_arrive(bool relaxed, const char *file, int line)
{
    arrive(SIMT_SPLIT_CLUSTER, relaxed, CALLER, file, line);
}

void simt_cluster_wait(const char *file, int line)
{
    wait(SIMT_SPLIT_CLUSTER, CALLER, file, line);
}

void simt_split_arrive(enum simt_split of, const char *file, int line)
{
    arrive(of, false, CALLER, file, line);
}

void simt_split_wait(enum simt_split of, const char *file, int line)
{
    wait(of, CALLER, file, line);
}

void simt_cluster_thread_exited(void)
{
    left_grid++;
    for (int of = 0; of < SIMT_SPLITS; of++) {
        struct simt_split_barrier *barrier = barrier_of((enum simt_split)of);
        if (simt_current->has_arrived[of] && barrier->phase == simt_current->arrived_in[of]) {
            barrier->arrived--;
        }
        complete_if_all_came((enum simt_split)of);
    }
}

/* ---- queries of kernels ---- */

struct uint3 simt_cluster_dimensions(void)
{
    return cluster.dimensions;
}

struct uint3 simt_cluster_block_index(void)
{
    return part_of(simt_block->rank, cluster.dimensions);
}

unsigned int simt_cluster_rank(void)
{
    return simt_block->rank;
}

/* ---- shared memory ---- */

enum { DYNAMIC_PAGES = (int)((SIMT_MAX_SHARED_BYTES + PAGE - 1) / PAGE) + 2 };

static size_t static_pages(char **first)
{
    size_t bytes;
    char *memory = simt_static_shared(&bytes);
    *first = (char *)((uintptr_t)memory / PAGE * PAGE);
    return bytes ? (size_t)(memory + bytes - *first + PAGE - 1) / PAGE : 0;
}

static char *first_dynamic(void)
{
    return (char *)((uintptr_t)simt_dynamic_shared() / PAGE * PAGE);
}

size_t simt_cluster_place_bytes(void)
{
    char *first;
    return (DYNAMIC_PAGES + static_pages(&first)) * PAGE;
}

char *simt_cluster_place(unsigned int rank, const void *address)
{
    char *place = places + rank * simt_cluster_place_bytes(), *first;
    const size_t pages = static_pages(&first);
    const size_t in_static = (size_t)((const char *)address - first);
    if (!address) {
        return place;
    }
    return in_static < pages * PAGE ? place + DYNAMIC_PAGES * PAGE + in_static
                                    : place + ((const char *)address - first_dynamic());
}

bool simt_cluster_find(const void *address, unsigned int *rank, void **own)
{
    const size_t bytes = simt_cluster_place_bytes();
    const size_t offset = (size_t)((const char *)address - places);
    char *first;
    if (!places || cluster.size == 1 || offset >= SIMT_MOST_CLUSTER * bytes) {
        return false;
    }
    static_pages(&first);
    *rank = (unsigned int)(offset / bytes);
    *own = offset % bytes < DYNAMIC_PAGES * (size_t)PAGE
               ? first_dynamic() + offset % bytes
               : first + (offset % bytes - DYNAMIC_PAGES * (size_t)PAGE);
    return true;
}

__attribute__((noreturn)) static void refuse_map(unsigned int rank, const void *caller)
{
    simt_report_place();
    fprintf(stderr, ": mapa: %s\n",
            rank >= cluster.size ? "the cluster has no block of this rank"
                                 : "the address is none in shared memory");
    if (simt_tracing) {
        simt_observer.tell_place(stderr, caller);
    }
    simt_exit();
}

void *simt_cluster_map(const void *address, unsigned int rank)
{
    unsigned int of;
    void *own = (void *)(uintptr_t)address;
    if (rank >= cluster.size ||
        (!simt_in_shared(address) && !simt_cluster_find(address, &of, &own))) {
        refuse_map(rank, __builtin_return_address(0));
    }
    return rank == simt_block->rank ? own : simt_cluster_place(rank, own);
}

uint64_t simt_cluster_map_offset(uint64_t offset, unsigned int rank)
{
    if (rank >= cluster.size) {
        refuse_map(rank, __builtin_return_address(0));
    }
    return (offset & ((1u << RANK_SHIFT) - 1)) | (uint64_t)(rank + 1) << RANK_SHIFT;
}

unsigned int simt_cluster_rank_of(const void *address)
{
    unsigned int rank;
    void *own;
    return simt_cluster_find(address, &rank, &own) ? rank : simt_block->rank;
}

bool simt_in_cluster(const void *address)
{
    unsigned int rank;
    void *own;
    return simt_in_shared(address) || simt_cluster_find(address, &rank, &own);
}

void *simt_cluster_at(uint64_t offset)
{
    const unsigned int rank = (unsigned int)(offset >> RANK_SHIFT);
    void *own = simt_shared_at(offset & ((1u << RANK_SHIFT) - 1));
    return rank == 0 || rank > cluster.size || rank - 1 == simt_block->rank
               ? own
               : simt_cluster_place(rank - 1, own);
}
/* SPDX-License-Identifier: MIT */
