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

enum reduce_op { OP_DOT, OP_SUM, OP_MAX, OP_MIN };

/* mixed: a is float, b is one byte per element, 0 or 1 (NumPy's bool); the product and the sum are
 * float. Only dot takes it. */
enum element_type { TYPE_F32, TYPE_F64, TYPE_MIXED };

/* What a rung is given. All pointers are memory of the back end that runs it. */
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

extern const struct family reduction_family;

/* "dot", "sum", "max" or "min". */
const char *reduce_op_name(enum reduce_op op);

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
