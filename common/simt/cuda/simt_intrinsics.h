/* Device functions that the steps do not use: integer, conversion and fast-math intrinsics.
 * cuda_runtime.h includes this. Conversions to integers saturate and turn NaN into 0, as on a
 * GPU. */
#ifndef SIMT_INTRINSICS_H
#define SIMT_INTRINSICS_H

#include <limits>

#include "cuda_runtime.h"
#include "simt_special_calls.h"

/* ---- integers ---- */

SIMT_INLINE int __mul24(int a, int b)
{
    auto extended = [](int x) { return static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8; };
    return static_cast<int>(static_cast<long long>(extended(a)) * extended(b));
}

SIMT_INLINE unsigned int __umul24(unsigned int a, unsigned int b)
{
    return (a & 0xffffffu) * (b & 0xffffffu);
}

__extension__ typedef __int128 simt_int128;
__extension__ typedef unsigned __int128 simt_uint128;

SIMT_INLINE long long __mul64hi(long long a, long long b)
{
    return static_cast<long long>(static_cast<simt_int128>(a) * b >> 64);
}

SIMT_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>(static_cast<simt_uint128>(a) * b >> 64);
}

SIMT_INLINE unsigned int __sad(int a, int b, unsigned int sum)
{
    return sum + (a > b ? static_cast<unsigned int>(a) - static_cast<unsigned int>(b)
                        : static_cast<unsigned int>(b) - static_cast<unsigned int>(a));
}

SIMT_INLINE unsigned int __usad(unsigned int a, unsigned int b, unsigned int sum)
{
    return sum + (a > b ? a - b : b - a);
}

SIMT_INLINE int __hadd(int a, int b)
{
    return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}

SIMT_INLINE int __rhadd(int a, int b)
{
    return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}

SIMT_INLINE unsigned int __uhadd(unsigned int a, unsigned int b)
{
    return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1);
}

SIMT_INLINE unsigned int __urhadd(unsigned int a, unsigned int b)
{
    return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

/* 32 bits of high:low, shifted by `shift` modulo 32. The forms with c shift by at most 32. */
SIMT_INLINE unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned int>(both << (shift & 31) >> 32);
}

SIMT_INLINE unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return shift >= 32 ? low : static_cast<unsigned int>(both << shift >> 32);
}

SIMT_INLINE unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return static_cast<unsigned int>(both >> (shift & 31));
}

SIMT_INLINE unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift)
{
    unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
    return shift >= 32 ? high : static_cast<unsigned int>(both >> shift);
}

/* Selects four of the eight bytes of a (0 to 3) and b (4 to 7). Bit 3 of a selector copies the
 * byte's sign bit to the whole byte. */
SIMT_INLINE unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector)
{
    unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
    unsigned int result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned int pick = selector >> 4 * i & 15;
        unsigned int byte = static_cast<unsigned int>(both >> 8 * (pick & 7)) & 0xff;
        if (pick & 8) {
            byte = byte & 0x80 ? 0xff : 0;
        }
        result |= byte << 8 * i;
    }
    return result;
}

SIMT_INLINE int __dp4a(int a, int b, int sum)
{
    for (int i = 0; i < 4; i++) {
        sum += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i);
    }
    return sum;
}

SIMT_INLINE unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int sum)
{
    for (int i = 0; i < 4; i++) {
        sum += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
    }
    return sum;
}

SIMT_INLINE unsigned int umin(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}

SIMT_INLINE unsigned int umax(unsigned int a, unsigned int b)
{
    return a > b ? a : b;
}

/* ---- conversions ---- */

namespace simt
{

/* A rounded value as an integer. */
template <class To, class From>
SIMT_INLINE To saturated(From value)
{
    constexpr To least = std::numeric_limits<To>::min(), most = std::numeric_limits<To>::max();
    return value != value                      ? To{0}
           : value <= static_cast<From>(least) ? least
           : value >= static_cast<From>(most)  ? most
                                               : static_cast<To>(value);
}

} // namespace simt

#define SIMT_CONVERSIONS(name, To, From)                                                           \
    SIMT_INLINE To name##_rn(From x)                                                               \
    {                                                                                              \
        return simt::saturated<To>(std::nearbyint(x));                                             \
    }                                                                                              \
    SIMT_INLINE To name##_rz(From x)                                                               \
    {                                                                                              \
        return simt::saturated<To>(std::trunc(x));                                                 \
    }                                                                                              \
    SIMT_INLINE To name##_rd(From x)                                                               \
    {                                                                                              \
        return simt::saturated<To>(std::floor(x));                                                 \
    }                                                                                              \
    SIMT_INLINE To name##_ru(From x)                                                               \
    {                                                                                              \
        return simt::saturated<To>(std::ceil(x));                                                  \
    }
SIMT_CONVERSIONS(__float2int, int, float)
SIMT_CONVERSIONS(__float2uint, unsigned int, float)
SIMT_CONVERSIONS(__float2ll, long long, float)
SIMT_CONVERSIONS(__float2ull, unsigned long long, float)
SIMT_CONVERSIONS(__double2int, int, double)
SIMT_CONVERSIONS(__double2uint, unsigned int, double)
SIMT_CONVERSIONS(__double2ll, long long, double)
SIMT_CONVERSIONS(__double2ull, unsigned long long, double)
#undef SIMT_CONVERSIONS

#define SIMT_CONVERSION(name, To, From)                                                            \
    SIMT_INLINE To name(From x)                                                                    \
    {                                                                                              \
        return static_cast<To>(x);                                                                 \
    }
SIMT_CONVERSION(__int2float_rn, float, int)
SIMT_CONVERSION(__uint2float_rn, float, unsigned int)
SIMT_CONVERSION(__ll2float_rn, float, long long)
SIMT_CONVERSION(__ull2float_rn, float, unsigned long long)
SIMT_CONVERSION(__int2double_rn, double, int)
SIMT_CONVERSION(__uint2double_rn, double, unsigned int)
SIMT_CONVERSION(__ll2double_rn, double, long long)
SIMT_CONVERSION(__ull2double_rn, double, unsigned long long)
SIMT_CONVERSION(__double2float_rn, float, double)
#undef SIMT_CONVERSION

SIMT_INLINE int __double2hiint(double x)
{
    return static_cast<int>(simt::bits_as<uint64_t>(x) >> 32);
}

SIMT_INLINE int __double2loint(double x)
{
    return static_cast<int>(simt::bits_as<uint64_t>(x));
}

SIMT_INLINE double __hiloint2double(int high, int low)
{
    return simt::bits_as<double>(static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 |
                                 static_cast<uint32_t>(low));
}

/* ---- floating point ---- */

#define SIMT_FUNCTION(name, T, parameters, expression)                                             \
    SIMT_INLINE T name parameters                                                                  \
    {                                                                                              \
        return expression;                                                                         \
    }
SIMT_FUNCTION(__dsqrt_rn, double, (double x), sqrt(x))
SIMT_FUNCTION(__drcp_rn, double, (double x), 1.0 / x)
SIMT_FUNCTION(fdividef, float, (float a, float b), a / b)
#undef SIMT_FUNCTION

namespace simt
{

template <class T>
SIMT_INLINE void both_of_half_turns(T x, T *sine, T *cosine)
{
    *sine = static_cast<T>(simt_sinpi(x));
    *cosine = static_cast<T>(simt_cospi(x));
}

} // namespace simt

/* Macros, because some C libraries declare functions of these names. */
#define __sincosf(x, sine, cosine) sincosf(x, sine, cosine)
#define sinpif(x) static_cast<float>(simt_sinpi(static_cast<float>(x)))
#define sinpi(x) simt_sinpi(x)
#define cospif(x) static_cast<float>(simt_cospi(static_cast<float>(x)))
#define cospi(x) simt_cospi(x)
#define sincospif(x, sine, cosine) simt::both_of_half_turns<float>(x, sine, cosine)
#define sincospi(x, sine, cosine) simt::both_of_half_turns<double>(x, sine, cosine)

/* ---- hints ---- */

#ifndef __clang__
#define __builtin_assume(condition) static_cast<void>(0)
#endif

#endif
