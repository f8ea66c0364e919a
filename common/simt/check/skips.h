/* Barriers that some threads of a block go round: __syncthreads() in a branch that others do not
 * take. If these return without another barrier, the ones that wait go on; but CUDA promises that
 * only where all threads of the block take the branch, or have returned.
 *
 * A thread that has returned early is another matter. It has left the way to the barrier for the
 * kernel's end; who goes round it has come, from before the barrier, to what those who have waited
 * there come to as well. So the ways of the threads that exit are kept, since their last barrier;
 * and the flow of control (order.c) tells, when the launch is over, what is before a barrier and
 * what is after it. */
#ifndef SIMT_SKIPS_H
#define SIMT_SKIPS_H

#include <stdint.h>

#include "cuda/simt.h"
#include "observe/event.h"
#include "observe/part.h"

enum { SIMT_MOST_WAYS = 256 };
/* The ways by which threads of the running block have left it. */
struct simt_ways {
    uint64_t set[SIMT_MOST_WAYS / 64];
};
extern struct simt_ways simt_skips_gone;

void simt_skips_start_launch(const struct simt_launch *launch);
void simt_skips_start_block(void);
/* The running thread, with these events since its last barrier, exits. */
void simt_skips_exit(const struct simt_event *begin, const struct simt_event *end);
/* The same; it comes to a barrier, the first of its block. */
void simt_skips_arrive(const struct simt_event *begin, const struct simt_event *end,
                       const void *caller, const char *file, int line);
/* Those that have not exited have all come to it. */
void simt_skips_complete(const char *file, int line);
/* A thread has returned behind a loop in which others wait. */
void simt_skips_went_less(unsigned int thread, const char *loop_file, int loop_line, bool in_branch,
                          const char *file, int line);
/* Of blocks that another process runs: see struct simt_observer. */
void simt_skips_part_may_begin(void);
void simt_skips_part_begins(void);
void simt_skips_part_ends(struct simt_part *part);
void simt_skips_part_take(struct simt_part *part);
/* Adds what was found. */
void simt_skips_end_launch(void);

/* The ways of the launch that has just ended, or NULL; and a launch that goes them again. */
struct simt_skips *simt_skips_keep(void);
void simt_skips_repeat(const struct simt_launch *launch, const struct simt_skips *kept);
void simt_skips_drop(struct simt_skips *kept);

#endif
/* SPDX-License-Identifier: MIT */
