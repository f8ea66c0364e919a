/* The problem of step 08: the forward 2-D convolution of neural networks, which is mathematically a
 * cross-correlation (the filter is not flipped), in float32.
 *
 *   output[b][f][y][x] = sum over c, r, s of
 *       input[b][c][y * stride_height + r * dilation - pad][x * stride_width + s * dilation - pad]
 *       * filter[f][c][r][s]
 *
 * Input outside the image counts as 0. The layout is NCHW: x varies fastest, then y, channel and
 * image; filters are [filters][channels][kernel_height][kernel_width].
 *
 * With groups, each group of filters reads a group of channels: filter f the channels from
 * f / (filters / groups) * channels on, where `channels` are those of a group. */
#ifndef RUNGS_CONV_H
#define RUNGS_CONV_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/rung.h"

/* A rung's arguments. All pointers are to memory of the back end that runs the rung. */
struct conv {
    size_t batch, groups, channels, height, width; /* an image has groups x channels channels */
    size_t filters, kernel_height, kernel_width;
    size_t stride_height, stride_width, pad, dilation;
    size_t out_height, out_width; /* conv_output_size of height and width */
    const float *input;           /* batch x (groups x channels) x height x width */
    const float *filter;          /* filters x channels x kernel_height x kernel_width */
    float *output;                /* batch x filters x out_height x out_width */
    void *workspace;              /* scratch; uninitialized when prepare is called */
    size_t workspace_bytes;
    int multiprocessors; /* of the GPU in use */
    int threads;         /* CPU threads to use, at least 1 */
};

/* One element of the output. */
struct conv_pixel {
    size_t batch, filter, y, x;
};

struct conv_rung {
    struct rung rung;
    void (*run)(const struct conv *call); /* NULL: a library that is not in this build */
    /* The most roundings that a term passes through (c in compare.h), without a product's own. */
    double (*depth)(const struct conv *call);
    /* The magnitude for the error bound at a pixel (compare.h), from a call whose pointers are to
     * host memory. NULL, or a result of 0: the sum of the terms' absolute values, which is right
     * for any order of additions. Transforms such as Winograd's need a larger magnitude, because
     * their products can be larger than any term of the sum that they replace. */
    double (*magnitude)(const struct conv *call, const struct conv_pixel *pixel);
    /* A library that may use any transform (larger Winograd tiles, FFT). No bound can be derived
     * for it, so it may have 16 times the error of a serial sum, at the largest magnitude among the
     * judged elements. */
    bool any_transform;
    bool takes_groups;         /* whether there may be more than one group */
    bool rounds_whole_numbers; /* a probe's result is rounded to integers before it is judged */
    /* Describes how the rung ran. NULL: nothing to say. */
    void (*how)(const struct conv *call, char text[RUNG_HOW_SIZE]);
    /* Work that a user would do once for many calls, such as transforming the filters. Called after
     * every change of the inputs, before `run`; not timed. NULL: none. */
    void (*prepare)(const struct conv *call);
    /* Why the rung cannot do this problem; NULL if it can. A NULL function: it can do all. */
    const char *(*declines)(const struct conv *call);
};

extern const struct problem_kind conv_kind;

/* The output's height or width: the number of positions of a filter with `kernel` taps, 0 if it
 * does not fit into the padded input. */
size_t conv_output_size(size_t size, size_t kernel, size_t stride, size_t pad, size_t dilation);

/* The depth of a single running sum over channels and taps. */
double conv_depth_serial(const struct conv *call);

/* ---- what rungs ask of a problem ------------------------------------------------------------- */

/* Whether there are outputs, and whether there are inputs and weights to compute them from. Outputs
 * without products are 0. */
static inline bool has_outputs(const struct conv *call)
{
    return call->batch * call->filters * call->out_height * call->out_width > 0;
}

static inline bool has_products(const struct conv *call)
{
    return call->channels * call->height * call->width * call->kernel_height * call->kernel_width >
           0;
}

static inline bool is_empty(const struct conv *call)
{
    return !has_outputs(call) || !has_products(call);
}

/* For rungs that require both outputs and products. */
static inline const char *conv_declines_empty(const struct conv *call)
{
    return has_outputs(call) && !has_products(call) ? "requires inputs and taps" : NULL;
}

/* For rungs that support only 3 x 3 filters, at stride 1 without dilation, with 32-bit indices. */
static inline const char *conv_declines_3x3(const struct conv *call)
{
    if (call->kernel_height != 3 || call->kernel_width != 3 || call->stride_height != 1 ||
        call->stride_width != 1 || call->dilation != 1)
        return "only 3x3, stride 1, dilation 1";
    if (call->height >= (size_t)1 << 30 || call->width >= (size_t)1 << 30 ||
        call->pad >= (size_t)1 << 20 || call->height * call->width >= (size_t)1 << 31)
        return "images too large";
    return NULL;
}

static inline const char *conv_declines_3x3_or_empty(const struct conv *call)
{
    return conv_declines_empty(call) != NULL ? conv_declines_empty(call) : conv_declines_3x3(call);
}

#endif
/* SPDX-License-Identifier: MIT */
