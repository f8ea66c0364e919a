/* Reductions of a matrix, a problem of step 06: one result per row, or one per column.
 *
 * The matrix is row-major without padding: row r starts at a + r * columns. Sums, maxima and minima
 * follow the rules of reduction.h. An empty row or column gives the operator's identity. A NaN
 * makes the result of its row or column NaN. `a` and `result` are aligned to their elements
 * only. */
#ifndef RUNGS_MATRIX_REDUCTION_H
#define RUNGS_MATRIX_REDUCTION_H

#include <stddef.h>

#include "problem/reduction/reduction.h"

/* One result per row, or one per column. */
enum matrix_axis { AXIS_ROWS, AXIS_COLUMNS };

/* A rung's arguments. All pointers are to memory of the back end that runs the rung. Each rung
 * reduces either rows or columns. */
struct matrix_reduction {
    enum reduce_op op;      /* OP_SUM, OP_MAX or OP_MIN */
    enum element_type type; /* TYPE_F32 or TYPE_F64 */
    size_t rows, columns;
    const void *a;          /* rows * columns elements */
    void *result;           /* one element per row, or per column */
    void *workspace;        /* scratch, aligned to 256 bytes; uninitialized */
    size_t workspace_bytes; /* multiprocessors * MATRIX_WORKSPACE */
    int multiprocessors;    /* of the GPU in use, at least 1 */
    int threads;            /* CPU threads to use, at least 1 */
};

#define MATRIX_WORKSPACE ((size_t)32 << 10)

struct matrix_rung {
    struct rung rung;
    void (*run)(const struct matrix_reduction *call); /* NULL: not in this build */
    /* The most roundings that a term passes through (c in compare.h). NULL: 0. */
    double (*depth)(const struct matrix_reduction *call);
    /* Describes how the rung ran. NULL: nothing to say. */
    void (*how)(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE]);
    /* Why the rung cannot do this reduction; NULL if it can. A NULL function: it can do all. */
    const char *(*declines)(const struct matrix_reduction *call);
};

extern const struct problem_kind row_reduction_kind, column_reduction_kind;

#endif
/* SPDX-License-Identifier: MIT */
