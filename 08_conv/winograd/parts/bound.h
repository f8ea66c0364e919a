/* The error bounds of the Winograd rungs: depth and magnitude for struct conv_rung. */
#ifndef RUNGS_WINOGRAD_BOUND_H
#define RUNGS_WINOGRAD_BOUND_H

#include "problem/conv/conv.h"

/* Winograd's F(2x2, 3x3) computes 2 x 2 outputs Y = A^T [(G g G^T) . (B^T d B)] A from 4 x 4 inputs
 * d and a 3 x 3 filter g. The products are summed over the channels before they are multiplied by
 * A^T and A. The matrices are
 *
 *         1  0 -1  0          1    0    0
 *   B^T = 0  1  1  0      G = 1/2  1/2  1/2      A^T = 1  1  1  0
 *         0 -1  1  0          1/2 -1/2  1/2            0  1 -1 -1
 *         0  1  0 -1          0    0    1
 *
 * A product can be larger than any term of the convolution's own sum. So the bound is not relative
 * to the sum of the terms' magnitudes, but to |A^T| [(|G| |g| |G^T|) . (|B^T| |d| |B|)] |A|, summed
 * over the channels. (B. Barabasz et al., Error analysis and improving the accuracy of Winograd
 * convolution for deep neural networks, ACM Transactions on Mathematical Software 46, 2020.)
 *
 * An input passes through 2 roundings in B^T d B, a weight through 4 in G g G^T (halving is exact).
 * Products and their sum over the channels add one rounding per channel, A^T and A add 4. This
 * makes channels + 10, or a depth of channels + 9 without the product's own rounding. For small
 * integers everything is exact, because halves and quarters are floats. */
double winograd_depth(const struct conv *call);
double winograd_magnitude(const struct conv *call, const struct conv_pixel *pixel);

/* The same for F(4x4, 3x3), 4 x 4 outputs from 6 x 6 inputs:
 *
 *         4  0 -5  0  1  0          1/4     0     0
 *         0 -4 -4  1  1  0         -1/6  -1/6  -1/6              1  1  1  1  1  0
 *   B^T = 0  4 -4 -1  1  0      G = -1/6   1/6  -1/6      A^T =  0  1 -1  2 -2  0
 *         0 -2 -1  2  1  0          1/24  1/12   1/6             0  1  1  4  4  0
 *         0  2 -1 -2  1  0          1/24 -1/12   1/6             0  1 -1  8 -8  1
 *         0  4  0 -5  0  1             0     0     1
 *
 * For each dimension, an input passes through at most 4 roundings in B^T d B, a weight through 5 in
 * G g G^T (including those of the fractions), and a sum through 4 in A^T and A. The depth is
 * channels + 26. Floats cannot represent sixths exactly, so a probe's result is rounded to integers
 * before it is judged.
 *
 * F(4x4, 5x5) computes 4 x 4 outputs from 8 x 8 inputs:
 *
 *         1    0  -21/4    0    21/4    0  -1  0
 *         0    1    1   -17/4  -17/4    1   1  0
 *         0   -1    1    17/4  -17/4   -1   1  0             1  1  1  1  1   1    1  0
 *   B^T = 0   1/2  1/4  -5/2   -5/4     2   1  0     A^T =   0  1 -1  2 -2  1/2 -1/2 0
 *         0  -1/2  1/4   5/2   -5/4    -2   1  0             0  1  1  4  4  1/4  1/4 0
 *         0    2    4   -5/2    -5    1/2   1  0             0  1 -1  8 -8  1/8 -1/8 1
 *         0   -2    4    5/2    -5   -1/2   1  0
 *         0   -1    0    21/4    0  -21/4   0  1
 *
 * and G has a row (1, x, x^2, x^3, x^4) for each of the points 1, -1, 2, -2, 1/2, -1/2, times -2/9,
 * -2/9, 1/90, 1/90, 32/45, 32/45, between (1, 0, 0, 0, 0) and (0, 0, 0, 0, 1). An input passes
 * through at most 4 roundings for each dimension, a weight through 7, a sum through 5. */
double winograd4_depth(const struct conv *call);
/* The same with products on tensor cores (tensor_cores/02_implicit_3xtf32.cu). */
double winograd_3xtf32_depth(const struct conv *call);
double winograd4_magnitude(const struct conv *call, const struct conv_pixel *pixel);

#endif
/* SPDX-License-Identifier: MIT */
