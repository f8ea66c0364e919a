/* Numbers of 8 and 16 bits as C++ has none: from double and to float. For cuda_fp16.h, cuda_bf16.h
 * and cuda_fp8.h. */
#ifndef SIMT_ROUNDING_H
#define SIMT_ROUNDING_H

#include "cuda_runtime.h"

namespace simt
{

/* To a format with so many bits of fraction and that bias of its exponent. How: 'n' to the nearest,
 * ties to even; 'z' towards zero; 'd' down; 'u' up. From double, so that nothing is rounded twice;
 * what is too large becomes infinity, or the largest number. */
template <int FRACTION, int BIAS>
SIMT_INLINE unsigned short small_bits(double value, char how = 'n')
{
    const unsigned int infinity = (2u * BIAS + 1) << FRACTION;
    const unsigned int sign = std::signbit(value) ? (2u * BIAS + 2) << FRACTION : 0;
    const bool away = how == (sign ? 'd' : 'u');
    double magnitude = std::fabs(value), units;
    int exponent;
    unsigned int bits;
    if (value != value) {
        return static_cast<unsigned short>((2u * BIAS + 2) * (1u << FRACTION) - 1);
    }
    std::frexp(magnitude, &exponent); /* below 2^exponent */
    exponent = magnitude > 0 && exponent > 2 - BIAS ? exponent : 2 - BIAS;
    if (exponent > BIAS + 1 || std::isinf(value)) {
        bits = infinity;
    } else {
        units = std::ldexp(magnitude, FRACTION + 1 - exponent);
        units = how == 'n' ? std::nearbyint(units) : away ? std::ceil(units) : std::floor(units);
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
    const unsigned int top = 2u * BIAS + 1;
    const unsigned int exponent = bits >> FRACTION & top, fraction = bits & ((1u << FRACTION) - 1);
    const float magnitude = exponent == top ? (fraction ? __builtin_nanf("") : __builtin_inff())
                            : exponent == 0
                                ? std::ldexp(static_cast<float>(fraction), 1 - BIAS - FRACTION)
                                : std::ldexp(static_cast<float>(fraction + (1u << FRACTION)),
                                             static_cast<int>(exponent) - BIAS - FRACTION);
    return bits >> FRACTION > top ? -magnitude : magnitude;
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
