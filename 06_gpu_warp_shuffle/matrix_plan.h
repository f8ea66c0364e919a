/* Step 06, rows and columns: how the work is divided among blocks and threads. This is plain C for
 * the host. The kernels are in rows.cu, columns.cu and columns_in_flight.cu. */
#ifndef RUNGS_06_MATRIX_PLAN_H
#define RUNGS_06_MATRIX_PLAN_H

#include <stddef.h>

#include "base/integers.h"
#include "problem/matrix_reduction/matrix_reduction.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WARP_SIZE = 32,

    /* Threads per block. */
    ROW_BLOCK = 256,
    COLUMN_BLOCK = 512,

    /* Blocks that are on an SM at the same time (__launch_bounds__). */
    ROW_BLOCKS_RESIDENT = 5,
    COLUMN_BLOCKS_RESIDENT = 3,

    /* The number of loads of a thread before it uses the first value. A load reads a pack of 16
     * bytes or, if columns are read element by element, one element. */
    ROW_PACKS_IN_FLIGHT = 4,
    COLUMN_PACKS_IN_FLIGHT = 4,
    COLUMN_ELEMENTS_IN_FLIGHT = 8,

    /* The hardware's limit for a grid's y dimension. */
    MOST_BLOCKS_IN_Y = 65535
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* If `lanes` is not 0, `lanes` neighbouring lanes reduce a row, in a grid of `grid` blocks. If it
 * is 0, a row has `pieces` pieces, and one block reduces each of them. */
struct row_plan {
    unsigned lanes, grid;
    size_t pieces, piece_length;
};

/* The plan for rows that are not cut into pieces. */
struct row_plan row_plan_fitted(const struct matrix_reduction *call, size_t rows, size_t columns);

/* Cuts rows into pieces if there are few rows and they are long. The pieces' results, a matrix of
 * `pieces` columns, fit into the workspace. */
struct row_plan row_plan_split(const struct matrix_reduction *call);

/* ---- columns --------------------------------------------------------------------------------- */

struct column_plan {
    unsigned count;  /* columns per thread */
    unsigned width;  /* threads across */
    unsigned tiles;  /* blocks side by side */
    unsigned splits; /* blocks one below the other */
    size_t rows_per_block;
};

/* The number of columns per thread: those of a 16-byte load if every row starts at a multiple of 16
 * bytes, otherwise one. */
unsigned columns_a_thread(const struct matrix_reduction *call);

/* Blocks that are one warp wide and reduce all rows of their columns. */
struct column_plan column_plan_fixed(const struct matrix_reduction *call, unsigned count);

/* Blocks whose width suits the matrix. */
struct column_plan column_plan_fitted(const struct matrix_reduction *call);

/* The same, with several blocks one below the other if there are few columns. Their results, a
 * matrix of `splits` rows, fit into the workspace. */
struct column_plan column_plan_split(const struct matrix_reduction *call);

/* The plan of the second launch, which reduces those results. */
struct column_plan column_plan_second(const struct matrix_reduction *call, unsigned splits);

/* ---- small helpers --------------------------------------------------------------------------- */

/* The smallest power of two that is at least n, limited to `most`, a power of two. */
static inline unsigned power_of_two(size_t n, unsigned most)
{
    unsigned power = 1;
    while (power < n && power < most)
        power *= 2;
    return power;
}

/* The number of rounds of a tree over `leaves` values, a power of two. */
static inline double rounds_of_tree(unsigned leaves)
{
    double rounds = 0;
    for (; leaves > 1; leaves /= 2)
        rounds++;
    return rounds;
}

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
