/* Special functions that CUDA has and the C library has not. Kernels call them. */
#include <math.h>

#include "cuda/simt_special_calls.h"

#define ROOT_OF_PI 1.7724538509055160273

/* The y with erfc(y) = x, 0 < x <= 1, by Newton's method on the logarithm, which is nearly a
 * parabola: from any start on the right side it converges without overshooting. */
static double inverse_of_erfc(double x)
{
    double y = x > 0.5 ? (1 - x) * ROOT_OF_PI / 2 : sqrt(fmax(0, -log(x)));
    for (int i = 0; i < 60; i++) {
        const double value = erfc(y);
        const double slope = -2 / ROOT_OF_PI * exp(-y * y) / value;
        const double step = (log(value) - log(x)) / slope;
        y -= step;
        if (fabs(step) <= 1e-16 * fabs(y)) {
            break;
        }
    }
    return y;
}

double simt_erfcinv(double x)
{
    if (!(x >= 0 && x <= 2)) {
        return NAN;
    }
    return x == 0   ? INFINITY
           : x == 2 ? -INFINITY
           : x <= 1 ? inverse_of_erfc(x)
                    : -inverse_of_erfc(2 - x);
}

/* Near 0, where 1 - x has lost digits, on erf itself. */
double simt_erfinv(double x)
{
    const double magnitude = fabs(x);
    double y;
    if (!(magnitude <= 1)) {
        return NAN;
    }
    if (magnitude > 0.5) {
        return copysign(magnitude == 1 ? INFINITY : inverse_of_erfc(1 - magnitude), x);
    }
    y = magnitude * ROOT_OF_PI / 2;
    for (int i = 0; i < 8; i++) {
        y -= (erf(y) - magnitude) * ROOT_OF_PI / 2 * exp(y * y);
    }
    return copysign(y, x);
}

/* exp(x * x) * erfc(x) */
double simt_erfcx(double x)
{
    double sum = 1, term = 1;
    if (x < 25) {
        return exp(x * x) * erfc(x);
    }
    for (int i = 1; i < 10; i++) {
        term *= -(2 * i - 1) / (2 * x * x);
        sum += term;
    }
    return sum / (x * ROOT_OF_PI);
}

/* The power series: all of its terms have one sign. */
double simt_bessel_i(int order, double x)
{
    const double quarter = x * x / 4;
    double term = order == 0 ? 1 : x / 2, sum = term;
    if (!isfinite(x)) {
        return order == 0 ? fabs(x) : x;
    }
    for (int i = 1; i < 2000 && fabs(term) > 1e-17 * fabs(sum); i++) {
        term *= quarter / i / (i + order);
        sum += term;
    }
    return sum;
}
