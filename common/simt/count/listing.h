/* Keeps, sums and prints the counters, by kernel and by line (cuda/simt_analysis.h). */
#ifndef SIMT_LISTING_H
#define SIMT_LISTING_H

#include <stddef.h>

#include "cuda/simt.h"

/* Prints what SIMT_COUNTERS asks for when the program ends. */
void simt_listing_prepare(void);
/* Adds the counters of the launch at these sites. */
void simt_listing_add(const struct simt_launch *launch, const unsigned int *sites, size_t count);
void simt_listing_reset(void);

#endif
/* SPDX-License-Identifier: MIT */
