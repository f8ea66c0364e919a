/* How tensor_3xtf32 divides a problem. */
#ifndef TENSOR_PLAN_H
#define TENSOR_PLAN_H

#include "problem/conv/conv.h"

static const unsigned SIDE = 3, TAPS = SIDE * SIDE;
static const unsigned THREADS = 256, WARPS = THREADS / 32;
static const unsigned CHUNK = 8;               /* channels per stage, and per instruction */
static const unsigned M_TILE = 16, N_TILE = 8; /* pixels and filters per instruction */
static const unsigned FRAGMENT = 32 * 4;       /* floats for N_TILE filters and CHUNK channels */
static const unsigned STAGES = 2;

/* How the output is divided into blocks, and the layout of a block's input tile. */
struct tensor_tiling {
    unsigned width, bands; /* a block's columns, and its bands of ROWS rows */
    unsigned pitch, plane; /* floats from one row, and from one channel, of the tile to the next */
    unsigned across, down; /* blocks per image, horizontally and vertically */
    unsigned filter_blocks;
};

/* A warp has ROWS rows and GROUPS groups of 16 pixels, whose sums must fit in registers. So it has
 * many rows for few filters, and several groups for many filters. */
#define TENSOR_ROWS(n_tiles) ((n_tiles) == 3 ? 4U : 1U)
#define TENSOR_GROUPS(n_tiles) ((n_tiles) == 3 ? 1U : 2U)

struct tensor_plan {
    struct tensor_tiling tiling;
    size_t blocks, bytes; /* of shared memory */
};

/* Groups of eight filters per block: 3 if blocks of 24 waste fewer filters than blocks of 64. */
unsigned tensor_n_tiles(const struct conv *call);
struct tensor_plan tensor_plan_of(const struct conv *call);
double depth_tensor(const struct conv *call);

#endif
/* SPDX-License-Identifier: MIT */
