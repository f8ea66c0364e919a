/* What a request to memory costs: the sectors of global memory that it moves, the wavefronts that
 * shared memory needs for it. */
#ifndef SIMT_WAVEFRONTS_H
#define SIMT_WAVEFRONTS_H

#include "base/space.h"
#include "model/sites.h"
#include "observe/event.h"

/* How many wavefronts, and how many more than needed, an access to shared memory takes. */
void simt_count_banks(bool store, unsigned int size, unsigned int lanes, const uint64_t *addresses,
                      unsigned int *wavefronts, unsigned int *conflicts);
/* Lanes make an access together. */
void simt_count_access(struct simt_site *site, enum simt_space space, enum simt_event_kind kind,
                       unsigned int size, uint32_t lanes, const uint64_t *addresses);
/* The same, faster, where all 32 load or store what lies from `first` up to `end`: side by side, or
 * all of it each; in shared memory words. */
void simt_count_row(struct simt_site *site, enum simt_space space, enum simt_event_kind kind,
                    uint64_t first, uint64_t end);

#endif
/* SPDX-License-Identifier: MIT */
