/* Numbers of 8 and 16 bits as C++ has none: from double and to float. For cuda_fp16.h, cuda_bf16.h
 * and cuda_fp8.h. */
#ifndef SIMT_ROUNDING_H
#define SIMT_ROUNDING_H

#include "cuda_runtime.h"

namespace simt
{

/* 2^exponent, of those that are normal. */
template <class T>
SIMT_INLINE T power_of_2(int exponent)
{
    if constexpr (sizeof(T) == 8) {
        return bits_as<T>(static_cast<unsigned long>(exponent + 1023) << 52);
    } else {
        return bits_as<T>(static_cast<unsigned int>(exponent + 127) << 23);
    }
}

/* To a format with so many bits of fraction and that bias of its exponent. How: 'n' to the nearest,
 * ties to even; 'z' towards zero; 'd' down; 'u' up. From double, so that nothing is rounded twice;
 * what is too large becomes infinity, or the largest number. No functions of the library: a product
 * of matrices of such numbers would spend most of its time there. */
template <int FRACTION, int BIAS>
SIMT_INLINE unsigned short small_bits(double value, char how = 'n')
{
    const unsigned int infinity = (2u * BIAS + 1) << FRACTION;
    const unsigned int sign = std::signbit(value) ? (2u * BIAS + 2) << FRACTION : 0;
    const bool away = how == (sign ? 'd' : 'u');
    const double magnitude = std::fabs(value), large = 4503599627370496; /* 2^52 has no fraction */
    /* It is below 2^exponent, and the last bit of the result is 2^(exponent - 1 - FRACTION). */
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
        /* A carry out of the fraction goes on into the exponent. */
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
    /* As a float it has another bias. */
    const float magnitude = number > infinity    ? __builtin_nanf("")
                            : number == infinity ? __builtin_inff()
                                                 : bits_as<float>(number << (23 - FRACTION)) *
                                                       power_of_2<float>(127 - BIAS);
    return number == bits ? magnitude : -magnitude;
}

/* What is left of a sum, as a bit: where something is, the last bit is 1. */
SIMT_INLINE double to_odd(double sum, double rest)
{
    const unsigned long bits = bits_as<unsigned long>(sum);
    if (rest == 0 || bits & 1) {
        return sum;
    }
    return bits_as<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

/* A number as a double that rounds, to any format with a few bits less, as the number would. */
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

/* a * b + c of numbers whose products a double holds, the same way. */
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

/* Of a number and a NaN, the number; of two zeros, the positive one. */
SIMT_INLINE double larger(double a, double b)
{
    return a != a ? b : b != b || a > b ? a : a < b ? b : std::signbit(a) ? b : a;
}

} // namespace simt

#endif
