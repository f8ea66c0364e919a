/* Step 06, rows and columns: how the work is divided among blocks and threads. Plain C for the
 * host; the kernels are in rows.cu and columns.cu. */
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

    /* Blocks that are on an SM at a time (__launch_bounds__). */
    ROW_BLOCKS_RESIDENT = 5,
    COLUMN_BLOCKS_RESIDENT = 3,

    /* What a thread loads before it uses the first of it: packs of 16 bytes or, if columns are
     * read element by element, elements. */
    ROW_PACKS_IN_FLIGHT = 4,
    COLUMN_PACKS_IN_FLIGHT = 4,
    COLUMN_ELEMENTS_IN_FLIGHT = 8,

    /* The hardware's limit of a grid in y. */
    MOST_BLOCKS_IN_Y = 65535
};

/* ---- rows ------------------------------------------------------------------------------------ */

/* Either `lanes` neighbouring lanes take a row, in a grid of `grid` blocks, or, if `lanes` is 0, a
 * block takes each of the `pieces` of a row. */
struct row_plan {
    unsigned lanes, grid;
    size_t pieces, piece_length;
};

/* For rows that are not cut into pieces. */
struct row_plan row_plan_fitted(const struct matrix_reduction *call, size_t rows, size_t columns);

/* Cuts rows into pieces if they are too few, and long enough. The pieces' results, a matrix of
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

/* How many columns a thread takes: those of a 16-byte load if every row starts at a multiple of 16
 * bytes, otherwise one. */
unsigned columns_a_thread(const struct matrix_reduction *call);

/* Blocks of a warp across, which take all rows of their columns. */
struct column_plan column_plan_fixed(const struct matrix_reduction *call, unsigned count);

/* As wide as suits the matrix. */
struct column_plan column_plan_fitted(const struct matrix_reduction *call);

/* With several blocks one below the other if columns are few. Their results, a matrix of
 * `splits` rows, fit into the workspace. */
struct column_plan column_plan_split(const struct matrix_reduction *call);

/* For those results. */
struct column_plan column_plan_second(const struct matrix_reduction *call, unsigned splits);

/* ---- small helpers --------------------------------------------------------------------------- */

/* The least power of two from n up, no more than `most`, which is one. */
static inline unsigned power_of_two(size_t n, unsigned most)
{
    unsigned power = 1;
    while (power < n && power < most)
        power *= 2;
    return power;
}

/* Of a tree over `leaves` values, a power of two. */
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
