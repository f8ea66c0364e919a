/* Step 07, bfloat16: the work of even_waves and even_pairs, as the host describes it to their
 * kernels (bfloat16/parts/even_tiles.cuh). */
#ifndef RUNGS_07_BF16_EVEN_WORK_CUH
#define RUNGS_07_BF16_EVEN_WORK_CUH

#include "bfloat16/parts/even_plan.h"
#include "bfloat16/parts/hopper.cuh"

static const unsigned HIGH = EVEN_HIGH_ROWS, TILE_N = EVEN_COLUMNS, STAGES = 4;
typedef tma_ring<HIGH, TILE_N, STAGES> even_ring;

/* A warpgroup has 64 columns of the tile, and stores 64 rows at a time through two buffers. */
static const unsigned PARTS = EVEN_PARTS, PART = HIGH / PARTS, PART_BYTES = PART * ROW_BYTES,
                      BUFFERS = 2;
static const unsigned PART_PAIRS = PART / 4; /* per thread */
static const unsigned CONSUMERS = 2 * WARPGROUP, THREADS = CONSUMERS + WARPGROUP;
static const unsigned CONSUMER_REGISTERS = 232, PRODUCER_REGISTERS = 40; /* 168 at launch */
static const unsigned SHARED_BYTES = STAGES * even_ring::STAGE_BYTES + 2 * BUFFERS * PART_BYTES;

/* C's rows; k-steps per tile; columns of tiles, or of pairs for even_pairs; how many of these have
 * high tiles; the number of high tiles, and of low tiles, in a column. */
struct even_work {
    unsigned rows, steps, columns, high_columns, high_tiles, low_tiles;

    __host__ __device__ unsigned tiles() const
    {
        return high_columns * high_tiles + (columns - high_columns) * low_tiles;
    }
};

/* Maps of A: a box is the rows of a tile that the block of that rank in its cluster loads. */
struct boxes {
    CUtensorMap of_rank[2];
};

/* Maps of A for high and low tiles, and for the last one of a column (the TMA takes longer for rows
 * outside A); of B; of C's parts, and of a low tile's last part. */
struct even_maps {
    struct boxes high, high_last, low, low_last;
    CUtensorMap b, c, c_low_last;
};

/* How many rows of a tile the first of two blocks loads for both; the second loads the rest. It is
 * a multiple of 8, because the swizzle repeats every 8 rows. */
static inline __host__ __device__ constexpr unsigned first_half(unsigned rows)
{
    return (rows / 2 + 7) / 8 * 8;
}

/* Maps of A for tiles of `tile_rows` rows, of which `rows` are inside A. */
static struct boxes map_boxes(const struct gemm *call, unsigned cluster, unsigned tile_rows,
                              unsigned rows)
{
    const unsigned half = first_half(tile_rows);

    if (cluster == 1)
        return {map_a(call, rows)};
    return {map_a(call, min(rows, half)), map_a(call, rows > half ? rows - half : half)};
}

static inline unsigned rows_of_last(const struct gemm *call, unsigned tile_rows)
{
    return (unsigned)(call->m - 1) % tile_rows + 1;
}

static inline struct even_maps even_maps_of(const struct gemm *call, unsigned low, unsigned cluster)
{
    return {map_boxes(call, cluster, HIGH, HIGH),
            map_boxes(call, cluster, HIGH, rows_of_last(call, HIGH)),
            map_boxes(call, cluster, low, low),
            map_boxes(call, cluster, low, rows_of_last(call, low)),
            map_b(call),
            map_c(call, PART),
            map_c(call, low - (PARTS - 1) * PART)};
}

static inline struct even_work even_work_of(const struct gemm *call, const struct even_plan *plan,
                                            unsigned cluster)
{
    const unsigned low = plan->low_rows, m = (unsigned)call->m;

    return {m,
            steps_along_k(call),
            (unsigned)((call->n + cluster * TILE_N - 1) / (cluster * TILE_N)),
            plan->high_columns,
            (m + HIGH - 1) / HIGH,
            (m + low - 1) / low};
}

/* One block per SM, or fewer if there are fewer tiles; a multiple of the cluster's size. */
static inline unsigned even_blocks(const struct gemm *call, const struct even_work &work,
                                   unsigned cluster)
{
    return min((unsigned)call->multiprocessors / cluster, work.tiles()) * cluster;
}

#endif
/* SPDX-License-Identifier: MIT */
