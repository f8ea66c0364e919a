/* Launches that would do again what an earlier one has done: see repeats.c. */
#ifndef SIMT_REPEATS_H
#define SIMT_REPEATS_H

#include "cuda/simt.h"

/* See struct simt_observer. */
bool simt_repeats(const struct simt_launch *launch);
/* A launch that is not a repeat starts, and is looked at; and it ends, having counted at these
 * sites, before anything is told of it. */
void simt_repeats_start_launch(void);
/* The same, but it is not looked at. */
void simt_repeats_start_unseen(void);
void simt_repeats_end_launch(const unsigned int *sites, unsigned int count);
/* An operation begins, the latest: repeats that nothing orders before it become known to the
 * checks. */
void simt_repeats_come_first(void);
/* Memory is freed. */
void simt_repeats_forget(const void *address, size_t size);

#endif
/* SPDX-License-Identifier: MIT */
