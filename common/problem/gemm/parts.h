/* Shared by the gemm problem's files. gemm.c creates the problem and runs rungs on it, reference.c
 * fills the inputs and computes the expected result, check.c compares. */
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
    struct gemm call; /* its pointers are to memory of the back end */
    struct guarded a, b, c;
    struct npy file_a, file_b;
    uint64_t seed;
    float alpha, beta;      /* the user's factors; a probe may use others */
    float *old_c;           /* C before the product, m x n; NULL if beta is 0 */
    float *wide_a, *wide_b; /* bfloat16: A and B as floats, m x k and k x n; else NULL */
    float *wide_row;        /* bfloat16: a row of C as floats */
    void *host_workspace;   /* for host rungs; allocated for the first one */

    /* Probes (judge.h): x, B x, and the expected C times x. */
    uint64_t *x, *b_x, *expected_x;
    int64_t *wrong_row; /* scratch: a recomputed row of C */

    struct sample *samples;
    size_t sample_count;
};

/* A matrix of floats. */
struct gemm_floats {
    const float *first;
    size_t leading;
};

/* The values of A and B. */
struct gemm_floats gemm_values_of_a(const struct gemm_problem *problem);
struct gemm_floats gemm_values_of_b(const struct gemm_problem *problem);

/* The address and the value of an element in the host's copy of C; it may be an element of the
 * padding. Then the values of a row's n elements, valid until the next call. */
void *gemm_place_in_c(const struct gemm_problem *problem, size_t row, size_t column);
float gemm_value_in_c(const struct gemm_problem *problem, size_t row, size_t column);
const float *gemm_row_of_c(const struct gemm_problem *problem, size_t row);

/* Stores `count` floats as elements of the problem's type, rounded to nearest. */
void gemm_store(const struct gemm_problem *problem, void *to, const float *from, size_t count);

/* The value that fills the memory around A and B: a NaN as any of the types. */
float gemm_guard_of_inputs(const struct gemm_problem *problem);

/* The value that fills the memory around C before a rung runs. If beta is not 0 it is a number: a
 * rung that scales a NaN there by beta would write a NaN back, and the write would not be seen. */
float gemm_guard_of_c(const struct gemm_problem *problem);
float gemm_guard_element(const struct gemm_problem *problem); /* an element of that memory */

/* The rung's arguments. Pointers are the host's for a host rung, else the back end's. A host rung
 * with most_products is given the number of rows that this limit allows. */
struct gemm gemm_call_of(const struct gemm_problem *problem, const struct rung *rung);

/* Fills the inputs, with small integers or real data, and computes the expected result. */
void gemm_fill(struct gemm_problem *problem);

/* The sum of row[i] * x[i] modulo 2^64. Clears *possible if an element cannot come from a probe
 * (to_integer). */
uint64_t gemm_weighted_sum(const float *row, const uint64_t *x, size_t n, bool *possible);

/* The reference for an element of C. The second one treats A and B as 0, for alpha = 0 (gemm.h). */
struct reference gemm_reference(const struct gemm_problem *problem, size_t row, size_t column);
struct reference gemm_reference_unread(const struct gemm_problem *problem, size_t row,
                                       size_t column);

/* The rung's error bound for an element with that reference. */
double gemm_bound(const struct gemm_problem *problem, const struct gemm_rung *rung,
                  const struct reference *reference);

/* Judges C in the host's copy. The rung had to compute its first `rows` rows. */
void gemm_judge(const struct gemm_problem *problem, const struct gemm_rung *rung, size_t rows,
                struct comparison *comparison);

#endif
/* SPDX-License-Identifier: MIT */
