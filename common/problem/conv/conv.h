/* The problem of step 08: 2-D convolution as neural networks mean it (cross-correlation), forward,
 * float32.
 *
 *   output[b][f][y][x] = sum over c, r, s of
 *       input[b][c][y * stride + r * dilation - pad][x * stride + s * dilation - pad]
 *       * filter[f][c][r][s]
 *
 * Input outside the picture counts as 0. Layout NCHW: x runs fastest, then y, channel, batch;
 * filters are [filters][channels][kernel_height][kernel_width]. */
#ifndef RUNGS_CONV_H
#define RUNGS_CONV_H

#include <stddef.h>

/* What a rung is given. All pointers are memory of the back end that runs it. */
struct conv {
    size_t batch, channels, height, width;
    size_t filters, kernel_height, kernel_width;
    size_t stride, pad, dilation;
    size_t out_height, out_width; /* conv_output_size of height and width */
    const float *input;           /* batch x channels x height x width */
    const float *filter;          /* filters x channels x kernel_height x kernel_width */
    float *output;                /* batch x filters x out_height x out_width */
    void *workspace;              /* workspace_bytes of scratch; undefined on entry of prepare */
    size_t workspace_bytes;
    int multiprocessors; /* of the GPU in use */
    int threads;         /* CPU threads to use, at least 1 */
};

extern const struct family conv_family;

/* How many places a filter of `kernel` taps fits at; 0 if it fits nowhere. */
size_t conv_output_size(size_t size, size_t kernel, size_t stride, size_t pad, size_t dilation);

/* One accumulator running over channels and taps. */
double conv_depth_serial(const struct conv *call);

/* Winograd's F(2x2, 3x3) (rungs with RUNG_WINOGRAD) computes Y = A^T [(G g G^T) . (B^T d B)] A,
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
double conv_depth_winograd(const struct conv *call);

/* F(4x4, 3x3) (RUNG_WINOGRAD_4) likewise, from 6 x 6 inputs:
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
double conv_depth_winograd4(const struct conv *call);

/* A library that picks transforms of its own (RUNG_TRANSFORMS: larger Winograd tiles, FFT) has no
 * bound that could be derived from outside. It is held to 16 times the serial bound of the largest
 * element judged; on whole numbers its results must be right when rounded. */

#endif
