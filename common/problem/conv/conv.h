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

#include <stdbool.h>
#include <stddef.h>

#include "problem/rung.h"

/* What a rung is called with. All pointers are memory of the back end that runs it. */
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

/* One element of the output. */
struct conv_pixel {
    size_t batch, filter, y, x;
};

struct conv_rung {
    struct rung rung;
    void (*run)(const struct conv *call); /* NULL: not in this build (ON_CUDA) */
    /* How many roundings lie between an input and the result (the c of compare.h), not counting a
     * product's own. */
    double (*depth)(const struct conv *call);
    /* What the error bound at a pixel is relative to, from a call whose pointers are the host's. NULL:
     * the sum of the terms' absolute values, as for any order of additions. Transforms such as
     * Winograd's have products larger than any term of the sum that they stand for. */
    double (*magnitude)(const struct conv *call, const struct conv_pixel *pixel);
    /* A library that may choose any transform (larger Winograd tiles, FFT): no bound can be derived
     * from outside. It is held to 16 times the serial bound of the largest element judged. */
    bool any_transform;
    bool rounds_whole_numbers; /* on probes the result need be right only when rounded */
    /* What the rung really used. NULL: nothing to tell. */
    void (*how)(const struct conv *call, char text[RUNG_HOW_SIZE]);
    /* Work that a user would do once for many calls: done after every change of the inputs, before
     * `run`, and not timed. NULL: none. */
    void (*prepare)(const struct conv *call);
    /* Why the rung does not do this problem, or NULL if it does. NULL: it does all. */
    const char *(*declines)(const struct conv *call);
};

extern const struct problem_kind conv_kind;

/* How many places a filter of `kernel` taps fits at; 0 if it fits nowhere. */
size_t conv_output_size(size_t size, size_t kernel, size_t stride, size_t pad, size_t dilation);

/* One accumulator running over channels and taps. */
double conv_depth_serial(const struct conv *call);

#endif
