/* Step 07, bfloat16: which tiles of C, and which of their k-steps, a block computes. */
#ifndef RUNGS_07_BF16_WORK_CUH
#define RUNGS_07_BF16_WORK_CUH

#include "parts/matrix.cuh"

/* What a block computes at a time: a tile of C, by its first row and column, and those of its
 * k-steps that belong to a split, from first_step to before `end`. */
struct work_tile {
    size_t row, column;
    unsigned split, first_step, end;
};

/* Work tile w is part w % splits of the k-steps of tile w / splits of C. If there are several
 * splits, each has its own partial sums in `parts`, which are added later. */
struct bf16_work {
    unsigned down_log2, across_log2; /* a cluster's tiles: work_tile_at */
    unsigned cluster_rows, cluster_columns, steps, splits, count; /* count: of work tiles */
    bool c_is_mapped;
    float *parts;         /* m x n per split; or as any_shape/bfloat16/stream_k.cu says */
    unsigned whole_tiles; /* also in that file */
    unsigned *sent;
};

/* number * part / parts in 32 bits, even if the product needs more. (A 64-bit division is a call,
 * and what depends on its result does not get into uniform registers.) */
static inline __device__ unsigned part_begin(unsigned number, unsigned part, unsigned parts)
{
    return number / parts * part + number % parts * part / parts;
}

static inline __host__ __device__ unsigned cluster_of(const struct bf16_work &work)
{
    return 1U << (work.down_log2 + work.across_log2);
}

/* A block's position in its cluster. */
static inline __device__ struct tile_of_c place_of(const struct bf16_work &work, unsigned rank)
{
    return {rank & ((1U << work.down_log2) - 1), rank >> work.down_log2};
}

/* A cluster's tiles are neighbours in C. Those side by side need the same rows of A, and those
 * below each other need the same columns of B. Each block loads a part of these for all
 * (multicast). */
template <typename Config>
static __device__ struct work_tile work_tile_at(const struct bf16_work &work, unsigned number,
                                                unsigned rank)
{
    const unsigned of_c = number / work.splits;
    const struct tile_of_c at = tile_in_order(of_c, work.cluster_rows, work.cluster_columns,
                                              Config::GROUP >> work.down_log2);
    const struct tile_of_c place = place_of(work, rank);
    struct work_tile tile = {};

    tile.row = (((size_t)at.row << work.down_log2) + place.row) * Config::TILE_M;
    tile.column = (((size_t)at.column << work.across_log2) + place.column) * Config::TILE_N;
    tile.split = number % work.splits;
    tile.first_step = part_begin(work.steps, tile.split, work.splits);
    tile.end = part_begin(work.steps, tile.split + 1, work.splits);
    return tile;
}

/* Gives each of n clusters every nth work tile (static persistent scheduling). */
template <typename Config>
struct every_nth {
    unsigned number;

    __device__ void begin(const struct bf16_work &work)
    {
        number = Config::CLUSTERS ? blockIdx.x / cluster_of(work) : blockIdx.x;
    }
    /* Sets `tile` to the cluster's next work tile, if there is one. */
    __device__ bool next(const struct bf16_work &work, struct work_tile &tile, unsigned rank)
    {
        if (number >= work.count)
            return false;
        tile = work_tile_at<Config>(work, number, rank);
        number += Config::CLUSTERS ? gridDim.x / cluster_of(work) : gridDim.x;
        return true;
    }
    /* Whether the block stores the tile. If so, its accumulators are complete on return. */
    template <unsigned SUMS>
    __device__ bool completes(const struct bf16_work &, const struct work_tile &, float (&)[SUMS])
    {
        return true;
    }
};

#endif
/* SPDX-License-Identifier: MIT */
