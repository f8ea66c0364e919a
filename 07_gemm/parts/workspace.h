/* Step 07: memory that the top rungs need on each GPU that multiplies. It is allocated once and
 * kept. It holds partial sums, and copies of matrices with aligned rows for vector loads and the
 * TMA. The TMA can load rows that start at multiples of 16 bytes. If they do not start at multiples
 * of 32 bytes, an L2 sector, the loads take up to twice as long. */
#ifndef RUNGS_07_WORKSPACE_H
#define RUNGS_07_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocates the current GPU's workspace; for .prepare of a rung. All functions use that GPU's. */
void prepare_workspace(const struct gemm *call);

/* Memory for partial sums: workspace_floats() floats, at least two tiles of 128 x 256 per
 * multiprocessor. */
float *workspace_parts(void);
static inline size_t workspace_floats(size_t multiprocessors)
{
    const size_t least = (size_t)1 << 23, tiles = 2 * 128 * 256 * multiprocessors;
    return tiles > least ? tiles : least;
}

/* WORKSPACE_FLAGS numbers, which are 0 between launches. */
enum { WORKSPACE_FLAGS = 4096 };
unsigned *workspace_flags(void);

/* Memory for copies of operands. Its contents are lost if a call asks for more than before. */
float *workspace_copy(size_t floats);

/* How many of a matrix's `count` parts, of part_bytes each, a kernel should keep in the current
 * GPU's L2 for the next kernel: all if the matrix takes at most 60% of L2, otherwise as many as 45%
 * of L2 can hold. L2 may hold a line in both of its halves, and data that is read only once needs
 * some room. On an H200, a matrix of 53% of L2 is read fastest if all of it stays, and one of 80%
 * if a part does. */
size_t count_kept_in_l2(size_t count, size_t part_bytes);

/* ---- aligned rows ---------------------------------------------------------------------------- */

/* The elements from one row to the next with which each row lies in as few lines of 128 bytes as
 * possible: several rows per line, or several lines per row. */
static inline size_t aligned_pitch(size_t columns, size_t element_size)
{
    const size_t line = 128 / element_size;
    size_t pitch = 16 / element_size;

    while (pitch < columns && pitch < line)
        pitch *= 2;
    return pitch < columns ? (columns + line - 1) / line * line : pitch;
}

static inline size_t aligned_floats(size_t columns)
{
    return aligned_pitch(columns, sizeof(float));
}

/* Launches a copy of rows x columns floats to `to`, which starts at a multiple of 128 bytes. Rows
 * are *leading floats apart; in the copy, aligned_pitch(columns, sizeof(float)). Sets *leading to
 * that and returns `to`. After the end of a row it writes zeros up to a multiple of 16 bytes. */
const float *copy_to_aligned_rows(const struct gemm *call, const float *from, size_t *leading,
                                  size_t rows, size_t columns, float *to);

/* Returns the product, of any type, with copies of A, of B or of both, made by one launch. They are
 * in the memory of workspace_copy. reserve_aligned_rows allocates that memory in advance. */
struct gemm with_aligned_rows(const struct gemm *call, bool of_a, bool of_b);
void reserve_aligned_rows(const struct gemm *call, bool of_a, bool of_b);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
