/* Special functions, norms and rarer intrinsics. cuda_runtime.h includes this. */
#ifndef SIMT_SPECIAL_H
#define SIMT_SPECIAL_H

#include "cuda_runtime.h"
#include "simt_special_calls.h"

#define SIMT_FUNCTION(name, parameters, expression)                                                \
    SIMT_INLINE double name parameters                                                             \
    {                                                                                              \
        return expression;                                                                         \
    }
#define SIMT_FUNCTION_F(name, parameters, expression)                                              \
    SIMT_INLINE float name parameters                                                              \
    {                                                                                              \
        return static_cast<float>(expression);                                                     \
    }
SIMT_FUNCTION(erfinv, (double x), simt_erfinv(x))
SIMT_FUNCTION_F(erfinvf, (float x), simt_erfinv(x))
SIMT_FUNCTION(erfcinv, (double x), simt_erfcinv(x))
SIMT_FUNCTION_F(erfcinvf, (float x), simt_erfcinv(x))
SIMT_FUNCTION(erfcx, (double x), simt_erfcx(x))
SIMT_FUNCTION_F(erfcxf, (float x), simt_erfcx(x))
SIMT_FUNCTION(normcdf, (double x), simt_normcdf(x))
SIMT_FUNCTION_F(normcdff, (float x), simt_normcdf(x))
SIMT_FUNCTION(normcdfinv, (double p), simt_normcdfinv(p))
SIMT_FUNCTION_F(normcdfinvf, (float p), simt_normcdfinv(p))
SIMT_FUNCTION(cyl_bessel_i0, (double x), simt_bessel_i(0, x))
SIMT_FUNCTION_F(cyl_bessel_i0f, (float x), simt_bessel_i(0, x))
SIMT_FUNCTION(cyl_bessel_i1, (double x), simt_bessel_i(1, x))
SIMT_FUNCTION_F(cyl_bessel_i1f, (float x), simt_bessel_i(1, x))
SIMT_FUNCTION(rcbrt, (double x), simt_rcbrt(x))
SIMT_FUNCTION_F(rcbrtf, (float x), simt_rcbrt(x))
SIMT_FUNCTION(rhypot, (double a, double b), simt_rnorm(a, b, 0, 0))
SIMT_FUNCTION_F(rhypotf, (float a, float b), simt_rnorm(a, b, 0, 0))
SIMT_FUNCTION(norm3d, (double a, double b, double c), simt_norm(a, b, c, 0))
SIMT_FUNCTION_F(norm3df, (float a, float b, float c), simt_norm(a, b, c, 0))
SIMT_FUNCTION(rnorm3d, (double a, double b, double c), simt_rnorm(a, b, c, 0))
SIMT_FUNCTION_F(rnorm3df, (float a, float b, float c), simt_rnorm(a, b, c, 0))
SIMT_FUNCTION(norm4d, (double a, double b, double c, double d), simt_norm(a, b, c, d))
SIMT_FUNCTION_F(norm4df, (float a, float b, float c, float d), simt_norm(a, b, c, d))
SIMT_FUNCTION(rnorm4d, (double a, double b, double c, double d), simt_rnorm(a, b, c, d))
SIMT_FUNCTION_F(rnorm4df, (float a, float b, float c, float d), simt_rnorm(a, b, c, d))
#undef SIMT_FUNCTION
#undef SIMT_FUNCTION_F

#define SIMT_NORM(name, T, expression)                                                             \
    SIMT_INLINE T name(int size, const T *vector)                                                  \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (int i = 0; i < size; i++) {                                                           \
            sum = hypot(sum, static_cast<double>(vector[i]));                                      \
        }                                                                                          \
        return static_cast<T>(expression);                                                         \
    }
SIMT_NORM(norm, double, sum)
SIMT_NORM(normf, float, sum)
SIMT_NORM(rnorm, double, 1 / sum)
SIMT_NORM(rnormf, float, 1 / sum)
#undef SIMT_NORM

/* ---- integers ---- */

SIMT_INLINE long long llmin(long long a, long long b)
{
    return a < b ? a : b;
}

SIMT_INLINE long long llmax(long long a, long long b)
{
    return a > b ? a : b;
}

SIMT_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}

SIMT_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}

namespace simt
{

/* The dot product of the halves of a with two of the four bytes of b, from byte `first` on. */
template <class OfA, class OfB>
SIMT_INLINE int dot_of_two(unsigned int a, unsigned int b, int first)
{
    return static_cast<OfA>(a & 0xffff) * static_cast<OfB>(b >> 8 * first & 0xff) +
           static_cast<OfA>(a >> 16) * static_cast<OfB>(b >> 8 * (first + 1) & 0xff);
}

} // namespace simt

SIMT_INLINE int __dp2a_lo(int a, int b, int sum)
{
    return sum + simt::dot_of_two<short, signed char>(static_cast<unsigned int>(a),
                                                      static_cast<unsigned int>(b), 0);
}

SIMT_INLINE int __dp2a_hi(int a, int b, int sum)
{
    return sum + simt::dot_of_two<short, signed char>(static_cast<unsigned int>(a),
                                                      static_cast<unsigned int>(b), 2);
}

SIMT_INLINE unsigned int __dp2a_lo(unsigned int a, unsigned int b, unsigned int sum)
{
    return sum +
           static_cast<unsigned int>(simt::dot_of_two<unsigned short, unsigned char>(a, b, 0));
}

SIMT_INLINE unsigned int __dp2a_hi(unsigned int a, unsigned int b, unsigned int sum)
{
    return sum +
           static_cast<unsigned int>(simt::dot_of_two<unsigned short, unsigned char>(a, b, 2));
}

/* The same for vectors. */
SIMT_INLINE int __dp2a_lo(short2 a, char4 b, int sum)
{
    return __dp2a_lo(simt::bits_as<int>(a), simt::bits_as<int>(b), sum);
}

SIMT_INLINE int __dp2a_hi(short2 a, char4 b, int sum)
{
    return __dp2a_hi(simt::bits_as<int>(a), simt::bits_as<int>(b), sum);
}

SIMT_INLINE unsigned int __dp2a_lo(ushort2 a, uchar4 b, unsigned int sum)
{
    return __dp2a_lo(simt::bits_as<unsigned int>(a), simt::bits_as<unsigned int>(b), sum);
}

SIMT_INLINE unsigned int __dp2a_hi(ushort2 a, uchar4 b, unsigned int sum)
{
    return __dp2a_hi(simt::bits_as<unsigned int>(a), simt::bits_as<unsigned int>(b), sum);
}

SIMT_INLINE int __dp4a(char4 a, char4 b, int sum)
{
    return __dp4a(simt::bits_as<int>(a), simt::bits_as<int>(b), sum);
}

SIMT_INLINE unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int sum)
{
    return __dp4a(simt::bits_as<unsigned int>(a), simt::bits_as<unsigned int>(b), sum);
}

/* The position of the n-th set bit, counted from `base`: upwards, or downwards if n < 0. Returns
 * 0xffffffff if there is none. */
SIMT_INLINE unsigned int __fns(unsigned int mask, unsigned int base, int n)
{
    const int step = n < 0 ? -1 : 1;
    int left = n < 0 ? -n : n;
    if (n == 0) {
        return mask >> (base & 31) & 1 ? base : 0xffffffffu;
    }
    for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step) {
        if (mask >> at & 1 && --left == 0) {
            return static_cast<unsigned int>(at);
        }
    }
    return 0xffffffffu;
}

SIMT_INLINE void __brkpt()
{
}

SIMT_INLINE void __prof_trigger(int)
{
}

#define __tanhf(x) tanhf(x)

#endif
