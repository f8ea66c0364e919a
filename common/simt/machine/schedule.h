/* In what order threads, warps and blocks run: SIMT_SCHEDULE. */
#ifndef SIMT_SCHEDULE_H
#define SIMT_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>

/* SIMT_SCHEDULE was given: threads, warps and blocks run in an order that a number decides. */
extern bool simt_shuffled;
void simt_schedule_start_launch(void);
/* One of a set that is not empty. */
unsigned int simt_schedule_lane(unsigned int set);
unsigned int simt_schedule_below(unsigned int count);
/* The block that is `turn`-th of `count`. */
size_t simt_schedule_block(size_t turn, size_t count);

#endif
/* SPDX-License-Identifier: MIT */
