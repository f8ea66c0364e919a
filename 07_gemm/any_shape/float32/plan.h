/* Step 07, float32: how any_shape computes a product. choose_plan estimates the time of each plan
 * (any_shape/float32/times.c), from measurements. A plan depends only on the problem and the kind
 * of GPU, so results are the same in every run. */
#ifndef RUNGS_07_PLAN_H
#define RUNGS_07_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* BY_NOTHING: no plan, because k is 0; BY_TILES to BY_SMALL_TILES name the kernels. */
enum plan_kind { BY_NOTHING, BY_TILES, BY_FEW_ROWS, BY_FEW_COLUMNS, BY_SMALL_TILES };

/* Tiles of tiles_of_c, rows x columns of C. */
enum {
    TILE_128X256,
    TILE_128X192,
    TILE_128X160,
    TILE_128X128,
    TILE_128X96,
    TILE_64X128,
    TILE_SHAPES
};

enum { SMALL_SHAPES = 16 }; /* of small_tiles: plan_small_tiles in any_shape/float32/times.h */

struct plan {
    enum plan_kind kind;
    int shape;            /* number of the tile's shape */
    unsigned blocks;      /* BY_TILES: how many share the work */
    bool added_later;     /* BY_TILES: add_parts, a second kernel, adds their partial sums */
    bool short_stage;     /* BY_TILES: the last stage is multiplied only as far as k goes */
    bool copies_b;        /* BY_TILES: B is first copied to aligned rows */
    size_t rows, columns; /* BY_TILES: of C; few_rows and few_columns compute the rest */
    unsigned splits;      /* others: how many blocks share a tile's k-steps */
    size_t kept;          /* few rows or columns: floats of the large matrix that stay in L2 */
};

enum { MOST_FEW = 16 }; /* the most rows or columns of C for few_rows or few_columns */

/* How many blocks of these kernels share a tile's k-steps. */
unsigned few_rows_splits(const struct gemm *call);
unsigned few_columns_splits(const struct gemm *call);

/* The fastest plan for a product with m, n and k > 0. */
struct plan choose_plan(const struct gemm *call);

/* Runs a plan's kernels; the functions below run those of one kind. */
void run_plan(const struct gemm *call, const struct plan *plan);
void run_tiles(const struct gemm *call, const struct plan *plan);
/* beside_copy: the previous launch is with_aligned_rows's copy, which these kernels overlap. */
void run_few_rows(const struct gemm *call, unsigned splits, size_t kept, bool beside_copy);
void run_few_columns(const struct gemm *call, unsigned splits, size_t kept, bool beside_copy);
void run_small_tiles(const struct gemm *call, const struct plan *plan);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
