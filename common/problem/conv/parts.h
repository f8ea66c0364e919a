/* What the files of the conv problem share: conv.c creates it and runs rungs on it, reference.c fills
 * the inputs and knows the right result, check.c compares. */
#ifndef RUNGS_CONV_PARTS_H
#define RUNGS_CONV_PARTS_H

#include "base/npy.h"
#include "device/guarded.h"
#include "problem/conv/conv.h"
#include "problem/problem.h"

/* An element that is judged on real data. */
struct sample {
    struct conv_pixel pixel;
    struct reference reference;
    /* False where a filter's NaN or infinity meets the padding: a rung that skips the padding and one
     * that multiplies by its zeros then differ, and both are right. */
    bool defined;
};

struct conv_problem {
    struct problem base;
    struct conv call; /* pointers of the back end */
    struct guarded input, filter, output;
    struct npy file_input, file_filter;
    void *host_workspace; /* of rungs that run on the host; made for the first */
    uint64_t seed;
    size_t taps; /* products that one output element sums up: channels * kernel's area */

    /* Probes (judge.h). Convolution is linear in the filters, so the outputs of all filters, each
     * times a random integer and added up, equal the output of the filters added up likewise. */
    uint64_t *weights;      /* one a filter */
    uint64_t *mixed_filter; /* the filters' weighted sum: channels x kernel_height x kernel_width */
    uint64_t *expected;     /* its output: batch x out_height x out_width */
    uint64_t *row_sums;     /* scratch: out_width */

    float *term_inputs, *term_filters; /* scratch: the factors of one output element */
    struct sample *samples;
    size_t sample_count;
    double largest_magnitude; /* among the samples */

    const char *picture; /* where to write the last right result, or NULL */
    float *last_right;   /* that result; NULL: none yet */
};

/* A row of one channel of the output, in the host's copy. */
const float *conv_output_row(const struct conv_problem *problem, size_t batch, size_t filter,
                             size_t y);

/* What a rung is called with: memory of the processor that runs it. */
struct conv conv_call_of(const struct conv_problem *problem, const struct rung *rung);

/* The same with the host's pointers, whoever runs the rung. */
struct conv conv_call_on_host(const struct conv_problem *problem);

/* The inputs, small integers or real data, and what the result will be compared with. */
void conv_fill(struct conv_problem *problem);

/* Gathers the factors of one output element in term_inputs and term_filters; returns how many. */
size_t conv_terms(const struct conv_problem *problem, struct conv_pixel pixel, bool *defined);

struct sample conv_sample(const struct conv_problem *problem, struct conv_pixel pixel);

/* Compares the host's copy of the output. */
void conv_judge(const struct conv_problem *problem, const struct conv_rung *rung,
                struct comparison *comparison);

#endif
