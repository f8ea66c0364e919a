/* Half precision (IEEE 754 binary16, NumPy's float16) in its 16 bits, for CPUs and compilers that
 * have no type for it. */
#ifndef RUNGS_HALF_H
#define RUNGS_HALF_H

#include <stdint.h>
#include <string.h>

static inline float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The half's value, which a float always represents. It has no branches, so compilers can vectorize
 * it. Exponent and fraction move to a float's places. The product then changes the exponent from a
 * half's bias to a float's. This is also right for subnormal numbers. */
static inline float float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const float magnitude = float_of_bits((uint32_t)(half & 0x7FFF) << 13) * 0x1p112F;
    const uint32_t special = magnitude >= 0x1p16F ? 0x7F800000 : 0; /* infinity or NaN */

    return float_of_bits(bits_of_float(magnitude) | special | sign);
}

/* The nearest half, ties to even. */
static inline uint16_t half_of_float(float value)
{
    const uint32_t bits = bits_of_float(value), magnitude = bits & 0x7FFFFFFF;
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);

    if (magnitude > 0x7F800000)
        return (uint16_t)(sign | 0x7E00);  /* NaN */
    if (magnitude >= bits_of_float(65520)) /* halfway from the largest half to the next power */
        return (uint16_t)(sign | 0x7C00);
    if (magnitude < bits_of_float(0x1p-14F)) /* subnormal: the sum's last bit is 2^-24 */
        return (uint16_t)(sign | (bits_of_float(float_of_bits(magnitude) + 0.5F) & 0x7FFF));
    /* Half of the last bit that is kept, or a little less if that bit is 0. A carry may run into
     * the exponent. */
    const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((rounded >> 13) - (112 << 10)));
}

#endif
/* SPDX-License-Identifier: MIT */
