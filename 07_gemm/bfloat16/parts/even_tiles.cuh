/* Step 07, bfloat16: the tiles of even_waves and even_pairs: which a block computes, and what the
 * TMA and a launch need to know of them. Tiles have 256 rows and 128 columns, and in the last
 * columns of tiles fewer rows. There are so many of those columns that all multiprocessors end at
 * about the same time. */
#ifndef RUNGS_07_BF16_EVEN_TILES_CUH
#define RUNGS_07_BF16_EVEN_TILES_CUH

#include "bfloat16/parts/launch.cuh"
#include "bfloat16/parts/plan.h"

static const unsigned HIGH = BF16_HIGH_ROWS, TILE_N = BF16_EVEN_COLUMNS, STAGES = 4;
typedef tensor_ring<HIGH, TILE_N, STAGES> even_ring;

/* A consumer has 64 columns of the tile, and stores 64 rows at a time, through two buffers. */
static const unsigned PARTS = BF16_EVEN_PARTS, PART = HIGH / PARTS, PART_BYTES = PART * ROW_BYTES,
                      BUFFERS = 2;
static const unsigned PART_PAIRS = PART / 4; /* of a thread */
static const unsigned SHARED_BYTES = STAGES * even_ring::STAGE_BYTES + 2 * BUFFERS * PART_BYTES;

/* C's rows; steps along k; columns of tiles, one tile wide, or two for pairs, of which the first
 * have high tiles; tiles in a column of either kind. */
struct even_work {
    unsigned rows, steps, columns, high_columns, high_tiles, low_tiles;

    __host__ __device__ unsigned tiles() const
    {
        return high_columns * high_tiles + (columns - high_columns) * low_tiles;
    }
};

/* Boxes of A: the rows of a tile that each block of a cluster brings. */
struct shares {
    CUtensorMap of_rank[2];
};

/* Tiles of either kind, and the last one of a column; B; parts of C, and a low tile's last part. */
struct even_maps {
    struct shares high, high_last, low, low_last;
    CUtensorMap b, c, c_low_last;
};

/* The rows of a tile that the first of two blocks brings for both: a multiple of 8, since the
 * swizzle repeats every 8 rows. The other one brings the rest. */
static inline __host__ __device__ constexpr unsigned first_half(unsigned rows)
{
    return (rows / 2 + 7) / 8 * 8;
}

/* ---- which tiles ----------------------------------------------------------------------------- */

struct even_tile {
    unsigned row, column, rows; /* rows: those that are not outside */
    bool is_low;
};

/* High tiles come first; each kind in an order of its own. */
template <unsigned LOW, unsigned CLUSTER>
struct even_tiles {
    static const unsigned GROUP = 8, COLUMNS = CLUSTER * TILE_N;
    unsigned number, rank;

    __device__ even_tiles(unsigned rank) : number(blockIdx.x / CLUSTER), rank(rank)
    {
    }
    __device__ bool next(const struct even_work &work, struct even_tile &tile)
    {
        const unsigned high = work.high_columns * work.high_tiles;
        const unsigned low_columns = work.columns - work.high_columns;

        if (number >= work.tiles())
            return false;
        tile.is_low = number >= high;
        const unsigned index = tile.is_low ? number - high : number;
        const unsigned tiles = tile.is_low ? work.low_tiles : work.high_tiles;
        const unsigned columns = tile.is_low ? low_columns : work.high_columns;
        const struct tile_of_c place = tile_in_order<GROUP>(index, tiles, columns);

        tile.row = place.row * (tile.is_low ? LOW : HIGH);
        tile.column = (place.column + (tile.is_low ? work.high_columns : 0)) * COLUMNS;
        tile.column += rank * TILE_N;
        tile.rows = min(tile.is_low ? LOW : HIGH, work.rows - tile.row);
        number += gridDim.x / CLUSTER;
        return true;
    }
};

/* ---- what a launch needs --------------------------------------------------------------------- */

/* As `prepared` of bfloat16/parts/launch.cuh. */
struct even_prepared {
    struct gemm call;
    unsigned low, cluster, blocks;
    struct even_work work;
    struct even_maps maps;
};

static CUtensorMap map_part(const struct gemm *call, unsigned rows)
{
    return map_bf16(call->c_bf16, call->m, call->n, call->ldc, rows);
}

/* For tiles of `tile_rows` rows, of which `rows` are inside A. */
static struct shares map_shares(const struct gemm *call, unsigned cluster, unsigned tile_rows,
                                unsigned rows)
{
    const unsigned half = first_half(tile_rows);

    if (cluster == 1)
        return {map_a(call, rows)};
    return {map_a(call, min(rows, half)), map_a(call, rows > half ? rows - half : half)};
}

static const struct even_prepared *even_prepared_for(const void *kernel, const struct gemm *call,
                                                     const struct bf16_plan *plan)
{
    static struct even_prepared of_gpus[MOST_GPUS];
    struct even_prepared *const last = &of_gpus[gpu_place()];
    const unsigned low = plan->rows, cluster = plan->pairs ? 2 : 1, m = (unsigned)call->m;

    if (memcmp(&last->call, call, sizeof *call) == 0 && last->low == low &&
        last->cluster == cluster && last->work.high_columns == plan->high_columns)
        return last;
    last->call = *call;
    last->low = low;
    last->cluster = cluster;
    last->work = {m,
                  steps_along_k(call),
                  (unsigned)((call->n + cluster * TILE_N - 1) / (cluster * TILE_N)),
                  plan->high_columns,
                  (m + HIGH - 1) / HIGH,
                  (m + low - 1) / low};
    last->blocks = min((unsigned)call->multiprocessors / cluster, last->work.tiles()) * cluster;
    last->maps = {map_shares(call, cluster, HIGH, HIGH),
                  map_shares(call, cluster, HIGH, rows_of_last_tile(call, HIGH)),
                  map_shares(call, cluster, low, low),
                  map_shares(call, cluster, low, rows_of_last_tile(call, low)),
                  map_b(call),
                  map_part(call, PART),
                  map_part(call, low - (PARTS - 1) * PART)};
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SHARED_BYTES);
    return last;
}

#endif
/* SPDX-License-Identifier: MIT */
