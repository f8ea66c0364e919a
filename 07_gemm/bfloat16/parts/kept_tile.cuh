/* Step 07, bfloat16: a tile's sums that are kept, rounded, until the next tile's products run. */
#ifndef RUNGS_07_BF16_KEPT_TILE_CUH
#define RUNGS_07_BF16_KEPT_TILE_CUH

#include "bfloat16/parts/bf16.cuh"

static const unsigned MOST_SUMS = 128; /* of a thread */

/* Two sums in a register; the first row and column of the warpgroup's part of the tile. */
struct kept_tile {
    unsigned pairs[MOST_SUMS / 2];
    size_t row, column;
    bool is_there;
};

template <unsigned SUMS>
static __device__ void keep_tile(const struct gemm &call, size_t row, size_t column,
                                 const float (&sum)[SUMS], struct kept_tile &kept)
{
#pragma unroll
    for (unsigned i = 0; i < SUMS / 2; i++)
        kept.pairs[i] = bf16_pair(call.alpha * sum[2 * i], call.alpha * sum[2 * i + 1]);
    kept.row = row;
    kept.column = column;
    kept.is_there = true;
}

#endif
/* SPDX-License-Identifier: MIT */
