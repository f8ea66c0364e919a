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
    void *workspace;              /* workspace_bytes of scratch; undefined on entry */
    size_t workspace_bytes;
    int multiprocessors; /* of the GPU in use */
    int threads;         /* CPU threads to use, at least 1 */
};

extern const struct family conv_family;

/* How many places a filter of `kernel` taps fits at; 0 if it fits nowhere. */
size_t conv_output_size(size_t size, size_t kernel, size_t stride, size_t pad, size_t dilation);

/* One accumulator running over channels and taps. */
double conv_depth_serial(const struct conv *call);

#endif
