/* Threads that start for one call and end with it, for the rungs `race` to `local`. */
#ifndef THREADS_H
#define THREADS_H

#include "problem/reduction/reduction.h"

/* Runs work(share) for each share of the call's input and waits for all. The calling thread does
 * the first share, and a new thread each of the others. A share's result is at targets + t * step;
 * with step 0, all shares have one result. */
void on_threads(const struct reduction *call, void (*work)(const struct reduction *share),
                void *targets, size_t step);

/* The work of a thread: step 01's loop. For every element, the first does a plain load, addition
 * and store in memory, and the second an atomic addition. The third adds up in a register. */
void add_plainly(const struct reduction *share);
void add_atomically(const struct reduction *share);
void add_in_register(const struct reduction *share);

#endif
/* SPDX-License-Identifier: MIT */
