/* What nobody has written, and a thread passes on: from one place in shared memory to another. */
#ifndef SIMT_PASSED_H
#define SIMT_PASSED_H

#include <stdbool.h>
#include <stdint.h>

/* How many threads are about to. */
extern unsigned int simt_passing;

/* The lane loads from shared memory what nobody has written: whether all that it does with that is
 * to store something in another place there, next. */
bool simt_passes_on(unsigned int thread, uint64_t address, unsigned int size);
/* These lanes have made the access that they are at, which has been checked: where one has stored
 * what it passes on, it counts as not written again. */
void simt_passed_on(unsigned int warp, uint32_t lanes);

#endif
/* SPDX-License-Identifier: MIT */
