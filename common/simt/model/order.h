/* Which of a warp's lanes goes first when they have parted. */
#ifndef SIMT_ORDER_H
#define SIMT_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "observe/event.h"

/* Events are nodes in the program's control flow; 0 is none. This is the thread's next event: sets
 * its node, and returns the node before it in the same call. */
unsigned int simt_order_observe(unsigned int thread, const struct simt_event *event,
                                unsigned int *node);
/* These lanes of a warp have done the same as lane `from`. */
void simt_order_copy(unsigned int warp, unsigned int lanes, unsigned int from);
/* Whether the relevant past of two threads is the same. */
bool simt_order_same(unsigned int a, unsigned int b);
/* For the next ranking: a lane that has reached node `from` may reach node `to`. */
void simt_order_assume(unsigned int from, unsigned int to);
/* Ranks the nodes again if anything was learnt. */
void simt_order_rank(void);
/* Among lanes at the same call depth, the lane with the least value goes first. `before`: the node
 * before. */
unsigned int simt_order_of(unsigned int before, unsigned int node);
/* The past of a thread: the last node of each call that it is in, from 0 up to `level`. It is all 0
 * for a thread that has not started. */
enum { SIMT_LEVELS = 12 };
struct simt_past {
    unsigned int level, node[SIMT_LEVELS];
};
/* `one_past`: all lanes have the past of the first one. */
void simt_order_get_past(unsigned int warp, bool one_past, struct simt_past *lanes);
void simt_order_set_past(unsigned int warp, const struct simt_past *lanes);
/* Saves or restores the pasts of `count` threads of a block. */
void simt_order_keep(struct simt_past *threads, unsigned int count, bool restore);
/* Whether a thread with these events (keys without the depth) went around the event `past`: from a
 * node that leads to it to a node that follows it. `at`: the event that shows it. */
bool simt_order_goes_round(uint64_t past, const uint64_t *keys, size_t count, size_t *at);
/* A number that changes whenever nodes or edges become known. */
unsigned int simt_order_version(void);

#endif
/* SPDX-License-Identifier: MIT */
