/* Whether the running launch, made again on the same memory, would do the same again and nothing
 * else (api/repeats.c). */
#ifndef SIMT_REPEATABLE_H
#define SIMT_REPEATABLE_H

#include <stdbool.h>

extern bool simt_is_repeatable;

/* Not if it reads the time or what nobody watches, prints, or changes more than memory. */
static inline void simt_not_repeatable(void)
{
    simt_is_repeatable = false;
}

#endif
/* SPDX-License-Identifier: MIT */
