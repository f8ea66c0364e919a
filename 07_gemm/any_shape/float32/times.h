/* Step 07, float32: estimates of how long a plan takes, in us: what a launch takes with next to
 * nothing to multiply, and what each of its steps takes. Source: about 4,600 runs of plans for 310
 * shapes on an H200, in 54 of which C has few rows or columns. The constants are such that the plan
 * chosen for these is on average 2% slower than the fastest one tried. */
#ifndef RUNGS_07_PLAN_TIMES_H
#define RUNGS_07_PLAN_TIMES_H

#include <stdint.h>

#include "any_shape/float32/plan.h"

struct tile {
    unsigned m, n, depth; /* of C; along k */
    double step;          /* of a block, one stage */
    double store;         /* of a block's tile, or its partial sums */
};

struct small_tile {
    unsigned m, n, resident; /* resident: at most so many blocks are on a multiprocessor */
    double ends;             /* of a block: the launch, the first loads and the last sums */
    double term;             /* of a wave, one value of p, at least */
    double rate;             /* products per us and multiprocessor */
};

/* In the order of any_shape/float32/plan.h. */
extern const struct tile plan_tiles[TILE_SHAPES];
extern const struct small_tile plan_small_tiles[SMALL_SHAPES];

static inline size_t ceil_of(size_t a, size_t b)
{
    return (a + b - 1) / b;
}

static inline bool is_aligned(const float *matrix, size_t leading)
{
    return (uintptr_t)matrix % 16 == 0 && leading % 4 == 0;
}

/* `few` rows or columns of C, with a matrix of `elements` to read. */
double plan_few_time(size_t few, double elements, int multiprocessors);

/* The same of columns, whose sums the lanes of a warp must add up. */
double plan_few_columns_time(size_t few, size_t rows, size_t k, int multiprocessors);

/* What is beyond k of a tile's last stage, as a fraction of a stage, in whole turns of a consumer's
 * loop. */
double plan_beyond_k(const struct gemm *call, const struct tile *tile);

double plan_tiles_time(const struct gemm *call, const struct plan *plan);
double plan_small_time(const struct gemm *call, const struct plan *plan);

#endif
/* SPDX-License-Identifier: MIT */
