/* The room of a page, and who gets how much of it. */
#include "explore/explore.h"

/* Of a block that has not come to its end, steps are kept behind the last barrier: there it got
 * stuck, perhaps in a loop of very many. */
enum { STEPS_BEHIND = 2000 };
/* What a block takes besides its steps, about. */
enum { BLOCK_BYTES = 300 };

/* Keeps of a block what takes so many bytes: the steps up to a barrier; if there is none, those of
 * whole warps; if not even one warp has room, its first steps. */
static void cut_block(struct explored_block *cut, size_t most, bool ended)
{
    size_t fits = 0, bytes = 0, kept;
    unsigned int warp = 0;
    for (; fits < cut->count && bytes + cut->steps[fits].bytes <= most; fits++) {
        bytes += cut->steps[fits].bytes;
    }
    if (!cut->full && fits == cut->count) {
        return;
    }
    for (kept = fits; kept > 0 && cut->steps[kept - 1].kind != EXPLORED_BARRIER; kept--) {
    }
    if (kept == 0 && fits > 0) {
        warp = cut->steps[fits - 1].warp;
        for (kept = fits; kept > 0 && cut->steps[kept - 1].warp == warp; kept--) {
        }
    }
    cut->count = kept ? kept : fits;
    cut->full = true;
    cut->kept_barriers = 0;
    for (size_t i = 0; i < cut->count; i++) {
        cut->kept_barriers += cut->steps[i].kind == EXPLORED_BARRIER;
    }
    if (!ended && cut->kept_barriers == cut->barriers) {
        cut->count = fits < cut->count + STEPS_BEHIND ? fits : cut->count + STEPS_BEHIND;
    }
}

/* What all blocks take if each takes at most so many bytes. */
static size_t bytes_with(size_t most)
{
    size_t sum = 0;
    for (size_t i = 0; i < explored_launch_count; i++) {
        for (size_t j = 0; j < explored_launches[i].block_count; j++) {
            size_t bytes = explored_launches[i].blocks[j]->bytes;
            sum += bytes < most ? bytes : most;
        }
    }
    return sum;
}

/* Whether the page has room for so many whole blocks of each launch. */
static bool has_room(size_t most)
{
    size_t bytes = 0, blocks = 0;
    for (size_t i = 0; i < explored_launch_count; i++) {
        const struct explored_launch *launch = &explored_launches[i];
        for (size_t j = 0; j < launch->block_count && j < most; j++) {
            bytes += launch->blocks[j]->bytes + BLOCK_BYTES;
            blocks++;
        }
    }
    return bytes <= EXPLORE_PAGE_BYTES && blocks <= EXPLORE_MOST_BLOCKS;
}

/* Of launches with many blocks the first are kept, and the one in which a report came. */
static void leave_out_blocks(void)
{
    size_t most = 1, most_of_any = 1;
    for (size_t i = 0; i < explored_launch_count; i++) {
        size_t count = explored_launches[i].block_count;
        most_of_any = count > most_of_any ? count : most_of_any;
    }
    while (most < most_of_any && has_room(most + 1)) {
        most++;
    }
    for (size_t i = 0; i < explored_launch_count; i++) {
        struct explored_launch *launch = &explored_launches[i];
        if (launch->block_count > most) {
            const size_t last = launch->stopped ? launch->block_count - 1 : most - 1;
            struct explored_block *kept = launch->blocks[last];
            launch->blocks[last] = launch->blocks[most - 1];
            launch->blocks[most - 1] = kept;
            launch->not_kept += launch->block_count - most;
            launch->block_count = most;
        }
    }
}

void explore_share_page(void)
{
    size_t low = 0, high = EXPLORE_BLOCK_BYTES;
    leave_out_blocks();
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (bytes_with(middle) <= EXPLORE_PAGE_BYTES) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    for (size_t i = 0; i < explored_launch_count; i++) {
        for (size_t j = 0; j < explored_launches[i].block_count; j++) {
            cut_block(explored_launches[i].blocks[j], low, explored_launches[i].ended);
        }
    }
}
/* SPDX-License-Identifier: MIT */
