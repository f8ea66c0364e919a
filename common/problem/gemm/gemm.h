/* The problem of step 07: C = alpha * A * B + beta * C, row-major. The elements are float32 or
 * bfloat16; products are accumulated in float32.
 *
 * A is m x k, B is k x n, C is m x n; row i of A starts at a + i * lda, and so on. Any size may be
 * 0: with k = 0 the product is 0 and C becomes beta * C. With beta = 0, C is not read (BLAS's rule,
 * so that NaNs in an uninitialized C do not propagate). With alpha = 0, BLAS does not read A and B
 * either. A kernel that multiplies by 0 turns infinities and NaNs in A and B into NaN. Both results
 * are accepted. */
#ifndef RUNGS_GEMM_H
#define RUNGS_GEMM_H

#include <stddef.h>
#include <stdint.h>

#include "problem/rung.h"

/* GEMM_BF16: A, B and C are bfloat16, the upper half of a float's bits. GEMM_TF32: they are float,
 * and tensor cores multiply only their upper 19 bits. */
enum gemm_type { GEMM_F32, GEMM_TF32, GEMM_BF16 };

static inline size_t gemm_element_size(enum gemm_type type)
{
    return type == GEMM_BF16 ? sizeof(uint16_t) : sizeof(float);
}

/* A rung's arguments. All pointers are to memory of the back end that runs the rung. */
struct gemm {
    enum gemm_type type;
    size_t m, n, k;
    float alpha, beta;
    union {
        const float *a;
        const uint16_t *a_bf16; /* for GEMM_BF16 */
    };
    size_t lda; /* at least k */
    union {
        const float *b;
        const uint16_t *b_bf16;
    };
    size_t ldb; /* at least n */
    union {
        float *c;
        uint16_t *c_bf16;
    };
    size_t ldc;          /* at least n */
    void *workspace;     /* GEMM_WORKSPACE bytes of scratch; undefined on entry */
    int multiprocessors; /* of the GPU in use */
    union {              /* kernels are passed this struct, so it must not grow for the host */
        int threads;     /* CPU threads to use, at least 1 */
        int gpus;        /* number of GPUs that share the work; the first has A, B and C */
    };
};

#define GEMM_WORKSPACE ((size_t)1 << 20)

struct gemm_rung {
    struct rung rung;
    void (*run)(const struct gemm *call); /* NULL: a library that is not in this build */
    /* The most roundings that a term passes through (c in compare.h), without a product's own. */
    double (*depth)(const struct gemm *call);
    /* Describes how the rung ran. NULL: nothing to say. */
    void (*how)(const struct gemm *call, char text[RUNG_HOW_SIZE]);
    /* Work that a user would do once for many calls. Called after every change of the inputs,
     * before `run`; not timed. NULL: none. */
    void (*prepare)(const struct gemm *call);
    /* For rungs whose C is divided among several GPUs. scatter moves C there before a verified run,
     * collect moves it back to call->c afterwards; neither is timed. NULL: C is at call->c. */
    void (*scatter)(const struct gemm *call);
    void (*collect)(const struct gemm *call);
    /* Why the rung cannot do this product; NULL if it can. A NULL function: it can do all. */
    const char *(*declines)(const struct gemm *call);
    /* For host rungs: the most products that a call may have; 0: no limit. A slow loop would take
     * minutes for a problem of a GPU's size, so it computes only the first rows of C. The result
     * row says so, and speedups compare rates. */
    double most_products;
};

/* The problem in float32, in TF32 and in bfloat16. */
extern const struct problem_kind gemm_kind, gemm_tf32_kind, gemm_bf16_kind;
/* The same with --gpus, on several GPUs. */
extern const struct problem_kind gemm_gpus_kind, gemm_bf16_gpus_kind;

/* The depth of a single running sum over k. A rung with partial sums has a smaller depth: that of a
 * partial sum plus that of the sum of the partial sums. */
double gemm_depth_serial(const struct gemm *call);

/* The same on tensor cores, which truncate where float32 rounds. A step adds at least four products
 * and the sum so far, each aligned to the largest of the five and cut off there. Then it cuts off
 * the result. (M. Fasi et al., Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7,
 * 2021, found up to three more bits. This depth does not rely on them.) That makes 6 errors per
 * step, each as large as 2 roundings. */
double gemm_depth_tensor(const struct gemm *call);

#endif
/* SPDX-License-Identifier: MIT */
