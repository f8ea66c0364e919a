/* Step 07, bfloat16: the tiles of even_waves and even_pairs. High tiles have 256 rows and 128
 * columns. Low tiles, in the last columns of tiles, have 232 or 208 rows. There are so many low
 * tiles that all streaming multiprocessors (SMs) end at about the same time, without a partial
 * wave. */
#ifndef RUNGS_07_BF16_EVEN_PLAN_H
#define RUNGS_07_BF16_EVEN_PLAN_H

#include <stdbool.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EVEN_HIGH_ROWS = 256, EVEN_COLUMNS = 128, EVEN_PARTS = 4 /* parts of a tile's store */ };

/* The rows of a low tile; how many columns of tiles, or of pairs of tiles, have high ones. The time
 * is estimated from the number of waves and the rows of all tiles that one SM computes. */
struct even_plan {
    unsigned low_rows, high_columns;
    double waves, rows;
};

/* Pairs need two SMs; with only one, low_rows is 0. */
struct even_plan even_plan_of(const struct gemm *call, bool pairs);

/* Compute a product with these tiles. The rungs must not decline it. */
void launch_waves_of(const struct gemm *call, const struct even_plan *plan);
void launch_pairs_of(const struct gemm *call, const struct even_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
