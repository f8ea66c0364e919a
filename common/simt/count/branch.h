/* Where lanes part in the program: the branch at the end of a basic block. */
#ifndef SIMT_BRANCH_H
#define SIMT_BRANCH_H

#include <stdint.h>

/* The last basic blocks of a lane, or of several together: per call depth, the place of the latest
 * one, as long as its function has not returned. */
enum { SIMT_TRAIL = 12 };
struct simt_trail {
    uint32_t places[SIMT_TRAIL];
    unsigned int depth; /* of the latest block */
};
void simt_trail_enter(struct simt_trail *trail, unsigned int depth, uint32_t place);
/* The place of the branch that leads to the next basic block, at this depth. If it cannot be found,
 * the place of the block. */
uint32_t simt_trail_branch(const struct simt_trail *trail, unsigned int depth);
/* The same for a block itself. */
uint32_t simt_branch_of(uint32_t block);

#endif
/* SPDX-License-Identifier: MIT */
