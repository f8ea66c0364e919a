/* The problem of step 07: C = alpha * A * B + beta * C, row-major, float32.
 *
 * A is m x k, B is k x n, C is m x n; row i of A starts at a + i * lda, and so on. Any size may be
 * 0: with k = 0 the product is 0 and C becomes beta * C. With beta = 0, C is not read (BLAS's rule,
 * so that NaNs in an uninitialized C do not propagate). With alpha = 0, BLAS does not read A and B
 * either, whereas a kernel that multiplies by 0 turns infinities and NaNs in A and B into NaN; both
 * results are accepted. */
#ifndef RUNGS_GEMM_H
#define RUNGS_GEMM_H

#include <stddef.h>

#include "problem/rung.h"

/* A rung's arguments. All pointers are to memory of the back end that runs the rung. */
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
    /* The most roundings that a term passes through (c in compare.h), without a product's own. */
    double (*depth)(const struct gemm *call);
    /* Describes how the rung ran. NULL: nothing to say. */
    void (*how)(const struct gemm *call, char text[RUNG_HOW_SIZE]);
    /* Work that a user would do once for many calls. Called after every change of the inputs,
     * before `run`; not timed. NULL: none. */
    void (*prepare)(const struct gemm *call);
    /* For host rungs: the most products that a call may have; 0: no limit. A slow loop would take
     * minutes for a problem of a GPU's size, so it is given the first rows of C only; the result
     * row says so, and speedups compare rates. */
    double most_products;
};

extern const struct problem_kind gemm_kind;

/* The depth of a single running sum over k. A rung with partial sums has a smaller depth: that of a
 * partial sum plus that of the sum of these. */
double gemm_depth_serial(const struct gemm *call);

#endif
