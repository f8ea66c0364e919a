/* Endless loops whose threads meet. */
#ifndef SIMT_ENDLESS_H
#define SIMT_ENDLESS_H

#include "machine/turns.h"
#include "program/source.h"

/* No block has ended for long: threads that meet give way; when all have, they are checked. */
extern bool simt_lasts_long;
/* The block's state has occurred before: other blocks go on first. */
extern bool simt_goes_round;

void simt_look_whether_long(void);
void simt_look_for_round(void);

/* Continues a hash with `size` more bytes. */
uint64_t simt_hash(uint64_t state, const void *from, size_t size);

/* Lanes have met at a barrier or in a collective, and go on. */
static inline void simt_go_on(unsigned int number, unsigned int lanes, const void *caller)
{
    static unsigned int meetings;
    if (__builtin_expect(++meetings % 2048 == 0, 0)) {
        simt_look_whether_long();
    }
    if (__builtin_expect(simt_lasts_long, 0)) {
        struct simt_warp *warp = &simt_block->warps[number];
        for (unsigned int set = lanes; set; set &= set - 1) {
            warp->lanes[simt_lowest(set)].round.place = simt_place_of(caller);
        }
        warp->yielded |= lanes;
        simt_grid.progress++; /* this is not polling */
    } else {
        simt_make_ready(number, lanes);
    }
}

#endif
/* SPDX-License-Identifier: MIT */
