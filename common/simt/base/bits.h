/* Sets of lanes of a warp, one bit per lane. */
#ifndef SIMT_BITS_H
#define SIMT_BITS_H

#include <stdint.h>

/* The set must not be empty. */
static inline unsigned int simt_lowest(uint32_t set)
{
    return (unsigned int)__builtin_ctz(set);
}

static inline unsigned int simt_size_of(uint32_t set)
{
    return (unsigned int)__builtin_popcount(set);
}

#endif
/* SPDX-License-Identifier: MIT */
