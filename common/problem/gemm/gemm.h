/* The problem of step 07: C = alpha * A * B + beta * C, row-major float32.
 *
 * A is m x k, B is k x n, C is m x n; row i of A starts at a + i * lda, and so on. Any size may be
 * 0: with k = 0 the product is 0 and C becomes beta * C. With beta = 0, C is not read (BLAS's rule,
 * so that NaN in an uninitialised C does not spread). With alpha = 0, BLAS does not read A and B
 * either, while a kernel that multiplies makes NaN of an infinity or NaN there: both are
 * accepted. */
#ifndef RUNGS_GEMM_H
#define RUNGS_GEMM_H

#include <stddef.h>

#include "problem/rung.h"

/* What a rung is called with. All pointers are memory of the back end that runs it. */
struct gemm {
    size_t m, n, k;
    float alpha, beta;
    const float *a;
    size_t lda; /* at least k */
    const float *b;
    size_t ldb; /* at least n */
    float *c;
    size_t ldc;          /* at least n */
    void *workspace;     /* GEMM_WORKSPACE bytes of scratch; undefined on entry */
    int multiprocessors; /* of the GPU in use */
    int threads;         /* CPU threads to use, at least 1 */
};

#define GEMM_WORKSPACE ((size_t)1 << 20)

struct gemm_rung {
    struct rung rung;
    void (*run)(const struct gemm *call); /* NULL: not in this build (ON_CUDA) */
    /* How many roundings lie between an input and the result (the c of compare.h), not counting a
     * product's own. */
    double (*depth)(const struct gemm *call);
    /* What the rung really used. NULL: nothing to tell. */
    void (*how)(const struct gemm *call, char text[RUNG_HOW_SIZE]);
    /* Work that a user would do once for many calls: done after every change of the inputs, before
     * `run`, and not timed. NULL: none. */
    void (*prepare)(const struct gemm *call);
    /* On the host: the most products that one call is given, 0: any number. A larger problem is cut
     * down to the first rows of C, since a GPU's problem can take a slow loop minutes; the result
     * row says so, and speeds are compared by rate. */
    double most_products;
};

extern const struct problem_kind gemm_kind;

/* One accumulator running over k. A rung that adds up partial sums states less: the longest way of
 * a term through its partial sum and then through the sum of those. */
double gemm_depth_serial(const struct gemm *call);

#endif
