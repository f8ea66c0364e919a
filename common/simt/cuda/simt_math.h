/* Integer and floating point intrinsics.
 * cuda_runtime.h includes this. */
#ifndef SIMT_MATH_H
#define SIMT_MATH_H

#include "cuda_runtime.h"

SIMT_INLINE int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}

SIMT_INLINE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}

SIMT_INLINE int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x));
}

SIMT_INLINE int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}

SIMT_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}

SIMT_INLINE int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}

SIMT_INLINE unsigned int __brev(unsigned int x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}

SIMT_INLINE unsigned long long __brevll(unsigned long long x)
{
    return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
           __brev(static_cast<unsigned int>(x >> 32));
}

SIMT_INLINE int __mulhi(int a, int b)
{
    return static_cast<int>(static_cast<long long>(a) * b >> 32);
}

SIMT_INLINE unsigned int __umulhi(unsigned int a, unsigned int b)
{
    return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}

/* ---- floating point intrinsics ---- */

SIMT_INLINE int __float_as_int(float x)
{
    return simt::bits_as<int>(x);
}

SIMT_INLINE unsigned int __float_as_uint(float x)
{
    return simt::bits_as<unsigned int>(x);
}

SIMT_INLINE float __int_as_float(int x)
{
    return simt::bits_as<float>(x);
}

SIMT_INLINE float __uint_as_float(unsigned int x)
{
    return simt::bits_as<float>(x);
}

SIMT_INLINE long long __double_as_longlong(double x)
{
    return simt::bits_as<long long>(x);
}

SIMT_INLINE double __longlong_as_double(long long x)
{
    return simt::bits_as<double>(x);
}

/* `volatile` keeps a compiler with -ffp-contract=fast from fusing a product with a sum. */
#define SIMT_ROUNDED_FUNCTION(name, T, expression)                                                 \
    SIMT_INLINE T name(T a, T b)                                                                   \
    {                                                                                              \
        volatile T result = expression;                                                            \
        return result;                                                                             \
    }
SIMT_ROUNDED_FUNCTION(__fadd_rn, float, a + b)
SIMT_ROUNDED_FUNCTION(__fsub_rn, float, a - b)
SIMT_ROUNDED_FUNCTION(__fmul_rn, float, a *b)
SIMT_ROUNDED_FUNCTION(__fdiv_rn, float, a / b)
SIMT_ROUNDED_FUNCTION(__dadd_rn, double, a + b)
SIMT_ROUNDED_FUNCTION(__dsub_rn, double, a - b)
SIMT_ROUNDED_FUNCTION(__dmul_rn, double, a *b)
SIMT_ROUNDED_FUNCTION(__ddiv_rn, double, a / b)
#undef SIMT_ROUNDED_FUNCTION

SIMT_INLINE float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}

SIMT_INLINE double __fma_rn(double a, double b, double c)
{
    return fma(a, b, c);
}

SIMT_INLINE float __fsqrt_rn(float x)
{
    return sqrtf(x);
}

SIMT_INLINE float __frcp_rn(float x)
{
    return 1.0f / x;
}

/* As on a GPU: for |b| > 2^126, the reciprocal is flushed to zero before the product. */
SIMT_INLINE float __fdividef(float a, float b)
{
    return fabsf(b) > 8.507059173023462e37f ? a * copysignf(0.0f, b) : a / b;
}

SIMT_INLINE float __frsqrt_rn(float x)
{
    return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}

SIMT_INLINE float __saturatef(float x)
{
    return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; /* NaN gives 0 */
}

/* Macros, because the C library declares functions of these names. */
#define __expf(x) expf(x)
#define __exp10f(x) powf(10.0f, x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define rsqrtf(x) (1.0f / sqrtf(x))

SIMT_INLINE float rsqrt(float x)
{
    return 1.0f / sqrtf(x);
}

/* rsqrt() is new in C23. glibc has it from version 2.42 on. */
#if !defined(__GLIBC_PREREQ) || !__GLIBC_PREREQ(2, 42)
SIMT_INLINE double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
#endif

#define SIMT_MIN_MAX(result, A, B)                                                                 \
    SIMT_INLINE result min(A a, B b)                                                               \
    {                                                                                              \
        return static_cast<result>(b) < static_cast<result>(a) ? static_cast<result>(b)            \
                                                               : static_cast<result>(a);           \
    }                                                                                              \
    SIMT_INLINE result max(A a, B b)                                                               \
    {                                                                                              \
        return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(b)            \
                                                               : static_cast<result>(a);           \
    }
#define SIMT_MIN_MAX_SIGNS(T)                                                                      \
    SIMT_MIN_MAX(T, T, T)                                                                          \
    SIMT_MIN_MAX(unsigned T, unsigned T, unsigned T)                                               \
    SIMT_MIN_MAX(unsigned T, T, unsigned T)                                                        \
    SIMT_MIN_MAX(unsigned T, unsigned T, T)
SIMT_MIN_MAX_SIGNS(int)
SIMT_MIN_MAX_SIGNS(long)
SIMT_MIN_MAX_SIGNS(long long)
#undef SIMT_MIN_MAX_SIGNS
#undef SIMT_MIN_MAX

/* As fmin and fmax: of a NaN and a number, the result is the number. */
#define SIMT_MIN_MAX(result, A, B, suffix)                                                         \
    SIMT_INLINE result min(A a, B b)                                                               \
    {                                                                                              \
        return fmin##suffix(a, b);                                                                 \
    }                                                                                              \
    SIMT_INLINE result max(A a, B b)                                                               \
    {                                                                                              \
        return fmax##suffix(a, b);                                                                 \
    }
SIMT_MIN_MAX(float, float, float, f)
SIMT_MIN_MAX(double, double, double, )
SIMT_MIN_MAX(double, float, double, )
SIMT_MIN_MAX(double, double, float, )
#undef SIMT_MIN_MAX

#endif
