/* What lies at an address. */
#ifndef SIMT_SPACES_H
#define SIMT_SPACES_H

#include "base/space.h"

/* Addresses around this one that are alike. Valid until the next call but a few. */
const struct simt_range *simt_range_of(uint64_t address);
/* Allocations have changed. */
void simt_ranges_forget(void);
/* Whether it is in the program's own code or data. */
bool simt_in_program(uint64_t address);

#endif
/* SPDX-License-Identifier: MIT */
