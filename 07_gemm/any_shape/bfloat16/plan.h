/* Step 07, bfloat16: how any_shape computes a product. A model, from measurements on H200s,
 * estimates the time of each way (any_shape/bfloat16/cycles.c). A plan depends only on the problem
 * and the GPU's SMs and groups of SMs, so results are the same in every run. */
#ifndef RUNGS_07_BF16_PLAN_H
#define RUNGS_07_BF16_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tiles of 128 rows and 64, 192 or 256 columns; the widest, with the last waves shared (stream_k);
 * the rungs even_waves or even_pairs; fitted, thin, few_rows and few_columns; a matrix times a
 * vector. BF16_OTHER is split_k of bfloat16_mma, if k = 0 or a side is above INT32_MAX; on GPUs
 * without wgmma, tma_copies (if prefers_tma_copies) or split_k. */
enum bf16_way {
    BF16_TILE_64,
    BF16_TILE_192,
    BF16_TILE_256,
    BF16_STREAM_K,
    BF16_EVEN,
    BF16_FITTED,
    BF16_THIN,
    BF16_FEW_ROWS,
    BF16_FEW_COLUMNS,
    BF16_VECTOR,
    BF16_OTHER,
};

/* `splits` blocks share the k-steps of a tile. It may be above 1 for BF16_TILE_64 to BF16_TILE_256,
 * and for BF16_THIN, whose blocks are then a cluster. */
struct bf16_plan {
    enum bf16_way way;
    unsigned splits;
    unsigned rows, columns;  /* a tile of BF16_FITTED or BF16_THIN, a low tile of BF16_EVEN */
    unsigned down, across;   /* tiles per cluster of BF16_FITTED */
    bool turns;              /* the warpgroups of BF16_FITTED take turns */
    unsigned high_columns;   /* BF16_EVEN: columns of high tiles, or of pairs of these */
    bool pairs;              /* BF16_EVEN: two blocks share tiles of A */
    bool copies_a, copies_b; /* operands copied first to aligned rows (parts/workspace.h) */
};

/* The most blocks per cluster. bf16_clusters()[n] is how many clusters of n blocks run at the same
 * time on the current GPU. A cluster lies within a group of SMs (GPC). Groups differ in size, so
 * the driver must be asked (any_shape/bfloat16/thin.cu). */
#define BF16_MOST_CLUSTER 8
const unsigned *bf16_clusters(void);

/* clusters: NULL on a GPU without wgmma. There bfloat16_mma computes every shape (BF16_OTHER). */
struct bf16_plan bf16_plan_of(const struct gemm *call, const unsigned *clusters);

/* clang-format off */
/* The tiles of fitted: rows, panels of 64 columns, whether the warpgroups take turns
 * (any_shape/bfloat16/persistent.cuh). */
#define BF16_FITTED_TILES(TILE)                                                                    \
    TILE(16, 1, false) TILE(32, 1, false) TILE(48, 1, false) TILE(64, 1, false)                    \
    TILE(80, 1, false) TILE(104, 1, false) TILE(128, 1, false) TILE(168, 1, false)                 \
    TILE(192, 1, true) TILE(104, 2, false) TILE(160, 2, false) TILE(192, 2, false)                 \
    TILE(216, 2, false) TILE(104, 2, true) TILE(128, 2, true) TILE(168, 2, true)                   \
    TILE(192, 2, true) TILE(96, 3, true) TILE(112, 3, true) TILE(128, 3, false)                    \
    TILE(144, 3, false) TILE(160, 3, false) TILE(192, 3, false) TILE(208, 3, false)

/* The tiles of thin: extent in the small matrix, whether that is rows of C, extent in the large. */
#define BF16_THIN_TILES(TILE)                                                                      \
    TILE(16, false, 256) TILE(32, false, 128) TILE(64, false, 64) TILE(64, false, 128)             \
    TILE(128, false, 64) TILE(128, false, 256) TILE(16, true, 128) TILE(16, true, 256)             \
    TILE(80, true, 128) TILE(104, true, 128) TILE(128, true, 128) TILE(64, true, 256)              \
    TILE(128, true, 256)
/* clang-format on */

/* The fastest tile of thin and of fitted, and its cycles (any_shape/bfloat16/cycles.h). */
struct bf16_plan bf16_thin_plan(const struct gemm *call, const unsigned *clusters,
                                double *cycles_of_best);
struct bf16_plan bf16_fitted_plan(const struct gemm *call, const unsigned *clusters,
                                  double *cycles_of_best);

/* The same for even_waves and even_pairs: how many columns of tiles are high, and how many rows the
 * low tiles have, so that all SMs end at about the same time. Pairs need two SMs; with only one,
 * the cycles are infinite. */
struct bf16_plan bf16_even_plan(const struct gemm *call, bool pairs, double *cycles_of_best);

/* Whether these rungs can compute it, if the TMA can load A and B. They require beta = 0, a C that
 * the TMA can store, and enough k-steps to store a tile meanwhile. */
bool bf16_can_be_even(const struct gemm *call);

/* Whether the TMA can store C, as fitted requires. */
bool bf16_can_be_fitted(const struct gemm *call);

/* Runs a plan's kernels; the functions below run those of one way. The TMA must be able to load the
 * operands of tiles. */
void run_bf16_plan(const struct gemm *call, const struct bf16_plan *plan);
void launch_fitted_tiles(const struct gemm *call, const struct bf16_plan *plan);
void launch_thin_tiles(const struct gemm *call, const struct bf16_plan *plan);
void launch_stream_k_bf16(const struct gemm *call);
void launch_few_rows_bf16(const struct gemm *call);    /* at most 16 rows of C */
void launch_few_columns_bf16(const struct gemm *call); /* at most 16 columns of C */
void launch_times_vector_bf16(const struct gemm *call);

/* The most floats of partial sums that a plan may use. */
size_t bf16_plan_floats(const struct gemm *call);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
