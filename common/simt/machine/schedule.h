/* The order in which threads, warps and blocks run: SIMT_SCHEDULE. */
#ifndef SIMT_SCHEDULE_H
#define SIMT_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

/* SIMT_SCHEDULE is set: a seed decides the order of threads, warps and blocks. */
extern bool simt_shuffled;
void simt_schedule_start_launch(void);
/* Chooses from a set that is not empty. */
unsigned int simt_schedule_lane(unsigned int set);
unsigned int simt_schedule_below(unsigned int count);
/* The block that runs as the `turn`-th of `count`. */
size_t simt_schedule_block(size_t turn, size_t count);

#endif
/* SPDX-License-Identifier: MIT */
