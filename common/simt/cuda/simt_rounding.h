/* Conversions from double to the small floating-point formats that C++ lacks, and back to float.
 * For cuda_fp16.h, cuda_bf16.h and cuda_fp8.h. */
#ifndef SIMT_ROUNDING_H
#define SIMT_ROUNDING_H

#include "cuda_runtime.h"

namespace simt
{

/* 2^exponent, if it is a normal number. */
template <class T>
SIMT_INLINE T power_of_2(int exponent)
{
    if constexpr (sizeof(T) == 8) {
        return bits_as<T>(static_cast<unsigned long>(exponent + 1023) << 52);
    } else {
        return bits_as<T>(static_cast<unsigned int>(exponent + 127) << 23);
    }
}

/* Converts to a format with FRACTION bits of fraction and this BIAS of the exponent. `how`: 'n' to
 * nearest, ties to even; 'z' towards zero; 'd' down; 'u' up. A double avoids rounding twice. Too
 * large a value becomes infinity or the largest number. Avoids slow library functions, in which a
 * matrix product would spend most of its time. */
template <int FRACTION, int BIAS>
SIMT_INLINE unsigned short small_bits(double value, char how = 'n')
{
    const unsigned int infinity = (2u * BIAS + 1) << FRACTION;
    const unsigned int sign = std::signbit(value) ? (2u * BIAS + 2) << FRACTION : 0;
    const bool away = how == (sign ? 'd' : 'u');
    const double magnitude = std::fabs(value), large = 4503599627370496; /* 2^52 has no fraction */
    /* The value is below 2^exponent. The last bit of the result is 2^(exponent - 1 - FRACTION). */
    int exponent = static_cast<int>(bits_as<unsigned long>(magnitude) >> 52) - 1022;
    double units;
    unsigned int bits;
    if (value != value) {
        return static_cast<unsigned short>((2u * BIAS + 2) * (1u << FRACTION) - 1);
    }
    exponent = exponent > 2 - BIAS ? exponent : 2 - BIAS;
    if (exponent > BIAS + 1) {
        bits = infinity;
    } else {
        units = magnitude * power_of_2<double>(FRACTION + 1 - exponent);
        units = how == 'n' ? (units + large) - large : away ? std::ceil(units) : std::floor(units);
        /* A carry out of the fraction adds to the exponent. */
        bits = (static_cast<unsigned int>(exponent + BIAS - 2) << FRACTION) +
               static_cast<unsigned int>(units);
    }
    if (bits >= infinity) {
        bits = how == 'n' || away || std::isinf(value) ? infinity : infinity - 1;
    }
    return static_cast<unsigned short>(sign | bits);
}

template <int FRACTION, int BIAS>
SIMT_INLINE float small_value(unsigned short bits)
{
    const unsigned int infinity = (2u * BIAS + 1) << FRACTION;
    const unsigned int number = bits & ((2u * BIAS + 2) * (1u << FRACTION) - 1);
    /* A float has another bias. */
    const float magnitude = number > infinity    ? __builtin_nanf("")
                            : number == infinity ? __builtin_inff()
                                                 : bits_as<float>(number << (23 - FRACTION)) *
                                                       power_of_2<float>(127 - BIAS);
    return number == bits ? magnitude : -magnitude;
}

/* Rounds to odd: if the sum has a rest, its last bit becomes 1. */
SIMT_INLINE double to_odd(double sum, double rest)
{
    const unsigned long bits = bits_as<unsigned long>(sum);
    if (rest == 0 || bits & 1) {
        return sum;
    }
    return bits_as<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* Converts to a double that rounds like the number itself, to any format with fewer bits. */
template <class T>
SIMT_INLINE double sticky(T value)
{
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        const bool negative = value < 0;
        const unsigned long bits = static_cast<unsigned long>(value);
        const unsigned long magnitude = negative ? 0 - bits : bits;
        const double high = static_cast<double>(magnitude >> 32) * 4294967296.0;
        const double low = static_cast<double>(magnitude & 0xffffffffu), sum = high + low;
        const double result = to_odd(sum, low - (sum - high));
        return negative ? -result : result;
    } else {
        return static_cast<double>(value);
    }
}

/* a * b + c, also rounded to odd. The product must fit into a double exactly. */
SIMT_INLINE double fused(double a, double b, double c)
{
    const double product = a * b, sum = product + c, added = sum - product;
    const double rest = (product - (sum - added)) + (c - added);
    return rest == rest ? to_odd(sum, rest) : sum;
}

SIMT_INLINE double in_unit(double value)
{
    return value >= 1 ? 1 : value >= 0 ? value : 0;
}

/* The maximum. Of a number and a NaN, the number; of two zeros, the positive one. */
SIMT_INLINE double larger(double a, double b)
{
    return a != a ? b : b != b || a > b ? a : a < b ? b : std::signbit(a) ? b : a;
}

} // namespace simt

#endif
