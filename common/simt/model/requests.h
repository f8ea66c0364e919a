/* Every request to memory of the first block of each launch: SIMT_REQUESTS=FILE. */
#ifndef SIMT_REQUESTS_H
#define SIMT_REQUESTS_H

#include "base/space.h"
#include "cuda/simt.h"
#include "observe/event.h"

/* SIMT_REQUESTS is set: pass each request to simt_requests_add. */
extern bool simt_requests_wanted;
void simt_requests_prepare(void);
void simt_requests_launch(const struct simt_launch *launch);
void simt_requests_barrier(void);
void simt_requests_add(uint32_t place, enum simt_space space, enum simt_event_kind kind,
                       unsigned int size, unsigned int warp, unsigned int lanes,
                       const uint64_t *addresses);
void simt_requests_reset(void);

#endif
/* SPDX-License-Identifier: MIT */
