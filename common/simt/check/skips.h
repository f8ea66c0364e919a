/* Barriers that some threads of a block go around: __syncthreads() in a branch that others do not
 * take. If those return without another barrier, the waiting threads continue. But CUDA guarantees
 * that only if all threads of the block take the branch, or have returned.
 *
 * A thread that has returned early is different: it left the path to the barrier for the kernel's
 * end. A thread that goes around the barrier reaches, from before it, the same code as threads that
 * waited there. So the paths ("ways") of exiting threads since their last barrier are stored. When
 * the launch is over, the control flow (order.c) shows what comes before and after a barrier. */
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
/* The running thread exits, with these events since its last barrier. */
void simt_skips_exit(const struct simt_event *begin, const struct simt_event *end);
/* The same; it arrives at a barrier, as the first of its block. */
void simt_skips_arrive(const struct simt_event *begin, const struct simt_event *end,
                       const void *caller, const char *file, int line);
/* All threads that have not exited have arrived at it. */
void simt_skips_complete(const char *file, int line);
/* A thread has returned after a loop in which others wait. */
void simt_skips_went_less(unsigned int thread, const char *loop_file, int loop_line, bool in_branch,
                          const char *file, int line);
/* For blocks that another process runs: see struct simt_observer. */
void simt_skips_part_may_begin(void);
void simt_skips_part_begins(void);
void simt_skips_part_ends(struct simt_part *part);
void simt_skips_part_take(struct simt_part *part);
/* Adds the findings of the launch. */
void simt_skips_end_launch(void);

/* The ways of the launch that has just ended, or NULL; and a launch that repeats them. */
struct simt_skips *simt_skips_keep(void);
void simt_skips_repeat(const struct simt_launch *launch, const struct simt_skips *kept);
void simt_skips_drop(struct simt_skips *kept);

#endif
/* SPDX-License-Identifier: MIT */
