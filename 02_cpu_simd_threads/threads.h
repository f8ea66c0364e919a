/* Threads that are started for one call and end with it: the rungs `race` to `local`. */
#ifndef THREADS_H
#define THREADS_H

#include "problem/reduction/reduction.h"

/* Starts a thread for each share of call's input, the first on the calling thread, and waits for
 * all. Each does work(share); a share's result is at targets + t * step, for step 0 all at one
 * place. */
void on_threads(const struct reduction *call, void (*work)(const struct reduction *share),
                void *targets, size_t step);

/* The work of the rungs `race`, `atomic` and `local`: step 01's loop, with a load, an addition and
 * a store in memory for every element, with an atomic for every element, or adding up in a
 * register. */
void add_plainly(const struct reduction *share);
void add_atomically(const struct reduction *share);
void add_in_register(const struct reduction *share);

#endif
/* SPDX-License-Identifier: MIT */
