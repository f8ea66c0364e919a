/* Reference sums, by compensated summation in double.
 *
 * Each product is split exactly into its rounded value and its rounding error (by a fused
 * multiply-add). A second double accumulates the rounding errors of the additions (Ogita, Rump,
 * Oishi: Accurate sum and dot product, SIAM J. Sci. Comput. 26, 2005, algorithm Dot2). The result
 * is as accurate as if computed in twice double's precision. NaN and infinities propagate as in
 * plain double arithmetic. */
#ifndef RUNGS_REFERENCE_H
#define RUNGS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

#include "problem/compare.h"

/* Dot products and sums of n elements. step_a and step_b are the distances, in elements, between
 * neighbours: 1 if contiguous, the leading dimension for the column of a matrix. */
struct reference reference_dot_f32(const float *a, size_t step_a, const float *b, size_t step_b,
                                   size_t n);
struct reference reference_dot_f64(const double *a, size_t step_a, const double *b, size_t step_b,
                                   size_t n);
struct reference reference_dot_mixed(const float *a, const unsigned char *b, size_t n);
struct reference reference_dot_f32_f64(const float *a, const double *b, size_t n);
/* Halfs (base/half.h). If b is NULL, the sum of a. */
struct reference reference_f16(const uint16_t *a, const uint16_t *b, size_t n);
struct reference reference_sum_f32(const float *a, size_t n);
struct reference reference_sum_f64(const double *a, size_t n);

#endif
/* SPDX-License-Identifier: MIT */
