/* When a kernel has been checked for long enough: see enough.c. */
#ifndef SIMT_ENOUGH_H
#define SIMT_ENOUGH_H

#include <stdbool.h>

#include "cuda/simt.h"

/* A launch that could be checked starts: whether it is not to be. */
bool simt_enough_start_launch(const struct simt_launch *launch);
/* A block of a launch that is checked is done: whether those to come need not be. */
bool simt_enough(void);
/* The launch is over, or no longer checked. */
void simt_enough_end_launch(void);

#endif
/* SPDX-License-Identifier: MIT */
