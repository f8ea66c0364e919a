/* Compares one computed number with its reference: how large may a rounding error be?
 *
 * Floating-point addition rounds, so a correct kernel's answer differs from the exact one, by an
 * amount that depends on the order of the additions. Let u be the unit roundoff of the type (2^-24
 * for float, 2^-53 for double), and let each term x_i pass through at most c roundings until it is
 * part of the result (forming a product is one, each addition is one). Then for the sum s of the
 * terms
 *
 *     |computed - s|  <=  c * u / (1 - c * u) * sum |x_i|
 *
 * (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition 2002, sections 3.1 and 4.2.)
 * Each rung states its c, the depth of its summation: n for one loop, log2 n for a tree. If c is at
 * least n, the factor c * u is enough for any n (Jeannerod and Rump, Improved error bounds for
 * inner products in floating-point arithmetic, SIAM J. Matrix Anal. Appl. 34, 2013). The bound is
 * not relative to s itself, because the terms may cancel until s is 0.
 *
 * Each product that underflows may add an error of half the smallest subnormal number; the bound
 * includes that. */
#ifndef RUNGS_COMPARE_H
#define RUNGS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#define UNIT_ROUNDOFF_F32 0x1p-24
#define UNIT_ROUNDOFF_F64 0x1p-53

/* The exact sum, to about twice double's precision, is value + tail. */
struct reference {
    double value;
    double tail;
    double magnitude; /* sum of the terms' absolute values */
};

struct comparison {
    bool right;
    bool unwritten; /* wrong, because the rung did not write the element */
    double computed;
    double expected;
    double error;   /* |computed - reference|; NaN or infinity if one is not finite and is wrong */
    double bound;   /* the largest error accepted; 0 if the result must be exact */
    char where[96]; /* index and values of the worst element, for the report of a wrong result */
};

/* Compares one computed number with its reference. NaN is right only if the reference is NaN. An
 * infinity is right only if the reference is the same infinity, or within `bound` of overflowing;
 * `largest` is the type's largest finite number. Leaves `where` empty, as most
 * numbers need no message. */
struct comparison compare_number(double computed, const struct reference *reference, double bound,
                                 double largest);

/* Writes the message in `where`: the element's name `place`, unless that is NULL, and the
 * values. */
void comparison_describe(struct comparison *comparison, const char *place);

/* The bound above for `terms` terms, each of which passes through at most `roundings` roundings.
 * `magnitude` is the sum of the terms' absolute values. */
double rounding_bound_f32(double roundings, size_t terms, double magnitude);
double rounding_bound_f64(double roundings, size_t terms, double magnitude);

#endif
/* SPDX-License-Identifier: MIT */
