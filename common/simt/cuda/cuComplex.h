/* Drop-in for CUDA's header of the same name: complex numbers of two floats or doubles. */
#ifndef SIMT_CUCOMPLEX_H
#define SIMT_CUCOMPLEX_H

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define SIMT_COMPLEX(Complex, T, make, suffix, hypotenuse)                                         \
    SIMT_INLINE Complex make_##Complex(T real, T imaginary)                                        \
    {                                                                                              \
        return make(real, imaginary);                                                              \
    }                                                                                              \
    SIMT_INLINE T cuCreal##suffix(Complex a)                                                       \
    {                                                                                              \
        return a.x;                                                                                \
    }                                                                                              \
    SIMT_INLINE T cuCimag##suffix(Complex a)                                                       \
    {                                                                                              \
        return a.y;                                                                                \
    }                                                                                              \
    SIMT_INLINE Complex cuConj##suffix(Complex a)                                                  \
    {                                                                                              \
        return make(a.x, -a.y);                                                                    \
    }                                                                                              \
    SIMT_INLINE Complex cuCadd##suffix(Complex a, Complex b)                                       \
    {                                                                                              \
        return make(a.x + b.x, a.y + b.y);                                                         \
    }                                                                                              \
    SIMT_INLINE Complex cuCsub##suffix(Complex a, Complex b)                                       \
    {                                                                                              \
        return make(a.x - b.x, a.y - b.y);                                                         \
    }                                                                                              \
    SIMT_INLINE Complex cuCmul##suffix(Complex a, Complex b)                                       \
    {                                                                                              \
        return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                 \
    }                                                                                              \
    SIMT_INLINE Complex cuCfma##suffix(Complex a, Complex b, Complex c)                            \
    {                                                                                              \
        return cuCadd##suffix(cuCmul##suffix(a, b), c);                                            \
    }                                                                                              \
    /* Scaled, so that the squares do not overflow. */                                             \
    SIMT_INLINE Complex cuCdiv##suffix(Complex a, Complex b)                                       \
    {                                                                                              \
        T scale = 1 / (std::fabs(b.x) + std::fabs(b.y));                                           \
        T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                  \
        T norm = 1 / (bx * bx + by * by);                                                          \
        return make((ax * bx + ay * by) * norm, (ay * bx - ax * by) * norm);                       \
    }                                                                                              \
    SIMT_INLINE T cuCabs##suffix(Complex a)                                                        \
    {                                                                                              \
        return hypotenuse(a.x, a.y);                                                               \
    }
SIMT_COMPLEX(cuFloatComplex, float, make_float2, f, hypotf)
SIMT_COMPLEX(cuDoubleComplex, double, make_double2, , hypot)
#undef SIMT_COMPLEX

SIMT_INLINE cuComplex make_cuComplex(float real, float imaginary)
{
    return make_float2(real, imaginary);
}

#endif
