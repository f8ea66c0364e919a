/* The table of regions, for code that visits all of them. */
#ifndef SIMT_REGIONS_H
#define SIMT_REGIONS_H

#include "memory/memory.h"

extern struct simt_region *simt_regions;
extern size_t simt_region_count;
/* Whether the current device cannot access it. */
bool simt_region_is_foreign(const struct simt_region *region);

#endif
/* SPDX-License-Identifier: MIT */
