/* Places in the program where something happened in the running launch, and what was counted
 * there. */
#ifndef SIMT_SITES_H
#define SIMT_SITES_H

#include <stdint.h>

#include "cuda/simt_analysis.h"

struct simt_site {
    uint32_t place; /* bytes from the start of the program: a return address */
    struct simt_line_counters counters;
};

/* The site of a place; numbers start at 1 and stay the same. */
unsigned int simt_site_number(uint32_t place);
struct simt_site *simt_site(unsigned int number);
/* The counters of the place that a call returns to. */
struct simt_line_counters *simt_count_at(const void *return_address);
void simt_line_counters_add(struct simt_line_counters *to, const struct simt_line_counters *from);
/* The numbers of this launch's sites; and the next launch starts with none. */
const unsigned int *simt_sites_touched(unsigned int *count);
void simt_sites_clear(void);

#endif
/* SPDX-License-Identifier: MIT */
