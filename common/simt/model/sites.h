/* Sites: places in the program with an event in the running launch, and their counters. */
#ifndef SIMT_SITES_H
#define SIMT_SITES_H

#include <stdint.h>

#include "cuda/simt_analysis.h"

struct simt_site {
    uint32_t place; /* a return address, in bytes from the start of the program */
    struct simt_line_counters counters;
};

/* The site of a place. Numbers start at 1 and never change. */
unsigned int simt_site_number(uint32_t place);
struct simt_site *simt_site(unsigned int number);
/* The counters of the place that a call returns to. */
struct simt_line_counters *simt_count_at(const void *return_address);
void simt_line_counters_add(struct simt_line_counters *to, const struct simt_line_counters *from);
/* The site numbers of this launch. The second one starts a new, empty list. */
const unsigned int *simt_sites_touched(unsigned int *count);
void simt_sites_clear(void);

#endif
/* SPDX-License-Identifier: MIT */
