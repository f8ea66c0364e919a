/* Shared by the conv problem's files. conv.c creates the problem and runs rungs on it, reference.c
 * fills the inputs and computes the expected result, check.c compares. */
#ifndef RUNGS_CONV_PARTS_H
#define RUNGS_CONV_PARTS_H

#include "base/npy.h"
#include "base/whole_file.h"
#include "device/guarded.h"
#include "problem/conv/conv.h"
#include "problem/problem.h"

/* An element of the output that is judged on real data. */
struct sample {
    struct conv_pixel pixel;
    struct reference reference;
    /* False if a NaN or infinity of a filter is multiplied by the padding. A rung that multiplies
     * by the padding's zeros gets NaN, one that skips the padding does not, and both are right. */
    bool defined;
};

struct conv_problem {
    struct problem base;
    struct conv call; /* its pointers are to memory of the back end */
    struct guarded input, filter, output;
    struct npy file_input, file_filter;
    void *host_workspace; /* for host rungs; allocated for the first one */
    uint64_t seed;
    size_t taps; /* products in one output element: channels * kernel_height * kernel_width */

    /* Probes (judge.h). Convolution is linear in the filters. So a random linear combination of the
     * output's channels equals the output of the same combination of the filters. */
    uint64_t *weights; /* the random factors, one per filter */
    uint64_t
        *mixed_filter;  /* each group's combined filter: channels x kernel_height x kernel_width */
    uint64_t *expected; /* its output: groups x batch x out_height x out_width */
    uint64_t *row_sums; /* scratch: out_width */

    float *term_inputs, *term_filters; /* scratch: the factors of one output element's products */
    struct sample *samples;
    size_t sample_count;
    double largest_magnitude; /* among the samples */

    struct whole_file picture; /* PNG file for the last right result; path NULL: none */
    float *last_right;         /* that result; NULL: none yet */
};

/* A row of one channel of the output, in the host's copy. */
const float *conv_output_row(const struct conv_problem *problem, size_t batch, size_t filter,
                             size_t y);

/* The rung's arguments: the host's pointers for a host rung, else the back end's. */
struct conv conv_call_of(const struct conv_problem *problem, const struct rung *rung);

/* The arguments with the host's pointers, for any rung. */
struct conv conv_call_on_host(const struct conv_problem *problem);

/* Fills the inputs, with small integers or real data, and computes the expected result. */
void conv_fill(struct conv_problem *problem);

/* Stores the factors of one output element's products in term_inputs and term_filters and returns
 * how many there are. Products with padding are left out. *defined: see struct sample. */
size_t conv_terms(const struct conv_problem *problem, struct conv_pixel pixel, bool *defined);

struct sample conv_sample(const struct conv_problem *problem, struct conv_pixel pixel);

/* Judges the output in the host's copy. */
void conv_judge(const struct conv_problem *problem, const struct conv_rung *rung,
                struct comparison *comparison);

#endif
/* SPDX-License-Identifier: MIT */
