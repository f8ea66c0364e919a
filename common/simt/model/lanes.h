/* Which lanes of a warp go together, and which of these groups goes first. at[i] is lane i's next
 * event. */
#ifndef SIMT_LANES_H
#define SIMT_LANES_H

#include "observe/recorder.h"

/* Lanes part: their later events decide which go first. `cut`: see struct simt_observer. */
void simt_lanes_look_ahead(const struct simt_event *const *at, const struct simt_traces *traces,
                           unsigned int warp, uint32_t cut);
/* Call it after that. The lanes of a set that go first, all with the same next event. */
uint32_t simt_lanes_first(const struct simt_event *const *at, uint32_t lanes);
/* These have done their next event: advances at[]. Returns the lanes of them at their end. */
uint32_t simt_lanes_advance(const struct simt_event **at, const struct simt_traces *traces,
                            uint32_t lanes);
/* Whether all lanes do the same next. None of them may be at its end. */
bool simt_lanes_meet(const struct simt_event *const *at);

/* For order.c all lanes of the warp have the past that it keeps for the first one; or each has its
 * own; or all have gone together up to at[], and the first one has told order.c. */
bool simt_lanes_have_one_past(unsigned int warp);
void simt_lanes_have_own_pasts(unsigned int warp);
void simt_lanes_walked(const struct simt_event *const *at, unsigned int warp);

/* The traces are empty; or they now begin at at[], which moves to the front of the buffers. */
void simt_lanes_start(void);
void simt_lanes_keep_rest(const struct simt_event *const *at, bool looked_ahead);
/* The last replay looked ahead and left events behind. */
bool simt_lanes_were_cut_short(void);

void simt_lanes_start_block(unsigned int warps);
/* Saves or restores the state of a block's warps. */
void simt_lanes_keep(bool *pasts, unsigned int warps, bool restore);

#endif
/* SPDX-License-Identifier: MIT */
