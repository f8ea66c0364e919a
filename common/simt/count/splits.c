#include "count/splits.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/need.h"
#include "count/branch.h"
#include "cuda/simt.h"
#include "model/sites.h"

/* Lanes that reached the end of a basic block together, until all of them have entered another. */
struct crossing {
    uint32_t lanes, next_place;
    unsigned int next_depth; /* call depth: the deepest of those entered */
    bool split;
    struct simt_trail trail;
};

/* At most one per lane, and one more while lanes move. */
static struct simt_splits {
    struct crossing crossings[SIMT_MAX_BLOCK_THREADS / SIMT_WARP_SIZE][SIMT_WARP_SIZE + 1];
    unsigned char crossing_of[SIMT_MAX_BLOCK_THREADS]; /* SIMT_WARP_SIZE + 1: none */
} splits;

void simt_splits_enter(unsigned int warp, uint32_t lanes, unsigned int depth, uint32_t place)
{
    struct simt_trail trail = {.depth = 0};
    struct crossing *of_warp = splits.crossings[warp];
    unsigned char *at = &splits.crossing_of[warp * SIMT_WARP_SIZE];
    unsigned int slot = at[simt_lowest(lanes)];
    if (slot > SIMT_WARP_SIZE || of_warp[slot].lanes != lanes || of_warp[slot].next_place) {
        for (uint32_t set = lanes, together; set; set &= ~together) {
            struct crossing *from = &of_warp[at[simt_lowest(set)]];
            if (at[simt_lowest(set)] > SIMT_WARP_SIZE) {
                together = 1u << simt_lowest(set);
                continue;
            }
            trail = from->trail;
            from->next_depth = from->next_depth > depth ? from->next_depth : depth;
            if (!from->next_place) {
                from->next_place = place;
            } else if (from->next_place != place && !from->split) {
                const uint32_t branch = simt_trail_branch(&from->trail, from->next_depth);
                const unsigned int number = simt_site_number(branch); /* may move sites */
                from->split = true;
                simt_site(number)->counters.splits++;
            }
            together = from->lanes; /* all lanes in this slot */
            from->lanes &= ~lanes;
        }
        for (slot = 0; of_warp[slot].lanes; slot++) {
        }
        for (uint32_t set = lanes; set; set &= set - 1) {
            at[simt_lowest(set)] = (unsigned char)slot;
        }
        of_warp[slot] = (struct crossing){.lanes = lanes, .trail = trail};
    }
    simt_trail_enter(&of_warp[slot].trail, depth, place);
}

void simt_splits_start_block(unsigned int warps)
{
    memset(splits.crossings, 0, warps * sizeof *splits.crossings);
    memset(splits.crossing_of, SIMT_WARP_SIZE + 1, (size_t)warps * SIMT_WARP_SIZE);
}

struct simt_splits *simt_splits_suspend(void)
{
    struct simt_splits *kept = simt_needed(malloc(sizeof *kept), "the analysis");
    *kept = splits;
    return kept;
}

void simt_splits_resume(struct simt_splits *kept)
{
    splits = *kept;
    free(kept);
}
/* SPDX-License-Identifier: MIT */
