/* Step 07, bfloat16: the tiles of even_waves and even_pairs. They have 256 rows and 128 columns,
 * and in the last columns of tiles fewer rows. There are so many of those columns that all
 * streaming multiprocessors end at about the same time: without the partial wave of wave
 * quantization. */
#ifndef RUNGS_07_BF16_EVEN_PLAN_H
#define RUNGS_07_BF16_EVEN_PLAN_H

#include <stdbool.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EVEN_HIGH_ROWS = 256, EVEN_COLUMNS = 128, EVEN_PARTS = 4 /* a tile is stored in steps */ };

/* Rows of the other tiles; columns of tiles, or of pairs of them, that have 256 rows. Estimates of
 * the time use the waves of tiles and the rows of all tiles that a multiprocessor computes. */
struct even_plan {
    unsigned low_rows, high_columns;
    double waves, rows;
};

/* Pairs need two multiprocessors; without, low_rows is 0. */
struct even_plan even_plan_of(const struct gemm *call, bool pairs);

/* Run these tiles, of a product that the rungs do not decline. */
void launch_waves_of(const struct gemm *call, const struct even_plan *plan);
void launch_pairs_of(const struct gemm *call, const struct even_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
