/* Reductions, the problem of steps 01 to 06: many numbers in, one number out.
 *
 *   dot  sum of a[i] * b[i]
 *   sum  sum of a[i]
 *   max  largest a[i]     min  smallest a[i]
 *
 * Rules for every rung, on every back end:
 *   n = 0   gives the operator's identity: 0 for dot and sum, -inf for max, +inf for min;
 *   NaN     anywhere in the input makes the result NaN, also for max and min (as IEEE 754-2019's
 *           maximum and minimum, and NumPy; C's fmax would ignore the NaN);
 *   a and b are aligned to their elements only. */
#ifndef RUNGS_REDUCTION_H
#define RUNGS_REDUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "problem/rung.h"

enum reduce_op { OP_DOT, OP_SUM, OP_MAX, OP_MIN };

/* TYPE_F16: the elements are halfs (16 bits, NumPy's float16); products, sum and result are float.
 * The last two are for dot only, and a is float. For TYPE_MIXED, b has one byte per element, 0 or 1
 * (NumPy's bool); products and sum are float. For TYPE_F32_F64, b is double, and so are products
 * and sum, because each float is also a double. */
enum element_type { TYPE_F32, TYPE_F64, TYPE_F16, TYPE_MIXED, TYPE_F32_F64, ELEMENT_TYPES };

static inline bool has_two_types(enum element_type type)
{
    return type == TYPE_MIXED || type == TYPE_F32_F64;
}

/* Whether the result is double; otherwise it is float. */
static inline bool is_f64_result(enum element_type type)
{
    return type == TYPE_F64 || type == TYPE_F32_F64;
}

/* Bytes of an element of a, of an element of b, and of the result. */
static inline size_t element_size(enum element_type type)
{
    return type == TYPE_F64 ? sizeof(double) : type == TYPE_F16 ? sizeof(uint16_t) : sizeof(float);
}

static inline size_t second_size(enum element_type type)
{
    return type == TYPE_MIXED     ? sizeof(unsigned char)
           : type == TYPE_F32_F64 ? sizeof(double)
                                  : element_size(type);
}

static inline size_t result_size(enum element_type type)
{
    return is_f64_result(type) ? sizeof(double) : sizeof(float);
}

/* A rung's arguments. All pointers are to memory of the back end that runs the rung. */
struct reduction {
    enum reduce_op op;
    enum element_type type;
    size_t n;
    const void *a;       /* n elements: float, double for TYPE_F64, half for TYPE_F16 */
    const void *b;       /* n elements for dot: same type as a, or as the type says */
    void *result;        /* one float or double: result_size(type) */
    void *workspace;     /* reduction_workspace(call) bytes of scratch; undefined on entry */
    int multiprocessors; /* of the GPU in use */
    int threads;         /* CPU threads to use, at least 1 */
    int gpus;            /* that share the work; the first has a, b and result; 0: one */
    void *stream;   /* cudaStream_t, for rungs that launch on several GPUs; NULL: the default */
    unsigned block; /* threads per block, BY_OCCUPANCY, or 0: the usual number */
    unsigned grid;  /* blocks, BY_OCCUPANCY, or 0: the usual number */
};

#define REDUCTION_WORKSPACE ((size_t)64 << 10)

/* The usual launch of steps 04 to 06: 8 warps per block, and enough blocks to fill the GPU. */
enum { REDUCTION_BLOCK = 256, REDUCTION_BLOCKS_PER_MULTIPROCESSOR = 4 };

/* CUDA's limits: threads per block, and blocks per SM. */
enum { MOST_THREADS = 1024, MOST_RESIDENT = 32 };

/* For struct reduction: use the number that CUDA's occupancy functions give for the kernel. */
#define BY_OCCUPANCY ((unsigned)-1)

/* Which `block` and `grid` a rung supports; without a bit, only the usual ones. */
enum reduction_shape {
    TAKES_GRID = 1 << 0,
    TAKES_BLOCK = 1 << 1,
    POWER_OF_TWO = 1 << 2,  /* of threads per block */
    TWO_WARPS = 1 << 3,     /* at least */
    CHOOSES_SHAPE = 1 << 4, /* supports neither, because it chooses */
    TAKES_ANY = TAKES_GRID | TAKES_BLOCK,
    TAKES_TREE = TAKES_ANY | POWER_OF_TWO
};

/* An operator's bit in a rung's `ops`. */
#define RUNG_OP(op) (1U << (op))

struct reduction_rung {
    struct rung rung;
    void (*run)(const struct reduction *call); /* NULL: a library that is not in this build */
    /* The most roundings that a term passes through (c in compare.h), without a product's own. */
    double (*depth)(const struct reduction *call);
    /* Describes how the rung ran, such as "avx512, 2 threads". NULL: nothing to say. */
    void (*how)(const struct reduction *call, char text[RUNG_HOW_SIZE]);
    /* Work that a user would do once for many calls, such as placing the data. Called after every
     * change of the inputs, before `run`; not timed. NULL: none. */
    void (*prepare)(const struct reduction *call);
    unsigned ops; /* the operators that it can do, RUNG_OP(OP_DOT) | ...; 0: all */
    /* Why the rung cannot do this reduction; NULL if it can. A NULL function: it can do all. */
    const char *(*declines)(const struct reduction *call);
    unsigned shape; /* enum reduction_shape */
};

/* The same problem, with the option --grid, and with --grid and --block. */
extern const struct problem_kind reduction_kind, grid_reduction_kind, block_reduction_kind;
/* The same with --gpus, on several GPUs. */
extern const struct problem_kind gpus_reduction_kind;

#ifdef __cplusplus
extern "C" {
#endif

/* Blocks for a grid-stride kernel: enough to cover n once, at most `per_multiprocessor` per SM, at
 * least 1 (for an empty input the identity must still be written). */
unsigned reduction_grid(const struct reduction *call, unsigned block, unsigned per_multiprocessor);

/* Blocks of `threads` threads for a grid-stride kernel, as call->grid says (kernel/blocks.cuh). An
 * SM can hold `resident` of these blocks at a time. */
unsigned reduction_blocks(const struct reduction *call, unsigned threads, unsigned resident);

size_t reduction_workspace(const struct reduction *call);

#ifdef __cplusplus
}
#endif

/* The launches that call->block and call->grid permit, for depths. (Only the kernel's source can
 * ask for its occupancy.) */
struct launch_range {
    size_t least_blocks, most_blocks, least_threads, most_threads; /* threads per block */
};
struct launch_range reduction_range(const struct reduction *call);

/* Depths for struct reduction_rung. A single running sum: n. */
double depth_serial(const struct reduction *call);
/* Two launches, as in step 05: in each, every thread adds its own terms and a tree combines the
 * block's partial sums. */
double depth_two_stages(const struct reduction *call);

#endif
/* SPDX-License-Identifier: MIT */
