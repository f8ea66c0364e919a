/* Reference sums in double with compensated summation.
 *
 * Every term is the product of two numbers, split exactly into a rounded product and its error (by
 * fused multiply-add); sums carry their rounding errors along in a second double (Ogita, Rump,
 * Oishi: Accurate sum and dot product, SIAM J. Sci. Comput. 26, 2005, algorithm Dot2). The result
 * is as accurate as if computed with twice double's precision. NaN and infinities come out as plain
 * double arithmetic would give them. */
#ifndef RUNGS_REFERENCE_H
#define RUNGS_REFERENCE_H

#include <stddef.h>

#include "problem/compare.h"

/* a and b are n elements each; a step of 1 is contiguous, others walk columns. */
struct reference reference_dot_f32(const float *a, size_t step_a, const float *b, size_t step_b,
                                   size_t n);
struct reference reference_dot_f64(const double *a, size_t step_a, const double *b, size_t step_b,
                                   size_t n);
struct reference reference_dot_mixed(const float *a, const unsigned char *b, size_t n);
struct reference reference_sum_f32(const float *a, size_t n);
struct reference reference_sum_f64(const double *a, size_t n);

#endif
