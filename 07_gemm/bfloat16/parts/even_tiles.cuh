/* Step 07, bfloat16: the tiles of even_waves and even_pairs (bfloat16/parts/even_plan.h): which of
 * them a block computes, and how. A tile's rows are wgmma's columns, which may be any multiple of
 * 8. As in stored_later, a tile is stored during the next one's MMAs. */
#ifndef RUNGS_07_BF16_EVEN_TILES_CUH
#define RUNGS_07_BF16_EVEN_TILES_CUH

#include <cuda_bf16.h>

#include "bfloat16/parts/even_plan.h"
#include "bfloat16/parts/hopper.cuh"
#include "kernel/cluster.cuh"
#include "rungs.h"

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

/* ---- which tiles ----------------------------------------------------------------------------- */

struct even_tile {
    unsigned row, column, rows; /* rows: those inside C */
    bool is_low;
};

/* A block's tiles: high tiles first, then low ones, each kind in its own order. */
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
        const unsigned first = index / (GROUP * columns) * GROUP; /* as tile_in_order */
        const unsigned group_rows = min(GROUP, tiles - first), in_group = index % (GROUP * columns);
        const unsigned tile_column = in_group / group_rows;

        tile.row = (first + in_group % group_rows) * (tile.is_low ? LOW : HIGH);
        tile.column = (tile_column + (tile.is_low ? work.high_columns : 0)) * COLUMNS;
        tile.column += rank * TILE_N;
        tile.rows = min(tile.is_low ? LOW : HIGH, work.rows - tile.row);
        number += gridDim.x / CLUSTER;
        return true;
    }
};

/* Rounds two neighbours of a row; the first is in the lower half. */
static inline __device__ unsigned pair_of(float first, float second)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second); /* one instruction */

    return __bfloat16_as_ushort(pair.x) | (unsigned)__bfloat16_as_ushort(pair.y) << 16;
}

/* A tile to be stored: two elements per register; the warpgroup's first row and column of it. */
struct kept_tile {
    unsigned pairs[HIGH / 4];
    size_t row, column;
    bool is_there;
};

template <unsigned SUMS>
static __device__ void keep_tile(const struct gemm &call, size_t row, size_t column,
                                 const float (&sum)[SUMS], struct kept_tile &kept)
{
#pragma unroll
    for (unsigned i = 0; i < SUMS / 2; i++)
        kept.pairs[i] = pair_of(call.alpha * sum[2 * i], call.alpha * sum[2 * i + 1]);
    kept.row = row;
    kept.column = column;
    kept.is_there = true;
}

/* ---- producer -------------------------------------------------------------------------------- */

template <unsigned LOW, unsigned CLUSTER>
static __device__ void produce_even(even_ring ring, const struct even_maps &maps,
                                    const struct even_work &work, unsigned rank)
{
    even_tiles<LOW, CLUSTER> tiles(rank);
    struct even_tile tile = {};

    while (tiles.next(work, tile)) {
        const struct boxes &whole = tile.is_low ? maps.low : maps.high;
        const struct boxes &last = tile.is_low ? maps.low_last : maps.high_last;
        const bool is_whole = tile.rows == (tile.is_low ? LOW : HIGH);
        const CUtensorMap *const a = &(is_whole ? whole : last).of_rank[rank];
        const unsigned first = rank * (tile.is_low ? first_half(LOW) : first_half(HIGH));
        for (unsigned step = 0; step < work.steps; step++) {
            phase_barrier *const full = &ring.full[ring.stage];
            barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
            barrier_arrive_expecting(full, tile.rows * ROW_BYTES + even_ring::B_BYTES);
            if (CLUSTER == 1)
                copy_tile(ring.a(), a, tile.row, step * STEP_K, full);
            else if (first < tile.rows)
                copy_tile_to_blocks(ring.a() + first * ROW_BYTES, a, tile.row + first,
                                    step * STEP_K, full, 3);
#pragma unroll
            for (unsigned column = 0; column < TILE_N; column += PANEL)
                copy_tile(ring.b() + column * ROW_BYTES, &maps.b, step * STEP_K,
                          tile.column + column, full);
            ring.advance();
        }
    }
}

/* ---- consumers ------------------------------------------------------------------------------- */

/* Stores one part of the kept tile, ROWS rows. stmatrix transposes two 8 x 8 tiles, and writes them
 * to swizzled rows, as the TMA expects. */
template <unsigned ROWS>
static __device__ void store_part(const CUtensorMap *c, unsigned char *buffers, unsigned part,
                                  const struct kept_tile &kept)
{
    const unsigned thread = threadIdx.x % WARPGROUP, lane = thread % 32;
    const unsigned chunk = (thread / 32 * 2 + lane / 8 % 2) ^ lane % 8;
    unsigned char *const buffer = buffers + part % BUFFERS * PART_BYTES;

    if (thread == 0)
        store_wait_read<BUFFERS - 1>(); /* the buffer is free again */
    warpgroup_barrier();
#pragma unroll
    for (unsigned j = 0; j < ROWS / 8; j++) {
        const unsigned *const pairs = kept.pairs + part * PART_PAIRS + 2 * j;
        asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
                         shared_address(buffer + (j * 8 + lane % 8) * ROW_BYTES + chunk * 16)),
                     "r"(pairs[0]), "r"(pairs[1])
                     : "memory");
    }
    before_async_reads();
    warpgroup_barrier();
    if (thread == 0) {
        store_tile(c, kept.row + part * PART, kept.column, buffer);
        store_commit();
    }
}

template <unsigned LOW>
static __device__ void store_kept(const struct even_maps &maps, unsigned char *buffers,
                                  unsigned part, const struct kept_tile &kept, bool is_low)
{
    if (part == PARTS - 1 && is_low)
        store_part<LOW - (PARTS - 1) * PART>(&maps.c_low_last, buffers, part, kept);
    else
        store_part<PART>(&maps.c, buffers, part, kept);
}

/* Releases the stage before the ring's current one. All blocks of the cluster write to it. */
template <unsigned CLUSTER>
static __device__ void release_last(const even_ring &ring)
{
    phase_barrier *const free = &ring.free[(ring.stage + STAGES - 1) % STAGES];

    __syncwarp();
    if (CLUSTER == 1 && threadIdx.x % 32 == 0)
        barrier_arrive(free);
    if (CLUSTER > 1 && threadIdx.x % 32 < CLUSTER)
        barrier_arrive_at(free, threadIdx.x % 32);
}

/* What a consumer keeps from one tile to the next. */
struct even_consumer {
    even_ring ring;
    unsigned warpgroup;
    unsigned char *buffers;
    struct kept_tile kept;
    bool low_is_kept;
};

template <unsigned ROWS, unsigned LOW, unsigned CLUSTER>
static __device__ void multiply_tile(struct even_consumer &consumer, const struct gemm &call,
                                     const struct even_maps &maps, const struct even_work &work,
                                     const struct even_tile &tile)
{
    even_ring &ring = consumer.ring;
    const unsigned panel = consumer.warpgroup * PANEL_BYTES;
    float sum[ROWS / 2] = {};
    unsigned step;

#pragma unroll
    for (step = 0; step < PARTS; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_transposed(sum, ring.b() + panel, ring.a());
        if (consumer.kept.is_there)
            store_kept<LOW>(maps, consumer.buffers, step, consumer.kept, consumer.low_is_kept);
        wgmma_wait<1>(); /* the step before has ended */
        if (step > 0)
            release_last<CLUSTER>(ring);
        ring.advance();
    }
    for (; step < work.steps; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_transposed(sum, ring.b() + panel, ring.a());
        wgmma_wait<1>();
        release_last<CLUSTER>(ring);
        ring.advance();
    }
    wgmma_finish(sum);
    release_last<CLUSTER>(ring);
    keep_tile(call, tile.row, tile.column + consumer.warpgroup * PANEL, sum, consumer.kept);
    consumer.low_is_kept = ROWS == LOW;
}

template <unsigned LOW, unsigned CLUSTER>
static __device__ void consume_even(even_ring ring, const struct gemm &call,
                                    const struct even_maps &maps, const struct even_work &work,
                                    unsigned rank)
{
    struct even_consumer consumer;
    even_tiles<LOW, CLUSTER> tiles(rank);
    struct even_tile tile = {};

    consumer.ring = ring;
    consumer.warpgroup = warpgroup_of_thread();
    consumer.buffers =
        ring.tiles + STAGES * even_ring::STAGE_BYTES + consumer.warpgroup * BUFFERS * PART_BYTES;
    consumer.kept.is_there = false;
    while (tiles.next(work, tile))
        if (tile.is_low)
            multiply_tile<LOW, LOW, CLUSTER>(consumer, call, maps, work, tile);
        else
            multiply_tile<HIGH, LOW, CLUSTER>(consumer, call, maps, work, tile);
    if (consumer.kept.is_there)
#pragma unroll
        for (unsigned part = 0; part < PARTS; part++)
            store_kept<LOW>(maps, consumer.buffers, part, consumer.kept, consumer.low_is_kept);
    if (threadIdx.x % WARPGROUP == 0)
        store_wait();
}

template <unsigned LOW, unsigned CLUSTER>
static __device__ void multiply_even(const struct gemm &call, const struct even_maps &maps,
                                     const struct even_work &work)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[STAGES], free[STAGES];
    const even_ring ring = {tiles, full, free, 0, 0};
    const unsigned rank = CLUSTER > 1 ? rank_in_cluster() : 0;

    if (threadIdx.x == 0)
        ring.create_barriers(CLUSTER * CONSUMERS / 32);
    if (CLUSTER > 1)
        cluster_barrier(); /* no block may arrive at another's barriers before they exist */
    else
        __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        if (threadIdx.x == CONSUMERS)
            produce_even<LOW, CLUSTER>(ring, maps, work, rank);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume_even<LOW, CLUSTER>(ring, call, maps, work, rank);
    }
    if (CLUSTER > 1)
        cluster_barrier(); /* no block may end while others write to its memory */
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

static inline struct even_maps even_maps_of(const struct gemm *call, unsigned low, unsigned cluster)
{
    return {map_boxes(call, cluster, HIGH, HIGH),
            map_boxes(call, cluster, HIGH, rows_of_last_tile(call, HIGH)),
            map_boxes(call, cluster, low, low),
            map_boxes(call, cluster, low, rows_of_last_tile(call, low)),
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
