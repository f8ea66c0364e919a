/* Actions of other blocks of the cluster on a recorded block. They become steps of the recorded
 * block. The acting block itself need not be recorded. */
#include <string.h>

#include "explore/explore.h"
#include "machine/bulk.h"
#include "machine/cluster.h"
#include "program/source.h"

/* The acting block. For a short time explore_block is the block that it acts on. */
static struct explored_block *running;

static bool go_to(const struct simt_block *block)
{
    struct explored_block *there = explore_block_of(block);
    running = explore_block;
    explore_block = there ? there : running;
    return there != NULL;
}

static void come_back(void)
{
    explore_block = running;
}

/* The lanes of a warp arrive one by one. They form one step as long as the phase does not end. */
static bool is_same_step(const struct explored_step *last, const struct simt_mbarrier *barrier,
                         const struct simt_mbarrier_use *use, uint32_t place, unsigned int warp,
                         uint32_t lane)
{
    const int64_t *numbers = &explore_block->offsets[last->numbers];
    return last->kind == EXPLORED_FAR_MBARRIER && last->place == place && last->warp == warp &&
           !(last->lanes & lane) && numbers[0] == (int64_t)use->how &&
           numbers[1] == (int64_t)use->before &&
           numbers[EXPLORED_USE + 1] + (int64_t)explore_block->memory[numbers[EXPLORED_USE]].base ==
               (int64_t)(uintptr_t)barrier->address &&
           numbers[EXPLORED_USE + 2] == (int64_t)simt_block->rank;
}

void explore_far_mbarrier(const struct simt_mbarrier *barrier, const struct simt_mbarrier_use *use,
                          const void *caller)
{
    const uint32_t place = simt_place_of(caller),
                   lane = 1u << simt_recorder.thread % SIMT_WARP_SIZE;
    const unsigned int warp = simt_recorder.thread / SIMT_WARP_SIZE;
    const int64_t numbers[EXPLORED_USE] = {
        use->how,     (int64_t)use->before, (int64_t)use->after,
        use->pending, use->bytes,           (int64_t)use->number};
    struct explored_step *step;
    if (!go_to(barrier->block)) {
        return;
    }
    step = explore_block->count > 0 ? &explore_block->steps[explore_block->count - 1] : NULL;
    if (step && is_same_step(step, barrier, use, place, warp, lane)) {
        step->lanes |= lane;
        memcpy(&explore_block->offsets[step->numbers], numbers, sizeof numbers);
    } else if ((step = explore_add_step(EXPLORED_FAR_MBARRIER, place, warp, lane)) != NULL) {
        for (unsigned int i = 0; i < EXPLORED_USE; i++) {
            explore_add_number(step, numbers[i]);
        }
        explore_add_place(step, barrier->address);
        explore_add_number(step, simt_block->rank);
    }
    come_back();
}

void explore_far_copy(const struct simt_bulk_copy *copy)
{
    struct explored_step *step;
    void *to = copy->pieces[0].to;
    unsigned int rank;
    simt_cluster_find(to, &rank, &to);
    if (!go_to(copy->barrier->block)) {
        return;
    }
    step = explore_add_step(EXPLORED_FAR_BULK, simt_place_of(copy->caller),
                            copy->thread / SIMT_WARP_SIZE, 1u << copy->thread % SIMT_WARP_SIZE);
    if (step) {
        explore_add_number(step, copy->number);
        explore_add_number(step, simt_bulk_bytes(copy));
        explore_add_number(step, false);
        explore_add_number(step, strstr(copy->name, "tensor") != NULL);
        explore_add_place(step, to);
        explore_add_place(step, copy->barrier->address);
        explore_add_number(step, simt_block->rank);
    }
    come_back();
}

void explore_cluster_meets(uint64_t phase)
{
    for (unsigned int rank = 0; rank < simt_cluster_size(); rank++) {
        const char *state;
        const struct simt_block *block = simt_cluster_block(rank, &state);
        if (block && block != simt_block && go_to(block)) {
            struct explored_step *step = explore_add_step(EXPLORED_CLUSTER, 0, 0, 0);
            if (step) {
                explore_add_number(step, (int64_t)phase);
            }
            come_back();
        }
    }
}
/* SPDX-License-Identifier: MIT */
