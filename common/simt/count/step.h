/* What lanes do together: it is counted, and checked. */
#ifndef SIMT_STEP_H
#define SIMT_STEP_H

#include "observe/recorder.h"

/* The lanes do their events `ahead` of at[] together. `distance` of all 32: from one lane's address
 * to the next one's, if they are accesses and it is the same between all; else UINT64_MAX. */
void simt_step(const struct simt_event *const *at, size_t ahead, unsigned int warp, uint32_t lanes,
               uint64_t distance);
/* All that is in the traces is checked, in the order of the stretches, and so is the warp from now
 * on. */
void simt_step_check(struct simt_traces *traces, unsigned int warp);
/* The steps to come have been checked so. */
void simt_step_counts_only(bool only);
/* The traces are empty; or they begin at at[] from now on, which moves to the front of the
 * buffers. */
void simt_step_start(void);
void simt_step_keep_rest(const struct simt_event *const *at);

#endif
/* SPDX-License-Identifier: MIT */
