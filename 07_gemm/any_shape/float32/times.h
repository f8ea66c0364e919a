/* Step 07, float32: estimates of how long a plan takes, in us: the time of a launch with almost
 * nothing to multiply, and that of each step. Source: 4,600 runs for 310 shapes on an H200; for
 * small tiles, 486 later runs for 74 shapes, where the plan chosen was on average 1.3% slower than
 * the fastest one tried. */
#ifndef RUNGS_07_PLAN_TIMES_H
#define RUNGS_07_PLAN_TIMES_H

#include <stdint.h>

#include "any_shape/float32/plan.h"

struct tile {
    unsigned m, n, depth; /* of C; along k */
    double step;          /* time of a block's stage */
    double store;         /* time to store a block's tile, or its partial sums */
};

struct small_tile {
    unsigned m, n, round; /* of C; values of p that all groups of a block multiply per stage */
    unsigned resident;    /* the most blocks per SM */
    double ends;          /* per wave: the launch, the first loads and the last additions */
    double term;          /* per wave and value of p, at least */
    double rate;          /* multiply-adds per us and SM */
};

/* plan_tiles is in the order of any_shape/float32/plan.h. */
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

/* The time for `few` rows or columns of C, with a matrix of `elements` to read. */
double plan_few_time(size_t few, double elements, int multiprocessors);

/* The same for columns. The lanes of a warp must also add their partial sums. */
double plan_few_columns_time(size_t few, size_t rows, size_t k, int multiprocessors);

/* How much of a tile's last stage is past k, as a fraction of a stage, in whole turns of a
 * consumer's loop; 0 if warps share a stage. */
double plan_beyond_k(const struct gemm *call, const struct tile *tile);

double plan_tiles_time(const struct gemm *call, const struct plan *plan);
double plan_small_time(const struct gemm *call, const struct plan *plan);

#endif
/* SPDX-License-Identifier: MIT */
