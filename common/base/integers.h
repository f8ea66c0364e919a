/* Small arithmetic on sizes. */
#ifndef RUNGS_INTEGERS_H
#define RUNGS_INTEGERS_H

#include <stddef.h>

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* a / b, rounded up. */
static inline size_t divided_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

#endif
/* SPDX-License-Identifier: MIT */
