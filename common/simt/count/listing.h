/* What was counted, by kernel and by line: kept, added up and printed (cuda/simt_analysis.h). */
#ifndef SIMT_LISTING_H
#define SIMT_LISTING_H

#include <stddef.h>

#include "cuda/simt.h"

/* What SIMT_COUNTERS asks for is printed when the program ends. */
void simt_listing_prepare(void);
/* What the launch counted at these sites. */
void simt_listing_add(const struct simt_launch *launch, const unsigned int *sites, size_t count);
void simt_listing_reset(void);

#endif
/* SPDX-License-Identifier: MIT */
