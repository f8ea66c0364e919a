#include "problem/reference.h"

#include <math.h>

#include "base/half.h"

/* Independent partial sums, so that the compiler can keep several additions in flight. */
enum { LANES = 8 };

struct lane {
    double sum;
    double correction;
    double plain; /* the uncompensated sum, whose NaN or infinity is the result */
    double magnitude;
};

static inline void add_term(struct lane *lane, double term, double term_error)
{
    /* Knuth's two-sum: `rounding` is exactly the addition's rounding error. */
    const double sum = lane->sum + term;
    const double part = sum - lane->sum;
    const double rounding = (lane->sum - (sum - part)) + (term - part);

    lane->sum = sum;
    lane->correction += rounding + term_error;
    lane->plain += term;
    lane->magnitude += fabs(term);
}

static struct reference finish(const struct lane lanes[LANES])
{
    struct lane total = {0};
    for (int l = 0; l < LANES; l++) {
        const double magnitude = total.magnitude + lanes[l].magnitude;
        const double plain = total.plain + lanes[l].plain;
        add_term(&total, lanes[l].sum, lanes[l].correction);
        total.magnitude = magnitude;
        total.plain = plain;
    }

    struct reference reference = {.magnitude = total.magnitude};
    if (isfinite(total.plain)) {
        reference.value = total.sum + total.correction;
        reference.tail = (total.sum - reference.value) + total.correction;
    } else {
        reference.value = total.plain;
    }
    return reference;
}

/* The product of two floats is exact in double. */
struct reference reference_dot_f32(const float *a, size_t step_a, const float *b, size_t step_b,
                                   size_t n)
{
    struct lane lanes[LANES] = {{0}};
    for (size_t i = 0; i < n; i++)
        add_term(&lanes[i % LANES], (double)a[i * step_a] * (double)b[i * step_b], 0);
    return finish(lanes);
}

struct reference reference_dot_f64(const double *a, size_t step_a, const double *b, size_t step_b,
                                   size_t n)
{
    struct lane lanes[LANES] = {{0}};
    for (size_t i = 0; i < n; i++) {
        const double product = a[i * step_a] * b[i * step_b];
        add_term(&lanes[i % LANES], product, fma(a[i * step_a], b[i * step_b], -product));
    }
    return finish(lanes);
}

struct reference reference_dot_f32_f64(const float *a, const double *b, size_t n)
{
    struct lane lanes[LANES] = {{0}};
    for (size_t i = 0; i < n; i++) {
        const double product = (double)a[i] * b[i];
        add_term(&lanes[i % LANES], product, fma((double)a[i], b[i], -product));
    }
    return finish(lanes);
}

struct reference reference_dot_mixed(const float *a, const unsigned char *b, size_t n)
{
    struct lane lanes[LANES] = {{0}};
    for (size_t i = 0; i < n; i++)
        add_term(&lanes[i % LANES], (double)a[i] * (double)b[i], 0);
    return finish(lanes);
}

struct reference reference_f16(const uint16_t *a, const uint16_t *b, size_t n)
{
    struct lane lanes[LANES] = {{0}};
    for (size_t i = 0; i < n; i++)
        add_term(&lanes[i % LANES],
                 (double)float_of_half(a[i]) * (b != NULL ? (double)float_of_half(b[i]) : 1), 0);
    return finish(lanes);
}

struct reference reference_sum_f32(const float *a, size_t n)
{
    struct lane lanes[LANES] = {{0}};
    for (size_t i = 0; i < n; i++)
        add_term(&lanes[i % LANES], (double)a[i], 0);
    return finish(lanes);
}

struct reference reference_sum_f64(const double *a, size_t n)
{
    struct lane lanes[LANES] = {{0}};
    for (size_t i = 0; i < n; i++)
        add_term(&lanes[i % LANES], a[i], 0);
    return finish(lanes);
}
/* SPDX-License-Identifier: MIT */
