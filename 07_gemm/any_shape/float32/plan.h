/* Step 07: how the top rungs compute a product. A plan is chosen by estimates of the time that each
 * would take, from measurements on an H200 and an H100 (any_shape/float32/times.c), so that it
 * depends on nothing but the problem and the kind of GPU: results are the same in every run. */
#ifndef RUNGS_07_PLAN_H
#define RUNGS_07_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ideas that a plan may use, in the order of the rungs. */
enum {
    PLAN_SHAPES = 1 << 0,   /* tiles of several shapes */
    PLAN_LATER = 1 << 1,    /* partial sums added by a second kernel */
    PLAN_CLUSTERS = 1 << 2, /* partial sums added within a cluster */
    PLAN_SHARES = 1 << 3,   /* or by all blocks of a tile, through global memory */
    PLAN_COPIES = 1 << 4,   /* aligned copies of B */
    PLAN_THIN = 1 << 5,     /* few rows or columns without tiles */
    PLAN_EDGES = 1 << 6,    /* the same for those beyond the last tile */
    PLAN_SHORT = 1 << 7,    /* a tile's last stage, as far as k goes */
    PLAN_NARROW = 1 << 8,   /* tiles of 32 or 16 columns */
    PLAN_STREAMED = 1 << 9, /* few rows, to which B comes by the TMA */
    PLAN_KEPT = 1 << 10,    /* L2 keeps a part of the large matrix of these */
    PLAN_SMALL = 1 << 11,   /* blocks that do not wait for one another */
};

/* BY_NOTHING: the ideas do not suffice for the problem. */
enum plan_kind { BY_NOTHING, BY_TILES, BY_FEW_ROWS, BY_FEW_COLUMNS, BY_STREAM, BY_SMALL_TILES };

/* Tiles of tiles_of_c; the first is Large. */
enum {
    TILE_128X256,
    TILE_128X192,
    TILE_256X128,
    TILE_128X128,
    TILE_64X128,
    TILE_128X64,
    TILE_64X64,
    TILE_128X224, /* from here on: never in clusters or in shares */
    TILE_128X32,  /* this and the next two: narrow_tiles */
    TILE_128X16,
    TILE_512X32,
    TILE_SHAPES
};

/* Tiles of small_tiles; _2 and _3: so many blocks are on a multiprocessor at once, not one. */
enum { SMALL_16X32, SMALL_16X32_3, SMALL_32X32, SMALL_32X32_2, SMALL_32X64, SMALL_SHAPES };

struct plan {
    enum plan_kind kind;
    int shape;
    unsigned blocks;  /* BY_TILES: how many share the work */
    bool added_later; /* BY_TILES: partial sums, by add_parts */
    bool in_shares;   /* BY_TILES: the blocks of a tile each add up a share of it */
    unsigned cluster; /* BY_TILES: so many blocks, which share a tile, are a cluster; 0: none */
    bool short_stage; /* BY_TILES: of the last stage, what is beyond k is not multiplied */
    bool copies_a;    /* BY_SMALL_TILES: its rows are copied to aligned ones first */
    bool copies_b;    /* BY_TILES, BY_SMALL_TILES */
    size_t rows,
        columns;     /* BY_TILES: of C; what is beyond them is left to few_rows and few_columns */
    unsigned splits; /* others: how many blocks share a tile's steps along k */
    size_t kept;     /* few rows or columns: so many floats of the large matrix stay in L2 */
};

/* At most: rows or columns of C that few_rows or few_columns takes; rows that streamed_rows takes;
 * blocks of a cluster. */
enum { MOST_FEW = 16, MOST_STREAMED = 32, MOST_CLUSTER = 8 };

/* How many clusters of that many blocks the current GPU runs at the same time. */
unsigned clusters_at_once(unsigned cluster);

/* The current GPU's L2. */
size_t l2_bytes(void);

/* How many blocks these kernels have for a tile, which share its steps along k. */
unsigned few_rows_splits(const struct gemm *call);
unsigned streamed_splits(const struct gemm *call);
unsigned few_columns_splits(const struct gemm *call);

/* The fastest plan by the ideas, for a product with m, n and k > 0. */
struct plan choose_plan(const struct gemm *call, unsigned ideas);

/* Whether the two plans launch the same kernels, which do the same. */
bool plans_are_alike(const struct gemm *call, const struct plan *a, const struct plan *b);

/* Run a plan's kernels. run_tiles calls the three below it. */
void run_tiles(const struct gemm *call, const struct plan *plan);
void launch_clustered_tiles(const struct gemm *call, const struct plan *plan);
void launch_tiles_in_shares(const struct gemm *call, const struct plan *plan);
void launch_narrow_tiles(const struct gemm *call, const struct plan *plan);
/* beside_copy: the launch before is with_aligned_rows's, which these do not wait for. */
void run_few_rows(const struct gemm *call, unsigned splits, size_t kept, bool beside_copy);
void run_few_columns(const struct gemm *call, unsigned splits, size_t kept, bool beside_copy);
void run_streamed(const struct gemm *call, unsigned splits, size_t kept);
void run_small_tiles(const struct gemm *call, const struct plan *plan);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
