/* The error bounds of the Winograd rungs: depth and magnitude for struct conv_rung. */
#ifndef RUNGS_WINOGRAD_BOUND_H
#define RUNGS_WINOGRAD_BOUND_H

#include "problem/conv/conv.h"

/* Winograd's F(2x2, 3x3) computes Y = A^T [(G g G^T) . (B^T d B)] A,
 * summed over the channels before A, from 4 x 4 inputs d and a 3 x 3 filter g, where
 *
 *         1  0 -1  0          1    0    0
 *   B^T = 0  1  1  0      G = 1/2  1/2  1/2      A^T = 1  1  1  0
 *         0 -1  1  0          1/2 -1/2  1/2            0  1 -1 -1
 *         0  1  0 -1          0    0    1
 *
 * A product can be larger than any term of the sum that it stands for, so the bound is not relative
 * to the sum of the terms' magnitudes: it is relative to |A^T| [(|G| |g| |G^T|) . (|B^T| |d| |B|)]
 * |A|, summed over the channels. (B. Barabasz et al., Error analysis and improving the accuracy of
 * Winograd convolution for deep neural networks, ACM Transactions on Mathematical Software 46,
 * 2020.) On the way of an input lie 2 roundings in B^T d B, of a weight 4 in G g G^T (halving is
 * exact), then one an input channel and 4 for A: depth channels + 9 with the product's own counted
 * by the verifier. On small whole numbers all of it is exact: halves and quarters are floats. */
double winograd_depth(const struct conv *call);
double winograd_magnitude(const struct conv *call, const struct conv_pixel *pixel);

/* F(4x4, 3x3) likewise, from 6 x 6 inputs:
 *
 *         4  0 -5  0  1  0          1/4     0     0
 *         0 -4 -4  1  1  0         -1/6  -1/6  -1/6              1  1  1  1  1  0
 *   B^T = 0  4 -4 -1  1  0      G = -1/6   1/6  -1/6      A^T =  0  1 -1  2 -2  0
 *         0 -2 -1  2  1  0          1/24  1/12   1/6             0  1  1  4  4  0
 *         0  2 -1 -2  1  0          1/24 -1/12   1/6             0  1 -1  8 -8  1
 *         0  4  0 -5  0  1             0     0     1
 *
 * On the way of an input lie at most 4 roundings a dimension in B^T d B, of a weight 5 in G g G^T
 * (its fraction, its product, two sums, and a sign is none), of a sum 4 in A: depth channels + 26.
 * Sixths are no floats: on whole numbers the result must be right when rounded. */
double winograd4_depth(const struct conv *call);
double winograd4_magnitude(const struct conv *call, const struct conv_pixel *pixel);

#endif
