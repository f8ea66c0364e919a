/* Where in the program lanes part: the branch at the end of a basic block. */
#ifndef SIMT_BRANCH_H
#define SIMT_BRANCH_H

#include <stdint.h>

/* The basic blocks that a lane, or several together, came through last: for each depth of calls the
 * place of the latest one, as long as its function has not returned. */
enum { SIMT_TRAIL = 12 };
struct simt_trail {
    uint32_t places[SIMT_TRAIL];
    unsigned int depth; /* of the latest of all */
};
void simt_trail_enter(struct simt_trail *trail, unsigned int depth, uint32_t place);
/* The place of the branch from which the next basic block is entered, at this depth. If that is not
 * to be found, of the block. */
uint32_t simt_trail_branch(const struct simt_trail *trail, unsigned int depth);
/* The same of a block itself. */
uint32_t simt_branch_of(uint32_t block);

#endif
/* SPDX-License-Identifier: MIT */
