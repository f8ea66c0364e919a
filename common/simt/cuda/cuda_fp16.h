/* Drop-in for CUDA's header of the same name: half precision, computed in float or double and
 * rounded once. The rarer conversions with a rounding mode and the raw structures are not there. */
#ifndef SIMT_CUDA_FP16_H
#define SIMT_CUDA_FP16_H

#include "cuda_runtime.h"

namespace simt
{

/* To the nearest half, ties to even. From double, so that no value is rounded twice. */
SIMT_INLINE unsigned short half_bits(double value)
{
    unsigned int sign = std::signbit(value) ? 0x8000u : 0;
    double magnitude = std::fabs(value);
    int exponent;
    if (value != value) {
        return 0x7fff;
    }
    if (magnitude >= 65520.0) { /* half way from the largest number to the next that would be */
        return static_cast<unsigned short>(sign | 0x7c00);
    }
    if (magnitude < 6.103515625e-05) { /* subnormal, in steps of 2^-24 */
        return static_cast<unsigned short>(
            sign | static_cast<unsigned int>(std::nearbyint(magnitude * 16777216.0)));
    }
    std::frexp(magnitude, &exponent);
    /* Eleven bits; a carry out of them goes on into the exponent. */
    unsigned int bits =
        static_cast<unsigned int>(std::nearbyint(std::ldexp(magnitude, 11 - exponent)));
    return static_cast<unsigned short>(
        sign | ((static_cast<unsigned int>(exponent + 14) << 10) + (bits - 1024)));
}

SIMT_INLINE float half_value(unsigned short bits)
{
    unsigned int exponent = bits >> 10 & 31, fraction = bits & 1023u;
    float magnitude = exponent == 31  ? (fraction ? __builtin_nanf("") : __builtin_inff())
                      : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                      : std::ldexp(static_cast<float>(fraction + 1024),
                                                   static_cast<int>(exponent) - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

} // namespace simt

struct __half {
    unsigned short simt_bits;

    constexpr __half() : simt_bits(0) /* so that __shared__ arrays need no guard */
    {
    }
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    __half(T value) : simt_bits(simt::half_bits(static_cast<double>(value)))
    {
    }
    operator float() const
    {
        return simt::half_value(simt_bits);
    }
};

struct alignas(4) __half2 {
    __half x, y;

    constexpr __half2()
    {
    }
    __half2(__half a, __half b) : x(a), y(b)
    {
    }
};

typedef __half half;
typedef __half2 half2;

/* ---- conversions ---- */

#define SIMT_HALF(result, name, parameters, expression)                                            \
    SIMT_INLINE result name parameters                                                             \
    {                                                                                              \
        return expression;                                                                         \
    }
SIMT_HALF(__half, __float2half, (float a), __half(a))
SIMT_HALF(__half, __float2half_rn, (float a), __half(a))
SIMT_HALF(__half, __double2half, (double a), __half(a))
SIMT_HALF(__half, __int2half_rn, (int a), __half(a))
SIMT_HALF(__half, __uint2half_rn, (unsigned int a), __half(a))
SIMT_HALF(__half, __short2half_rn, (short a), __half(a))
SIMT_HALF(__half, __ushort2half_rn, (unsigned short a), __half(a))
SIMT_HALF(float, __half2float, (__half a), a)
SIMT_HALF(int, __half2int_rn, (__half a), __float2int_rn(a))
SIMT_HALF(int, __half2int_rz, (__half a), __float2int_rz(a))
SIMT_HALF(int, __half2int_rd, (__half a), __float2int_rd(a))
SIMT_HALF(int, __half2int_ru, (__half a), __float2int_ru(a))
SIMT_HALF(unsigned int, __half2uint_rn, (__half a), __float2uint_rn(a))
SIMT_HALF(unsigned int, __half2uint_rz, (__half a), __float2uint_rz(a))
SIMT_HALF(unsigned short, __half_as_ushort, (__half a), a.simt_bits)
SIMT_HALF(short, __half_as_short, (__half a), static_cast<short>(a.simt_bits))
SIMT_HALF(__half2, make_half2, (__half a, __half b), __half2(a, b))
SIMT_HALF(__half2, __halves2half2, (__half a, __half b), __half2(a, b))
SIMT_HALF(__half2, __half2half2, (__half a), __half2(a, a))
SIMT_HALF(__half2, __float2half2_rn, (float a), __half2(a, a))
SIMT_HALF(__half2, __floats2half2_rn, (float a, float b), __half2(a, b))
SIMT_HALF(__half2, __float22half2_rn, (float2 a), __half2(a.x, a.y))
SIMT_HALF(float2, __half22float2, (__half2 a), make_float2(a.x, a.y))
SIMT_HALF(float, __low2float, (__half2 a), a.x)
SIMT_HALF(float, __high2float, (__half2 a), a.y)
SIMT_HALF(__half, __low2half, (__half2 a), a.x)
SIMT_HALF(__half, __high2half, (__half2 a), a.y)
SIMT_HALF(__half2, __low2half2, (__half2 a), __half2(a.x, a.x))
SIMT_HALF(__half2, __high2half2, (__half2 a), __half2(a.y, a.y))
SIMT_HALF(__half2, __lows2half2, (__half2 a, __half2 b), __half2(a.x, b.x))
SIMT_HALF(__half2, __highs2half2, (__half2 a, __half2 b), __half2(a.y, b.y))
SIMT_HALF(__half2, __lowhigh2highlow, (__half2 a), __half2(a.y, a.x))

SIMT_INLINE __half __ushort_as_half(unsigned short bits)
{
    __half result;
    result.simt_bits = bits;
    return result;
}

SIMT_INLINE __half __short_as_half(short bits)
{
    return __ushort_as_half(static_cast<unsigned short>(bits));
}

/* ---- arithmetic: a float holds more than twice a half's bits, so rounding it again is exact
 * ---- */

#define SIMT_HALF_BINARY(name, expression)                                                         \
    SIMT_INLINE __half name(__half left, __half right)                                             \
    {                                                                                              \
        float a = left, b = right;                                                                 \
        return __half(expression);                                                                 \
    }                                                                                              \
    SIMT_INLINE __half2 name##2(__half2 left, __half2 right)                                       \
    {                                                                                              \
        return __half2(name(left.x, right.x), name(left.y, right.y));                              \
    }
#define SIMT_HALF_UNARY(name, name2, expression)                                                   \
    SIMT_INLINE __half name(__half value)                                                          \
    {                                                                                              \
        float a = value;                                                                           \
        return __half(expression);                                                                 \
    }                                                                                              \
    SIMT_INLINE __half2 name2(__half2 value)                                                       \
    {                                                                                              \
        return __half2(name(value.x), name(value.y));                                              \
    }
SIMT_HALF_BINARY(__hadd, a + b)
SIMT_HALF_BINARY(__hsub, a - b)
SIMT_HALF_BINARY(__hmul, a *b)
SIMT_HALF_BINARY(__hadd_rn, a + b)
SIMT_HALF_BINARY(__hsub_rn, a - b)
SIMT_HALF_BINARY(__hmul_rn, a *b)
SIMT_HALF_BINARY(__hadd_sat, __saturatef(a + b))
SIMT_HALF_BINARY(__hmul_sat, __saturatef(a *b))
SIMT_HALF_BINARY(__hmax, fmaxf(a, b))
SIMT_HALF_BINARY(__hmin, fminf(a, b))
SIMT_HALF(__half, __hdiv, (__half a, __half b), __half(float(a) / float(b)))
SIMT_HALF(__half2, __h2div, (__half2 a, __half2 b), __half2(__hdiv(a.x, b.x), __hdiv(a.y, b.y)))
SIMT_HALF_UNARY(__hneg, __hneg2, -a)
SIMT_HALF_UNARY(__habs, __habs2, fabsf(a))
SIMT_HALF_UNARY(hsqrt, h2sqrt, sqrtf(a))
SIMT_HALF_UNARY(hrsqrt, h2rsqrt, 1.0 / sqrt(static_cast<double>(a)))
SIMT_HALF_UNARY(hrcp, h2rcp, 1.0f / a)
SIMT_HALF_UNARY(hexp, h2exp, expf(a))
SIMT_HALF_UNARY(hexp2, h2exp2, exp2f(a))
SIMT_HALF_UNARY(hlog, h2log, logf(a))
SIMT_HALF_UNARY(hlog2, h2log2, log2f(a))
SIMT_HALF_UNARY(hsin, h2sin, sinf(a))
SIMT_HALF_UNARY(hcos, h2cos, cosf(a))
SIMT_HALF_UNARY(hfloor, h2floor, floorf(a))
SIMT_HALF_UNARY(hceil, h2ceil, ceilf(a))
SIMT_HALF_UNARY(htrunc, h2trunc, truncf(a))
SIMT_HALF_UNARY(hrint, h2rint, nearbyintf(a))

/* The product is exact in double; so is the sum unless it spans more than its 53 bits. */
SIMT_INLINE __half __hfma(__half a, __half b, __half c)
{
    return __half(static_cast<double>(float(a)) * static_cast<double>(float(b)) +
                  static_cast<double>(float(c)));
}

SIMT_INLINE __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

#undef SIMT_HALF_BINARY
#undef SIMT_HALF_UNARY

/* ---- comparisons ---- */

#define SIMT_HALF_COMPARISON(name, operation)                                                      \
    SIMT_INLINE bool __h##name(__half a, __half b)                                                 \
    {                                                                                              \
        return float(a) operation float(b);                                                        \
    }                                                                                              \
    SIMT_INLINE __half2 __h##name##2(__half2 a, __half2 b)                                         \
    {                                                                                              \
        return __half2(__half(__h##name(a.x, b.x)), __half(__h##name(a.y, b.y)));                  \
    }                                                                                              \
    SIMT_INLINE bool __hb##name##2(__half2 a, __half2 b)                                           \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    SIMT_INLINE bool operator operation(__half a, __half b)                                        \
    {                                                                                              \
        return float(a) operation float(b);                                                        \
    }
SIMT_HALF_COMPARISON(eq, ==)
SIMT_HALF_COMPARISON(lt, <)
SIMT_HALF_COMPARISON(le, <=)
SIMT_HALF_COMPARISON(gt, >)
SIMT_HALF_COMPARISON(ge, >=)
#undef SIMT_HALF_COMPARISON
SIMT_HALF(bool, __hne, (__half a, __half b), float(a) != float(b))
SIMT_HALF(bool, operator!=, (__half a, __half b), float(a) != float(b))
SIMT_HALF(bool, __hisnan, (__half a), float(a) != float(a))
SIMT_HALF(int, __hisinf, (__half a), a.simt_bits == 0x7c00 ? 1 : a.simt_bits == 0xfc00 ? -1 : 0)

/* ---- operators ---- */

#define SIMT_HALF_OPERATOR(operation, name, name2)                                                 \
    SIMT_HALF(__half, operator operation, (__half a, __half b), name(a, b))                        \
    SIMT_HALF(__half2, operator operation, (__half2 a, __half2 b), name2(a, b))                    \
    SIMT_HALF(__half &, operator operation##=, (__half & a, __half b), a = name(a, b))             \
    SIMT_HALF(__half2 &, operator operation##=, (__half2 & a, __half2 b), a = name2(a, b))
SIMT_HALF_OPERATOR(+, __hadd, __hadd2)
SIMT_HALF_OPERATOR(-, __hsub, __hsub2)
SIMT_HALF_OPERATOR(*, __hmul, __hmul2)
SIMT_HALF_OPERATOR(/, __hdiv, __h2div)
#undef SIMT_HALF_OPERATOR
SIMT_HALF(__half, operator-, (__half a), __hneg(a))
SIMT_HALF(__half2, operator-, (__half2 a), __hneg2(a))
#undef SIMT_HALF

/* ---- shuffles and atomics ---- */

#define SIMT_HALF_SHUFFLES(name, lane_type)                                                        \
    SIMT_INLINE __half name(unsigned int mask, __half value, lane_type lane,                       \
                            int width = SIMT_WARP_SIZE, SIMT_SITE)                                 \
    {                                                                                              \
        unsigned int bits = value.simt_bits;                                                       \
        return __ushort_as_half(                                                                   \
            static_cast<unsigned short>(name(mask, bits, lane, width, simt_file, simt_line)));     \
    }                                                                                              \
    SIMT_INLINE __half2 name(unsigned int mask, __half2 value, lane_type lane,                     \
                             int width = SIMT_WARP_SIZE, SIMT_SITE)                                \
    {                                                                                              \
        return simt::bits_as<__half2>(                                                             \
            name(mask, simt::bits_as<unsigned int>(value), lane, width, simt_file, simt_line));    \
    }
SIMT_HALF_SHUFFLES(__shfl_sync, int)
SIMT_HALF_SHUFFLES(__shfl_up_sync, unsigned int)
SIMT_HALF_SHUFFLES(__shfl_down_sync, unsigned int)
SIMT_HALF_SHUFFLES(__shfl_xor_sync, int)
#undef SIMT_HALF_SHUFFLES

namespace simt
{

/* By compare-and-swap on an aligned word. */
template <class Change>
SIMT_INLINE __half2 change_halves(void *address, Change change, const char *file, int line)
{
    unsigned int *word = static_cast<unsigned int *>(address);
    unsigned int expected = atomicCAS(word, 0u, 0u, file, line);
    for (;;) {
        unsigned int changed = bits_as<unsigned int>(change(bits_as<__half2>(expected)));
        unsigned int old = atomicCAS(word, expected, changed, file, line);
        if (old == expected) {
            return bits_as<__half2>(old);
        }
        expected = old;
    }
}

} // namespace simt

SIMT_INLINE __half2 atomicAdd(__half2 *address, __half2 operand, SIMT_SITE)
{
    return simt::change_halves(
        address, [=](__half2 old) { return old + operand; }, simt_file, simt_line);
}

SIMT_INLINE __half atomicAdd(__half *address, __half operand, SIMT_SITE)
{
    bool high = reinterpret_cast<size_t>(address) % 4 != 0;
    __half2 before = simt::change_halves(
        address - high,
        [=](__half2 old) {
            return high ? __half2(old.x, old.y + operand) : __half2(old.x + operand, old.y);
        },
        simt_file, simt_line);
    return high ? before.y : before.x;
}

#endif
