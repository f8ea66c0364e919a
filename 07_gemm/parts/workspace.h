/* Step 07: memory that the top rungs need, on each GPU that multiplies, allocated once and kept:
 * for partial sums, and for copies of matrices whose rows are aligned, as vector loads and the TMA
 * need them. The TMA can load rows that start at multiples of 16 bytes, but those that do not start
 * at multiples of 32, the sectors of L2, take it up to twice as long. */
#ifndef RUNGS_07_WORKSPACE_H
#define RUNGS_07_WORKSPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the current GPU, as is all that follows. Allocates it; for .prepare of a rung. */
void prepare_workspace(const struct gemm *call);

/* Room for partial sums: so many floats, at least those of two tiles of 128 x 256 for each
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

/* Room for copies of operands; what was there is lost if a larger one is asked for. */
float *workspace_copy(size_t floats);

/* ---- aligned rows ---------------------------------------------------------------------------- */

/* Elements from one row to the next such that each is in as few lines of 128 bytes as it can be:
 * several rows to a line, or several lines to a row. */
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

/* Launches a copy of a matrix of rows x columns floats, whose rows are *leading floats apart, to
 * aligned_pitch(columns, sizeof(float)); sets *leading to that, and returns `to`, which starts at a
 * multiple of 128 bytes. Behind the end of a row it writes zeros up to a multiple of 16 bytes. */
const float *copy_to_aligned_rows(const struct gemm *call, const float *from, size_t *leading,
                                  size_t rows, size_t columns, float *to);

/* The product, of any type, with copies of A, of B or of both, by one launch. Their memory is
 * workspace_copy's. reserve_aligned_rows allocates it, so that with_aligned_rows need not. */
struct gemm with_aligned_rows(const struct gemm *call, bool of_a, bool of_b);
void reserve_aligned_rows(const struct gemm *call, bool of_a, bool of_b);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
