/* When is a computed result right?
 *
 * Floating-point addition rounds, so a correct kernel's answer differs from the exact one. By how
 * much it may differ follows from how it adds. Let u be the unit roundoff of the type (2^-24 for
 * float, 2^-53 for double) and let at most c roundings lie on the way of any input to the result
 * (a product rounds once, each addition once). Then for products x_i and their sum s
 *
 *     |computed - s|  <=  c * u / (1 - c * u) * sum |x_i|
 *
 * (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition 2002, sections 3.1 and 4.2.)
 * A rung states its c, which is its summation depth: n for one loop, log2 n for a tree. Where c is
 * n or more, c * u alone will do, however large (Jeannerod and Rump, Improved error bounds for
 * inner products in floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34, 2013). Errors
 * relative to s itself would be no measure: s can cancel to 0 while the terms do not.
 *
 * A product that underflows adds up to half the smallest subnormal number each; the bound has that
 * term too. */
#ifndef RUNGS_COMPARE_H
#define RUNGS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#define UNIT_ROUNDOFF_F32 0x1p-24
#define UNIT_ROUNDOFF_F64 0x1p-53

/* A sum known to about twice double's precision: value + tail. */
struct reference {
    double value;
    double tail;
    double magnitude; /* sum of the terms' absolute values */
};

struct comparison {
    bool right;
    double computed;
    double expected;
    double error;   /* |computed - reference|; NaN if the result is not a number but should be */
    double bound;   /* largest error accepted; 0 where the result must be exact */
    char where[96]; /* the worst element's place and values, for the report of a wrong result */
};

/* Compares one computed number with its reference, and leaves `where` empty: most numbers are right
 * and need no words. NaN is accepted only where the reference is NaN,
 * an infinity only where the reference is that infinity or lies within `bound` of overflowing:
 * `largest` is the type's largest finite number. */
struct comparison compare_number(double computed, const struct reference *reference, double bound,
                                 double largest);

/* Writes `where`: the values, behind the name of the element unless `place` is NULL. */
void comparison_describe(struct comparison *comparison, const char *place);

/* The bound above, for `terms` terms of which each meets at most `roundings` roundings. */
double rounding_bound_f32(double roundings, size_t terms, double magnitude);
double rounding_bound_f64(double roundings, size_t terms, double magnitude);

#endif
