/* The blocks of a launch. */
#ifndef SIMT_BLOCKS_H
#define SIMT_BLOCKS_H

#include "machine/machine.h"

void simt_number_threads(struct simt_block *block);
/* The next one that has yet to start does, in simt_block. */
void simt_start_block(void);
/* Of the launch that is about to start, the blocks at the ends of the grid come first, and those in
 * the middle: the first, last and middle one in each dimension, 27 at most. */
void simt_ends_first(void);
/* The block that ran is done or, if simt_block is NULL, suspended: goes on with another. False if
 * there is none left. */
bool simt_next_block(void);
/* Whether the running one may give way to others, and that it does. */
bool simt_can_wait_for_blocks(void);
void simt_suspend_block(void);
/* All threads of the block that have not exited have come to a grid barrier. */
void simt_leave_for_grid(void);
/* The launch is over. */
void simt_forget_blocks(void);

/* barrier.c: all that have not exited have come to the barrier; it lets them go. */
void simt_complete_barrier(void);
void simt_release_barrier(void);
/* The thread returns; and a launch starts, whose loops have numbers of their own. */
void simt_note_left(const struct simt_thread *thread);
void simt_forget_loops(void);
/* collectives.c: completes the collective that a waiting thread takes part in, if all of its lanes
 * are there that have not exited. */
void simt_try_collective(const struct simt_thread *thread);

#endif
/* SPDX-License-Identifier: MIT */
