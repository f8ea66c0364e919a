/* Unwritten values that a thread passes on: from one place in shared memory to another. */
#ifndef SIMT_PASSED_H
#define SIMT_PASSED_H

#include <stdbool.h>
#include <stdint.h>

/* The number of threads that are about to do so. */
extern unsigned int simt_passing;

/* The lane loads an unwritten value from shared memory. Whether it only stores the value to another
 * place there, as its next action. */
bool simt_passes_on(unsigned int thread, uint64_t address, unsigned int size);
/* These lanes have made their current access, which has been checked. A place that received a
 * passed-on value counts as unwritten again. */
void simt_passed_on(unsigned int warp, uint32_t lanes);

#endif
/* SPDX-License-Identifier: MIT */
