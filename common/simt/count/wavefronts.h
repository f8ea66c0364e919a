/* The cost of a request to memory: the sectors of global memory that it transfers, the wavefronts
 * that it takes in shared memory. */
#ifndef SIMT_WAVEFRONTS_H
#define SIMT_WAVEFRONTS_H

#include "base/space.h"
#include "model/sites.h"
#include "observe/event.h"

/* The number of wavefronts of an access to shared memory, and how many are more than needed. */
void simt_count_banks(bool store, unsigned int size, unsigned int lanes, const uint64_t *addresses,
                      unsigned int *wavefronts, unsigned int *conflicts);
/* Counts an access that lanes make together. */
void simt_count_access(struct simt_site *site, enum simt_space space, enum simt_event_kind kind,
                       unsigned int size, uint32_t lanes, const uint64_t *addresses);
/* Like that, but faster, for all 32 lanes that load or store from `first` up to `end`: side by
 * side, or each the whole range; in shared memory only words. */
void simt_count_row(struct simt_site *site, enum simt_space space, enum simt_event_kind kind,
                    uint64_t first, uint64_t end);

#endif
/* SPDX-License-Identifier: MIT */
