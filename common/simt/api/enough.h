/* Decides when a kernel has been checked for long enough: see enough.c. */
#ifndef SIMT_ENOUGH_H
#define SIMT_ENOUGH_H

#include <stdbool.h>

#include "cuda/simt.h"

/* A launch that could be checked starts. True if it should run unchecked. */
bool simt_enough_start_launch(const struct simt_launch *launch);
/* A block of a checked launch is done. True if the remaining blocks may run unchecked. */
bool simt_enough(void);
/* The launch has ended, or is no longer checked. */
void simt_enough_end_launch(void);

#endif
/* SPDX-License-Identifier: MIT */
