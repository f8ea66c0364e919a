/* The address space and the allocation of an address. */
#ifndef SIMT_SPACES_H
#define SIMT_SPACES_H

#include "base/space.h"

/* The range of like addresses around this one. A few later calls replace it. */
const struct simt_range *simt_range_of(uint64_t address);
/* Call this when allocations have changed. */
void simt_ranges_forget(void);
/* Whether the address is in the program's own code or data. */
bool simt_in_program(uint64_t address);

#endif
/* SPDX-License-Identifier: MIT */
