/* Which of a warp's lanes goes first when they have parted. */
#ifndef SIMT_ORDER_H
#define SIMT_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "observe/event.h"

/* Events are nodes in the program's flow of control; 0 is none. The thread's next event is this
 * one: gives its node, and returns that of the one before in the same call. */
unsigned int simt_order_observe(unsigned int thread, const struct simt_event *event,
                                unsigned int *node);
/* These lanes of a warp have done what another one did. */
void simt_order_copy(unsigned int warp, unsigned int lanes, unsigned int from);
/* Whether what matters of the past of two threads is the same. */
bool simt_order_same(unsigned int a, unsigned int b);
/* For the next ranks: a lane that has come to the first node may come to the second one. */
void simt_order_assume(unsigned int from, unsigned int to);
/* Ranks the nodes anew if anything was learnt. */
void simt_order_rank(void);
/* Lanes in the same depth of calls go by this: who has the least, first. `before`: the node
 * before. */
unsigned int simt_order_of(unsigned int before, unsigned int node);
/* What order.c keeps of a thread: the last node of each call that it is in, from 0 up to `level`.
 * Of a thread that has yet to start, all is 0. */
enum { SIMT_LEVELS = 12 };
struct simt_past {
    unsigned int level, node[SIMT_LEVELS];
};
/* `one_past`: that of the first lane is every lane's. */
void simt_order_get_past(unsigned int warp, bool one_past, struct simt_past *lanes);
void simt_order_set_past(unsigned int warp, const struct simt_past *lanes);
/* All that is kept of a block's threads: copied to or from so many of these. */
void simt_order_keep(struct simt_past *threads, unsigned int count, bool restore);
/* Whether a thread that did these events, keys without the depth, went round what comes after the
 * event `past`: from what leads there to what comes after; where it had. */
bool simt_order_goes_round(uint64_t past, const uint64_t *keys, size_t count, size_t *at);
/* A number that changes whenever nodes or ways between them become known. */
unsigned int simt_order_version(void);

#endif
/* SPDX-License-Identifier: MIT */
