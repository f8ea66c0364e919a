/* Reuse of earlier replays. */
#ifndef SIMT_PLANS_H
#define SIMT_PLANS_H

#include "observe/recorder.h"

/* The next events of these lanes are paired. `row`: see look_at in count/replay.c. */
struct simt_step {
    uint32_t lanes;
    bool row;
};
void simt_plans_start_launch(void);
void simt_plans_start_block(unsigned int warps);
/* Saves or restores the past of each warp of a block. */
void simt_plans_keep(unsigned int *pasts, unsigned int warps, bool restore);
/* The steps that pair all events of the traces, if they are known; else NULL. */
const struct simt_step *simt_plan_find(const struct simt_traces *traces, unsigned int warp,
                                       size_t *count);
/* The steps are unknown or must not be used: gives order.c the pasts of the warp's lanes, unless it
 * has them (false). To record the steps, add all of them before the end; traces->begin must not
 * have changed by then. */
bool simt_plan_start(unsigned int warp, bool record);
void simt_plan_add_step(uint32_t lanes, bool row);
void simt_plan_end(const struct simt_traces *traces, unsigned int warp, bool one_past);

#endif
/* SPDX-License-Identifier: MIT */
