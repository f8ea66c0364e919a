/* How the general rungs divide a convolution: one matrix product per group, of the filters with the
 * im2col matrix, whose elements are gathered from the input. */
#ifndef GATHER_PLAN_H
#define GATHER_PLAN_H

#include "problem/conv/conv.h"

/* Rows of the im2col matrix in a stage. */
enum { GATHER_DEPTH = 16 };

/* Where the input of a row of the im2col matrix is, relative to the one under a pixel's first tap.
 * If stages are uniform, one entry holds for a whole stage. */
struct gather_tap {
    int offset, y, x, unused;
};

struct gather_plan {
    /* Whether the rows of a stage have the same tap and differ only in the channel. */
    bool uniform;
    unsigned vector; /* floats per copy of inputs: 4 if neighbouring pixels are neighbours in memory
                        for each tap, and aligned; else 1 */
    unsigned tile_filters, tile_pixels, resident;
    unsigned filter_tiles, pixel_tiles; /* per group */
    unsigned filters, pixels;           /* per group; `pixels`: of all images */
    unsigned stages;                    /* along the rows of the im2col matrix */
    unsigned splits;                    /* parts into which the stages are divided */
    size_t weights_step;                /* floats from a group's weights to the next group's */
    /* In the workspace: */
    struct gather_tap *taps; /* one per stage if uniform, else one per row of the stages */
    float *weights;          /* [group][row][filter], padded with zeros to whole stages and tiles */
    float *parts;            /* for each split, an output of its own */
};

/* The tile of a block; the blocks that fit on an SM; the floats per weight. gather_cost: the number
 * of filters whose products take as long as gathering their inputs (fitted on an H200, like
 * cost_of). speed: of its products, as a multiple of the speed of the float32 units. */
struct gather_tile {
    unsigned filters, pixels, resident, weight_floats;
    double gather_cost, speed;
};

/* What a plan may do. */
enum {
    GATHER_TAP_ORDER = 1, /* order the rows so that stages are uniform, if channels allow it */
    GATHER_SPLIT = 2,     /* divide the rows among blocks, if that is worth it */
};

/* The plan with the best of these tiles. */
struct gather_plan gather_plan_of(const struct conv *call, const struct gather_tile *tiles,
                                  unsigned tile_count, unsigned may);

/* Its estimated cost, in products of an SM. */
double gather_cost_of(const struct conv *call, const struct gather_tile *tiles, unsigned tile_count,
                      unsigned may);

/* The tiles of implicit_gemm_fitted and of implicit_3xtf32. */
enum { GATHER_TILES = 4, TENSOR_TILES = 5 };
extern const struct gather_tile gather_tiles[GATHER_TILES], tensor_tiles[TENSOR_TILES];

/* The plan of the rungs before implicit_gemm_fitted: tiles of 64 filters x 128 pixels. */
struct gather_plan gather_plan_of_one_tile(const struct conv *call);

/* Launch the product of a plan, whose weights and taps are in the workspace. */
void multiply_gathered(const struct conv *call, const struct gather_plan *plan);
void multiply_gathered_3xtf32(const struct conv *call, const struct gather_plan *plan);

/* Write the plan's weights, as [row][filter], and its table of taps; write only the table; add the
 * outputs of the splits, in their order. */
void prepare_gather(const struct conv *call, const struct gather_plan *plan);
void write_gather_taps(const struct conv *call, const struct gather_plan *plan);
void add_gather_parts(const struct conv *call, const struct gather_plan *plan);

/* Why there can be no plan, or NULL. */
const char *gather_declines(const struct conv *call);

#endif
/* SPDX-License-Identifier: MIT */
