/* The problem of steps 01 to 06: many numbers in, one number out.
 *
 *   dot  sum of a[i] * b[i]
 *   sum  sum of a[i]
 *   max  largest a[i]     min  smallest a[i]
 *
 * Rules that every rung keeps, on every back end:
 *   n = 0   gives the operator's identity: 0 for dot and sum, -inf for max, +inf for min;
 *   NaN     anywhere in the input makes the result NaN, for max and min too (IEEE 754-2019's
 *           maximum and minimum, NumPy's rule; C's fmax would drop the NaN);
 *   a and b need no alignment beyond their element's. */
#ifndef RUNGS_REDUCTION_H
#define RUNGS_REDUCTION_H

#include <stddef.h>

#include "problem/rung.h"

enum reduce_op { OP_DOT, OP_SUM, OP_MAX, OP_MIN };

/* mixed: a is float, b is one byte per element, 0 or 1 (NumPy's bool); the product and the sum are
 * float. Only dot takes it. */
enum element_type { TYPE_F32, TYPE_F64, TYPE_MIXED };

/* What a rung is called with. All pointers are memory of the back end that runs it. */
struct reduction {
    enum reduce_op op;
    enum element_type type;
    size_t n;
    const void *a;       /* n elements: float, or double for TYPE_F64 */
    const void *b;       /* n elements for dot: float, double, or unsigned char for TYPE_MIXED */
    void *result;        /* one element: float, or double for TYPE_F64 */
    void *workspace;     /* REDUCTION_WORKSPACE bytes of scratch; undefined on entry */
    int multiprocessors; /* of the GPU in use */
    int threads;         /* CPU threads to use, at least 1 */
};

#define REDUCTION_WORKSPACE ((size_t)64 << 10)

/* The usual launch of steps 04 to 06: 8 warps a block, and enough blocks to fill the GPU. */
enum { REDUCTION_BLOCK = 256, REDUCTION_BLOCKS_PER_MULTIPROCESSOR = 4 };

/* The bit of an operator in a rung's `ops`. */
#define RUNG_OP(op) (1U << (op))

struct reduction_rung {
    struct rung rung;
    void (*run)(const struct reduction *call); /* NULL: not in this build (ON_CUDA) */
    /* How many roundings lie between an input and the result (the c of compare.h), not counting a
     * product's own. */
    double (*depth)(const struct reduction *call);
    /* What the rung really used, such as "avx512, 2 threads". NULL: nothing to tell. */
    void (*how)(const struct reduction *call, char text[RUNG_HOW_SIZE]);
    /* Work that a user would do once for many calls, such as placing the data: done after every
     * change of the inputs, before `run`, and not timed. NULL: none. */
    void (*prepare)(const struct reduction *call);
    unsigned ops; /* the operators that it can do, RUNG_OP(OP_DOT) | ...; 0: all */
    /* Why the rung does not do this reduction, or NULL if it does. NULL: it does all. */
    const char *(*declines)(const struct reduction *call);
};

extern const struct problem_kind reduction_kind;

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks for a grid-stride kernel: enough to cover n once, at most `per_multiprocessor` resident on
 * each multiprocessor, at least 1 (an empty input still needs its identity written). */
unsigned reduction_grid(const struct reduction *call, unsigned block, unsigned per_multiprocessor);

#ifdef __cplusplus
}
#endif

/* How many roundings lie between an input and the result, for the error bound (compare.h).
 * One thread after the other: n. */
double depth_serial(const struct reduction *call);
/* reduce_two_stages (reduce.cuh): each thread's own terms, then a tree over the block, twice. */
double depth_two_stages(const struct reduction *call);

#endif
