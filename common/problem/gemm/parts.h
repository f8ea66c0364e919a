/* What the files of the gemm problem share: gemm.c creates it and runs rungs on it, reference.c fills
 * the inputs and knows the right result, check.c compares. */
#ifndef RUNGS_GEMM_PARTS_H
#define RUNGS_GEMM_PARTS_H

#include "base/npy.h"
#include "device/guarded.h"
#include "problem/gemm/gemm.h"
#include "problem/problem.h"

/* An element of C that is judged on real data. */
struct sample {
    size_t row, column;
    struct reference reference;
};

struct gemm_problem {
    struct problem base;
    struct gemm call; /* pointers of the back end */
    struct guarded a, b, c;
    struct npy file_a, file_b;
    uint64_t seed;
    float alpha, beta;    /* as asked for; a probe may use others */
    float *old_c;         /* m x n, C before the product; NULL if beta is 0 */
    void *host_workspace; /* of rungs that run on the host; made for the first */

    /* Probes (judge.h): x, B x, and the right result times x. */
    uint64_t *x, *b_x, *expected_x;
    int64_t *wrong_row; /* scratch: a row of C, recomputed */

    struct sample *samples;
    size_t sample_count;
};

/* Row `row` of C in the host's copy. */
float *gemm_row_of_c(const struct gemm_problem *problem, size_t row);

/* What lies around C before the rung runs: if beta is not 0, a number, as a NaN there would spread
 * unnoticed into other NaNs. */
float gemm_guard_of_c(const struct gemm_problem *problem);

/* What a rung is called with: memory of the processor that runs it and, on the host, no more rows
 * than it is to have (most_products). */
struct gemm gemm_call_of(const struct gemm_problem *problem, const struct rung *rung);

/* The inputs, small integers or real data, and what the result will be compared with. */
void gemm_fill(struct gemm_problem *problem);

/* Sum of row[i] * x[i], wrapping around. Clears *possible at an element that no probe leads to. */
uint64_t gemm_weighted_sum(const float *row, const uint64_t *x, size_t n, bool *possible);

/* An element of the right result; as if A and B were 0 where they need not be read (gemm.h). */
struct reference gemm_reference(const struct gemm_problem *problem, size_t row, size_t column);
struct reference gemm_reference_unread(const struct gemm_problem *problem, size_t row,
                                       size_t column);

/* The largest error of the rung there. */
double gemm_bound(const struct gemm_problem *problem, const struct gemm_rung *rung,
                  const struct reference *reference);

/* Compares the host's copy of C, of which the rung was given the first `rows`. */
void gemm_judge(const struct gemm_problem *problem, const struct gemm_rung *rung, size_t rows,
                struct comparison *comparison);

#endif
