/* Vector clocks over all blocks of a launch: per thread, the tag before which all its actions are
 * known to have happened. They are sparse, because most threads are known through a barrier of
 * their block, or not at all. Clocks share equal parts: each is a tree with 16 children per node
 * and blocks as leaves. A clock never changes; NULL knows nothing. */
#ifndef SIMT_CLOCKS_H
#define SIMT_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simt_clock;

/* For a thread of a block: the clock knows its actions before this tag. */
struct simt_moment {
    uint32_t thread, before;
};
/* What is known of a block: all actions before `floor`; and for some threads, in ascending order,
 * those before a later tag. */
struct simt_block_past {
    uint32_t references, floor, count;
    size_t block;
    struct simt_block_past *next, *previous; /* list of all pasts */
    struct simt_moment moments[];
};

/* Call it before the first clock of a launch. No clock may be left. */
void simt_clocks_start(size_t blocks);
struct simt_clock *simt_clock_of(size_t block, uint32_t floor, const struct simt_moment *moments,
                                 size_t count);
/* The functions that return a clock return a new reference, which the caller must drop. */
struct simt_clock *simt_clock_keep(struct simt_clock *clock);
void simt_clock_drop(struct simt_clock *clock);
struct simt_clock *simt_clock_join(struct simt_clock *a, struct simt_clock *b);
/* *clock becomes the join of the two. */
void simt_clock_add(struct simt_clock **clock, struct simt_clock *more);
void simt_clock_clear(struct simt_clock **clock);
/* The clock's knowledge of a block, or NULL. */
const struct simt_block_past *simt_clock_find(const struct simt_clock *clock, size_t block);
bool simt_past_covers(const struct simt_block_past *past, unsigned int thread, uint32_t tag);
/* The first of all pasts. Their tags may be changed if their order stays. */
struct simt_block_past *simt_clocks_pasts(void);

#endif
/* SPDX-License-Identifier: MIT */
