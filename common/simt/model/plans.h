/* Replays that were made before. */
#ifndef SIMT_PLANS_H
#define SIMT_PLANS_H

#include "observe/recorder.h"

/* These lanes' next events are paired. `row`: see look_at in count/replay.c. */
struct simt_step {
    uint32_t lanes;
    bool row;
};
void simt_plans_start_launch(void);
void simt_plans_start_block(unsigned int warps);
/* Which past each warp of a block has: copied to or from there. */
void simt_plans_keep(unsigned int *pasts, unsigned int warps, bool restore);
/* The steps that pair the traces, all of them, if they are known; else NULL. */
const struct simt_step *simt_plan_find(const struct simt_traces *traces, unsigned int warp,
                                       size_t *count);
/* They are not, or are not to be used: order.c gets the warp's past, lane by lane, unless it has it
 * (false). If the steps are to be recorded, all of them are added before the end; traces->begin is
 * then what it was. */
bool simt_plan_start(unsigned int warp, bool record);
void simt_plan_add_step(uint32_t lanes, bool row);
void simt_plan_end(const struct simt_traces *traces, unsigned int warp, bool one_past);

#endif
/* SPDX-License-Identifier: MIT */
