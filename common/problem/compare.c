#include "problem/compare.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static double rounding_bound(double roundings, size_t terms, double magnitude, double unit_roundoff,
                             double smallest_subnormal)
{
    const double one_after_the_other = (double)terms;
    double factor = roundings * unit_roundoff;

    if (roundings < one_after_the_other)
        factor = factor < 0.5 ? factor / (1 - factor) : one_after_the_other * unit_roundoff;
    return factor * magnitude + 0.5 * one_after_the_other * smallest_subnormal;
}

double rounding_bound_f32(double roundings, size_t terms, double magnitude)
{
    return rounding_bound(roundings, terms, magnitude, UNIT_ROUNDOFF_F32, FLT_TRUE_MIN);
}

double rounding_bound_f64(double roundings, size_t terms, double magnitude)
{
    return rounding_bound(roundings, terms, magnitude, UNIT_ROUNDOFF_F64, DBL_TRUE_MIN);
}

struct comparison compare_number(double computed, const struct reference *reference, double bound,
                                 double largest)
{
    /* A NaN's sign bit is meaningless, but printf would show it. */
    const double expected = isnan(reference->value) ? (double)NAN : reference->value;
    struct comparison result = {
        .computed = isnan(computed) ? (double)NAN : computed, .expected = expected, .bound = bound};

    if (isnan(expected)) {
        result.right = isnan(computed);
        result.error = result.right ? 0 : NAN;
    } else if (isinf(computed) || isinf(expected)) {
        const bool may_overflow = fabs(expected) + bound > largest;
        const bool same_sign = signbit(computed) == signbit(expected);
        result.right = isinf(computed) && may_overflow && same_sign;
        result.error = result.right ? 0 : INFINITY;
    } else {
        result.error = fabs((computed - expected) - reference->tail);
        /* False if the error is NaN, which compares false with everything. */
        result.right = result.error <= bound;
    }
    return result;
}

void comparison_describe(struct comparison *comparison, const char *place)
{
    const char *const name = place != NULL ? place : "", *const colon = place != NULL ? ": " : "";

    if (comparison->unwritten)
        snprintf(comparison->where, sizeof comparison->where, "%.40s%snever written, expected %.9g",
                 name, colon, comparison->expected);
    else
        snprintf(comparison->where, sizeof comparison->where, "%.40s%sgot %.9g, expected %.9g",
                 name, colon, comparison->computed, comparison->expected);
}
/* SPDX-License-Identifier: MIT */
