/* CUDA functions for kernels that the C library lacks, or computes less exactly. All calculate in
 * long double: only the rounding to double adds a relevant error. */
#include <math.h>

#include "cuda/simt_special_calls.h"

static const long double PI = 3.14159265358979323846264338327950288L;
static const long double ROOT_OF_PI = 1.77245385090551602729816748334114518L;
static const long double ROOT_OF_2 = 1.41421356237309504880168872420969808L;
/* A smaller last step of Newton's method does not change a double. */
static const long double ENOUGH = 1e-18L;

/* ---- erf, erfc and related functions ---- */

/* The y with erfc(y) = x, 0 < x < 0.5, by Newton's method on the logarithm. That is nearly a
 * parabola, so any start on the right side converges without overshooting. */
static long double inverse_of_erfc(long double x)
{
    long double y = sqrtl(-logl(x));
    for (int i = 0; i < 60; i++) {
        const long double value = erfcl(y);
        const long double slope = -2 / ROOT_OF_PI * expl(-y * y) / value;
        const long double step = (logl(value) - logl(x)) / slope;
        y -= step;
        if (fabsl(step) <= ENOUGH * y) {
            break;
        }
    }
    return y;
}

/* The y with erf(y) = x, 0 <= x <= 0.5. */
static long double inverse_of_erf(long double x)
{
    long double y = x * ROOT_OF_PI / 2;
    for (int i = 0; i < 8; i++) {
        y -= (erfl(y) - x) * ROOT_OF_PI / 2 * expl(y * y);
    }
    return y;
}

/* For x near 1, uses erf of 1 - x, because erfc has lost digits near 0. */
static long double erfcinv(long double x)
{
    return !(x >= 0 && x <= 2) ? NAN
           : x == 0            ? INFINITY
           : x == 2            ? -INFINITY
           : x < 0.5L          ? inverse_of_erfc(x)
           : x <= 1            ? inverse_of_erf(1 - x)
           : x <= 1.5L         ? -inverse_of_erf(x - 1)
                               : -inverse_of_erfc(2 - x);
}

double simt_erfcinv(double x)
{
    return (double)erfcinv(x);
}

double simt_erfinv(double x)
{
    const long double magnitude = fabsl((long double)x);
    return (double)copysignl(magnitude <= 0.5L ? inverse_of_erf(magnitude) : erfcinv(1 - magnitude),
                             x);
}

double simt_normcdfinv(double p)
{
    return (double)(-ROOT_OF_2 * erfcinv(2 * (long double)p));
}

double simt_normcdf(double x)
{
    return (double)(erfcl(-x / ROOT_OF_2) / 2);
}

/* exp(x * x) * erfc(x) */
double simt_erfcx(double x)
{
    const long double exact = x;
    long double sum = 1, term = 1;
    if (x < -30) {
        return INFINITY;
    }
    if (x < 25) {
        const long double square = exact * exact, rest = fmal(exact, exact, -square);
        return (double)(expl(square) * (1 + rest) * erfcl(exact));
    }
    for (int i = 1; i < 12; i++) {
        term *= -(2 * i - 1) / (2 * exact * exact);
        sum += term;
    }
    return (double)(sum / (exact * ROOT_OF_PI));
}

/* ---- functions of half turns ---- */

/* sin or cos of PI * x: removes quarter turns, then uses an angle of at most PI / 4. Numbers from
 * 2^53 on are even. */
static double of_half_turns(double x, int quarters)
{
    double whole, result;
    long double angle;
    if (!isfinite(x)) {
        return NAN;
    }
    x = fmod(x, 2);
    whole = rint(2 * x);
    angle = PI * (x - whole / 2);
    quarters = (quarters + (int)whole) & 3;
    result = (double)(quarters & 1 ? cosl(angle) : sinl(angle));
    return quarters & 2 ? -result : result;
}

double simt_sinpi(double x)
{
    return x == rint(x) && isfinite(x) ? copysign(0, x) : of_half_turns(x, 0);
}

double simt_cospi(double x)
{
    return of_half_turns(x, 1) + 0.0; /* no -0 */
}

/* ---- lengths ---- */

static long double length(double a, double b, double c, double d)
{
    const long double w = a, x = b, y = c, z = d; /* their squares are in range */
    return isinf(a) || isinf(b) || isinf(c) || isinf(d) ? INFINITY
                                                        : sqrtl(w * w + x * x + y * y + z * z);
}

double simt_norm(double a, double b, double c, double d)
{
    return (double)length(a, b, c, d);
}

double simt_rnorm(double a, double b, double c, double d)
{
    return (double)(1 / length(a, b, c, d));
}

/* ---- others ---- */

/* The C library's errors for these exceed the limits in CUDA's documentation. cuda_runtime.h
 * redirects their callers here. */
#define EXACT(name)                                                                                \
    double simt_##name(double x)                                                                   \
    {                                                                                              \
        return (double)name##l(x);                                                                 \
    }
EXACT(cbrt)
EXACT(tanh)
EXACT(cosh)
EXACT(log10)
EXACT(j0)
EXACT(j1)
EXACT(y0)
EXACT(y1)

#define EXACT_FLOAT(name)                                                                          \
    float simt_##name##f(float x)                                                                  \
    {                                                                                              \
        return (float)name(x);                                                                     \
    }
EXACT_FLOAT(tgamma)
EXACT_FLOAT(lgamma)
EXACT_FLOAT(j0)
EXACT_FLOAT(j1)
EXACT_FLOAT(y0)
EXACT_FLOAT(y1)

double simt_exp10(double x)
{
    return (double)powl(10, x);
}

double simt_rcbrt(double x)
{
    return (double)(1 / cbrtl(x));
}

/* The power series: all terms have the same sign. */
double simt_bessel_i(int order, double x)
{
    const long double quarter = (long double)x * x / 4;
    long double term = order == 0 ? 1 : (long double)x / 2, sum = term;
    if (!isfinite(x)) {
        return order == 0 ? fabs(x) : x;
    }
    for (int i = 1; i < 2000 && fabsl(term) > ENOUGH * fabsl(sum); i++) {
        term *= quarter / i / (i + order);
        sum += term;
    }
    return (double)sum;
}
/* SPDX-License-Identifier: MIT */
