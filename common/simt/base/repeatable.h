/* Whether the running launch, repeated on the same memory, would do exactly the same and nothing
 * else (api/repeats.c). */
#ifndef SIMT_REPEATABLE_H
#define SIMT_REPEATABLE_H

#include <stdbool.h>

extern bool simt_is_repeatable;

/* For a launch that reads the time or unobserved data, prints, or changes more than memory. */
static inline void simt_not_repeatable(void)
{
    simt_is_repeatable = false;
}

#endif
/* SPDX-License-Identifier: MIT */
