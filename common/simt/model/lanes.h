/* Which of a warp's lanes go together, and which of those go first. at[i] is lane i's next
 * event. */
#ifndef SIMT_LANES_H
#define SIMT_LANES_H

#include "observe/recorder.h"

/* Lanes part: what they will do tells who goes first. `cut`: see struct simt_observer. */
void simt_lanes_look_ahead(const struct simt_event *const *at, const struct simt_traces *traces,
                           unsigned int warp, uint32_t cut);
/* After that. Of the lanes of a set, those that go first: with the same next event. */
uint32_t simt_lanes_first(const struct simt_event *const *at, uint32_t lanes);
/* They have: their at[] moves on. Returns those of them that are at their end. */
uint32_t simt_lanes_advance(const struct simt_event **at, const struct simt_traces *traces,
                            uint32_t lanes);
/* Whether all lanes, none of which is at its end, do the same next. */
bool simt_lanes_meet(const struct simt_event *const *at);

/* To order.c all lanes of the warp have the past that it keeps for the first one; or each its own;
 * or all have gone together up to at[], and the first one has told order.c. */
bool simt_lanes_have_one_past(unsigned int warp);
void simt_lanes_have_own_pasts(unsigned int warp);
void simt_lanes_walked(const struct simt_event *const *at, unsigned int warp);

/* The traces are empty; or they begin at at[] from now on, which moves to the front of the
 * buffers. */
void simt_lanes_start(void);
void simt_lanes_keep_rest(const struct simt_event *const *at, bool looked_ahead);
/* The last replay looked ahead, and left events behind. */
bool simt_lanes_were_cut_short(void);

void simt_lanes_start_block(unsigned int warps);
/* What is kept of a block's warps: copied to or from there. */
void simt_lanes_keep(bool *pasts, unsigned int warps, bool restore);

#endif
/* SPDX-License-Identifier: MIT */
