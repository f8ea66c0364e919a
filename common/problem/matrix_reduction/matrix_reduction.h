/* A problem of step 06: a matrix in, one number per row or per column out.
 *
 * The matrix is row-major without padding: row r starts at a + r * columns. Sums, maxima and minima
 * follow the rules of reduction.h: a row (or column) of no elements gives the operator's identity,
 * a NaN makes the result of its row (or column) NaN, and `a` and `result` need no alignment beyond
 * their element's. */
#ifndef RUNGS_MATRIX_REDUCTION_H
#define RUNGS_MATRIX_REDUCTION_H

#include <stddef.h>

#include "problem/reduction/reduction.h"

/* What is reduced: every row to one number, or every column. */
enum matrix_axis { AXIS_ROWS, AXIS_COLUMNS };

/* What a rung is called with. All pointers are memory of the back end that runs it. Which axis it reduces
 * is the rung's own. */
struct matrix_reduction {
    enum reduce_op op;      /* OP_SUM, OP_MAX or OP_MIN */
    enum element_type type; /* TYPE_F32 or TYPE_F64 */
    size_t rows, columns;
    const void *a;          /* rows * columns elements */
    void *result;           /* one element per row, or per column */
    void *workspace;        /* scratch, aligned to 256 bytes; undefined on entry */
    size_t workspace_bytes; /* MATRIX_WORKSPACE for each multiprocessor */
    int multiprocessors;    /* of the GPU in use, at least 1 */
    int threads;            /* CPU threads to use, at least 1 */
};

#define MATRIX_WORKSPACE ((size_t)32 << 10)

struct matrix_rung {
    struct rung rung;
    void (*run)(const struct matrix_reduction *call); /* NULL: not in this build (ON_CUDA) */
    /* How many roundings lie between an input and the result (the c of compare.h). NULL: 0. */
    double (*depth)(const struct matrix_reduction *call);
    /* What the rung really used. NULL: nothing to tell. */
    void (*how)(const struct matrix_reduction *call, char text[RUNG_HOW_SIZE]);
};

extern const struct problem_kind row_reduction_kind, column_reduction_kind;

#endif
