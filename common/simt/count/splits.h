/* Divergent branches: ends of basic blocks at which a warp's lanes part. */
#ifndef SIMT_SPLITS_H
#define SIMT_SPLITS_H

#include <stdint.h>

/* These lanes of a warp enter the basic block at a place together, at this call depth. */
void simt_splits_enter(unsigned int warp, uint32_t lanes, unsigned int depth, uint32_t place);
void simt_splits_start_block(unsigned int warps);
/* Saves and restores the state of the running block's warps. */
struct simt_splits *simt_splits_suspend(void);
void simt_splits_resume(struct simt_splits *kept);

#endif
/* SPDX-License-Identifier: MIT */
