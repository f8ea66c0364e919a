/* Vector clocks over all blocks of a launch: of each thread, before which of its tags all that it
 * did is known to have happened. They are sparse, since most threads are known by a barrier of
 * their block or not at all, and they share what they have in common: a tree with 16 children a
 * node, whose leaves are blocks. A clock never changes; NULL is the one that knows nothing. */
#ifndef SIMT_CLOCKS_H
#define SIMT_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simt_clock;

/* A thread of a block: what it did before this tag. */
struct simt_moment {
    uint32_t thread, before;
};
/* What is known of a block: what any of its threads did before `floor`, and these did before some
 * later tag; they are in ascending order. */
struct simt_block_past {
    uint32_t references, floor, count;
    size_t block;
    struct simt_block_past *next, *previous; /* of all that there are */
    struct simt_moment moments[];
};

/* Before the first clock of a launch; there must be none left. */
void simt_clocks_start(size_t blocks);
struct simt_clock *simt_clock_of(size_t block, uint32_t floor, const struct simt_moment *moments,
                                 size_t count);
/* Those that return a clock return a new reference, which is to be dropped. */
struct simt_clock *simt_clock_keep(struct simt_clock *clock);
void simt_clock_drop(struct simt_clock *clock);
struct simt_clock *simt_clock_join(struct simt_clock *a, struct simt_clock *b);
/* *clock becomes the join of the two. */
void simt_clock_add(struct simt_clock **clock, struct simt_clock *more);
void simt_clock_clear(struct simt_clock **clock);
/* What it knows of a block, or NULL. */
const struct simt_block_past *simt_clock_find(const struct simt_clock *clock, size_t block);
bool simt_past_covers(const struct simt_block_past *past, unsigned int thread, uint32_t tag);
/* The first of all pasts there are, whose tags may be changed as long as their order stays. */
struct simt_block_past *simt_clocks_pasts(void);

#endif
/* SPDX-License-Identifier: MIT */
