/* bfloat16, stored as the upper 16 of a float's 32 bits. */
#ifndef RUNGS_BFLOAT_H
#define RUNGS_BFLOAT_H

#include <stdint.h>

#include "base/half.h"

static inline float float_of_bfloat(uint16_t bfloat)
{
    return float_of_bits((uint32_t)bfloat << 16);
}

/* The nearest bfloat16, ties to even. */
static inline uint16_t bfloat_of_float(float value)
{
    const uint32_t bits = bits_of_float(value);

    if ((bits & 0x7FFFFFFF) > 0x7F800000)
        return (uint16_t)(bits >> 16 | 0x40); /* NaN: its payload may be in the lower half */
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#endif
/* SPDX-License-Identifier: MIT */
