/* Repeats of an earlier launch, which need not run: see repeats.c. */
#ifndef SIMT_REPEATS_H
#define SIMT_REPEATS_H

#include "cuda/simt.h"

/* See struct simt_observer. */
bool simt_repeats(const struct simt_launch *launch);
/* A checked launch that is not a repeat starts. It ends before anything is reported about it;
 * `sites`: where it counted. */
void simt_repeats_start_launch(void);
/* The same for an unchecked launch. */
void simt_repeats_start_unseen(void);
void simt_repeats_end_launch(const unsigned int *sites, unsigned int count);
/* The latest operation begins. The checks learn about repeats that are not ordered before it. */
void simt_repeats_come_first(void);
/* Forgets repeats that use this memory, because it is freed. */
void simt_repeats_forget(const void *address, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
