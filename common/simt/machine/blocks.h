/* The blocks of a launch. */
#ifndef SIMT_BLOCKS_H
#define SIMT_BLOCKS_H

#include "machine/machine.h"

void simt_number_threads(struct simt_block *block);
/* Starts the next block, in simt_block. */
void simt_start_block(void);
/* In the next launch, the blocks at the ends and in the middle of the grid run first: the first,
 * last and middle one in each dimension, at most 27. */
void simt_ends_first(void);
/* The running block has ended or, if simt_block is NULL, is suspended: runs another one. False if
 * there is none left. */
bool simt_next_block(void);
/* Whether the running block may be suspended for others; and suspends it. */
bool simt_can_wait_for_blocks(void);
void simt_suspend_block(void);
/* All threads of the block that have not exited have arrived at a grid barrier. */
void simt_leave_for_grid(void);
/* The launch is over. */
void simt_forget_blocks(void);

/* barrier.c: all threads that have not exited have arrived at the barrier; releases them. */
void simt_complete_barrier(void);
void simt_release_barrier(void);
/* The thread returns; a launch starts, which numbers its own loops. */
void simt_note_left(const struct simt_thread *thread);
void simt_forget_loops(void);
/* collectives.c: completes the collective of a waiting thread if all its lanes that have not exited
 * have arrived. */
void simt_try_collective(const struct simt_thread *thread);

#endif
/* SPDX-License-Identifier: MIT */
