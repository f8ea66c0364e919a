/* Floating-point numbers, unpacked. */
#ifndef SIMT_PTX_NUMBERS_H
#define SIMT_PTX_NUMBERS_H

#include "cuda/simt_ptx_runtime.h"

/* (-1)^negative * magnitude * 2^exponent; `more`: plus something less than its last bit. */
struct simt_number {
    bool negative, is_nan, is_infinite, more;
    uint64_t magnitude;
    int exponent;
};

enum simt_rounding { NEAREST, TO_ZERO, DOWN, UP, AWAY };

/* For a simt_ptx_type. */
struct simt_format {
    int precision, exponent_bits; /* with the hidden bit; */
    int low;                      /* bits below that are always 0 */
    uint64_t nan;
    bool finite; /* no infinities, one NaN */
};

static inline struct simt_format simt_format_of(unsigned int type)
{
    switch (type) {
    case SIMT_PTX_F16:
    case SIMT_PTX_F16X2:
        return (struct simt_format){11, 5, 0, 0x7fff, false};
    case SIMT_PTX_BF16:
    case SIMT_PTX_BF16X2:
        return (struct simt_format){8, 8, 0, 0x7fff, false};
    case SIMT_PTX_TF32:
        return (struct simt_format){11, 8, 13, 0x7fffffff, false};
    case SIMT_PTX_F32:
        return (struct simt_format){24, 8, 0, 0x7fffffff, false};
    case SIMT_PTX_E4M3:
        return (struct simt_format){4, 4, 0, 0x7f, true};
    case SIMT_PTX_E5M2:
        return (struct simt_format){3, 5, 0, 0x7f, false};
    default:
        return (struct simt_format){53, 11, 0, UINT64_C(0xfff8000000000000), false};
    }
}

static inline struct simt_number simt_number_decode(unsigned int type, uint64_t bits)
{
    const struct simt_format format = simt_format_of(type);
    int fraction_bits = format.precision - 1, bias = (1 << (format.exponent_bits - 1)) - 1;
    uint64_t fraction, exponent, top = ((uint64_t)1 << format.exponent_bits) - 1;
    bits >>= format.low;
    fraction = bits & (((uint64_t)1 << fraction_bits) - 1);
    exponent = bits >> fraction_bits & top;
    return (struct simt_number){
        .negative = bits >> (fraction_bits + format.exponent_bits) & 1,
        .is_nan = exponent == top && (format.finite ? fraction == 7 : fraction != 0),
        .is_infinite = exponent == top && fraction == 0 && !format.finite,
        .magnitude = fraction | (exponent ? (uint64_t)1 << fraction_bits : 0),
        .exponent = (int)(exponent ? exponent : 1) - bias - fraction_bits,
    };
}

uint64_t simt_number_encode(unsigned int type, struct simt_number number,
                            enum simt_rounding rounding);

#endif
/* SPDX-License-Identifier: MIT */
