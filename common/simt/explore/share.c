/* Divides the room of a page among the blocks. */
#include "explore/explore.h"

/* Steps kept after the last barrier of a block that did not finish. The block got stuck there,
 * perhaps in a very long loop. */
enum { STEPS_BEHIND = 2000 };
/* The approximate size of a block without its steps. */
enum { BLOCK_BYTES = 300 };

/* Cuts a block to at most `most` bytes, if possible right after a barrier. If no barrier fits, cuts
 * after a whole warp. If not even one warp fits, keeps the first steps. */
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

/* The size of all blocks if each takes `most` bytes at most. */
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

/* Whether the page has room for the first `most` blocks of each launch, uncut. */
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

/* Keeps the first blocks of each launch, and the block in which a report was made. */
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
