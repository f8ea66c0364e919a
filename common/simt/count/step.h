/* A step: an action that lanes perform together. It is counted and checked. */
#ifndef SIMT_STEP_H
#define SIMT_STEP_H

#include "observe/recorder.h"

/* The lanes perform their events `ahead` of at[] together. `distance`: for accesses of all 32, from
 * one lane's address to the next lane's, if it is the same for all; else UINT64_MAX. */
void simt_step(const struct simt_event *const *at, size_t ahead, unsigned int warp, uint32_t lanes,
               uint64_t distance);
/* Checks all events in the traces in the order of the stretches, and the warp so from now on. */
void simt_step_check(struct simt_traces *traces, unsigned int warp);
/* The next steps are already checked. */
void simt_step_counts_only(bool only);
/* The traces are empty; or they now begin at at[], which moves to the front of the buffers. */
void simt_step_start(void);
void simt_step_keep_rest(const struct simt_event *const *at);

#endif
/* SPDX-License-Identifier: MIT */
