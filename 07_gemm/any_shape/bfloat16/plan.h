/* Step 07, bfloat16: how any_shape computes a product, chosen by estimates of the time that each
 * way would take, from measurements on an H200 (any_shape/bfloat16/cycles.c). It depends on nothing
 * but the problem and the number of multiprocessors: results are the same in every run. */
#ifndef RUNGS_07_BF16_PLAN_H
#define RUNGS_07_BF16_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tiles of 128 rows and 64, 192 or 256 columns; the last wave of the widest shared (stream_k);
 * the rungs even_waves or even_pairs; fitted, thin, few_rows and few_columns; a matrix times a
 * vector; and split_k of bfloat16_mma, for what none of these can: k = 0,
 * a side of more than INT32_MAX, GPUs without wgmma. */
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

/* Blocks share the steps along k of a tile, `splits` of them: more than 1 with BF16_TILE_64 to
 * BF16_TILE_256, and with BF16_THIN, where they are a cluster. */
struct bf16_plan {
    enum bf16_way way;
    unsigned splits;
    unsigned rows, columns;  /* of a tile of BF16_FITTED or BF16_THIN, a low one of BF16_EVEN */
    unsigned down, across;   /* tiles of a cluster of BF16_FITTED */
    bool turns;              /* of its warpgroups */
    unsigned high_columns;   /* columns of tiles, or of pairs, that have high ones: BF16_EVEN */
    bool pairs;              /* of blocks that share tiles of A: BF16_EVEN */
    bool copies_a, copies_b; /* first, to rows that are aligned (parts/workspace.h) */
};

/* The most blocks of a cluster that share a tile, and how many clusters of 1 to so many blocks run
 * at the same time on the GPU in use. A cluster lies within a group of multiprocessors (GPC), and
 * groups differ in size, so that the device must say (any_shape/bfloat16/thin.cu). */
#define BF16_MOST_CLUSTER 8
const unsigned *bf16_clusters(void);

/* clusters: NULL on a GPU before Hopper, without the TMA and wgmma. There bfloat16_mma's
 * split_k computes every shape (BF16_OTHER). */
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

/* The tiles of thin: of the small matrix, whether these are rows of C, and of the large one. */
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

/* Tiles of the rungs even_waves and even_pairs: how many columns of tiles are high, and how high
 * the tiles of the others are, so that the multiprocessors end at about the same time. Pairs need
 * two multiprocessors; without, the cycles are infinite. */
struct bf16_plan bf16_even_plan(const struct gemm *call, bool pairs, double *cycles_of_best);

/* Whether these rungs can compute it, if the TMA can load A and B: C is not read, the TMA can store
 * it, and there are steps along k enough to store a tile in the meantime. */
bool bf16_can_be_even(const struct gemm *call);

/* Whether the TMA can store C, as fitted must. */
bool bf16_can_be_fitted(const struct gemm *call);

/* Runs a plan's kernels; below, those of each way. Operands of tiles are such that the TMA can load
 * them. */
void run_bf16_plan(const struct gemm *call, const struct bf16_plan *plan);
void launch_fitted_tiles(const struct gemm *call, const struct bf16_plan *plan);
void launch_thin_tiles(const struct gemm *call, const struct bf16_plan *plan);
void launch_stream_k_bf16(const struct gemm *call);
void launch_few_rows_bf16(const struct gemm *call);    /* at most 16 rows of C */
void launch_few_columns_bf16(const struct gemm *call); /* at most 16 columns of C */
void launch_times_vector_bf16(const struct gemm *call);

/* The most floats of partial sums that a plan asks for. */
size_t bf16_plan_floats(const struct gemm *call);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
