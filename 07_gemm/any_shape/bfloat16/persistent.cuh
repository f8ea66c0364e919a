/* Step 07, bfloat16: the kernel of the upper rungs. A block stays on its multiprocessor and
 * computes one tile of C after the other; while its consumers store a tile, its producer brings
 * the next one's. */
#ifndef RUNGS_07_BF16_PERSISTENT_CUH
#define RUNGS_07_BF16_PERSISTENT_CUH

#include "any_shape/bfloat16/epilogue.cuh"
#include "kernel/cluster.cuh"
#include "kernel/overlap.cuh"

/* Work tile w is part w % splits of the steps along k of tile w / splits of C. With several splits,
 * each has sums of its own in `parts`, which are added up later. */
struct bf16_work {
    unsigned row_tiles, column_tiles, steps, splits;
    bool c_is_mapped;
    float *parts;         /* for each split, m x n; or as any_shape/bfloat16/stream_k.cu says */
    unsigned whole_tiles; /* also in that file */
    unsigned *sent;
};

template <typename Config>
struct every_nth;

/* What a rung chooses. A cluster has DOWN tiles below each other and ACROSS tiles side by side:
 * these need the same rows of A, those the same columns of B, and each block loads a part of them
 * for all (multicast). Tiles are numbered by groups of GROUP_ROWS rows of tiles. */
template <unsigned TILE_COLUMNS, unsigned RING_STAGES, unsigned BLOCKS_DOWN,
          template <typename> class SCHEDULER = every_nth, unsigned GROUP_ROWS = 8>
struct config {
    typedef SCHEDULER<config> scheduler; /* which of them a cluster computes */
    static const unsigned WARPGROUPS = 2, TILE_M = 128, TILE_N = TILE_COLUMNS, STAGES = RING_STAGES;
    static const unsigned PANELS = 1, SUMS = TILE_N / 2; /* of a consumer's thread */
    static const bool TURNS = false;                     /* of warpgroups: consume */
    static const unsigned DOWN = BLOCKS_DOWN, ACROSS = 1, CLUSTER = DOWN, GROUP = GROUP_ROWS / DOWN;
    static const unsigned PART_ROWS = TILE_M; /* of A, in a load */
    typedef ::tma_ring<TILE_M, TILE_N, STAGES> ring;

    /* Buffers of a consumer: 64 x 64 elements on their way to C. */
    static const unsigned BUFFERS = TILE_N % (2 * PANEL) == 0 ? 2 : TILE_N / PANEL;
    static const unsigned BUFFER_ROWS = 64, BUFFER_BYTES = BUFFER_ROWS * ROW_BYTES;
    static const unsigned SHARED_BYTES = STAGES * ring::STAGE_BYTES + 2 * BUFFERS * BUFFER_BYTES;

    /* What the consumers do with a step and with a tile's sums: each warpgroup 64 rows of it. */
    static __device__ void multiply(float (&sum)[SUMS], const ring &tiles, unsigned warpgroup)
    {
        multiply_step(sum, tiles.a() + warpgroup * 64 * ROW_BYTES, tiles.b());
    }
    static __device__ void store(const struct gemm &call, const CUtensorMap *c,
                                 const struct bf16_work &work, unsigned char *buffers,
                                 const struct work_tile &tile, unsigned warpgroup,
                                 const float (&sum)[SUMS])
    {
        const size_t row = tile.row + warpgroup * 64;

        if (work.splits > 1)
            keep_sums(call, work.parts + tile.split * call.m * call.n, row, tile.column, sum);
        else if (work.c_is_mapped)
            store_by_tma<config>(call, c, buffers, tile, sum);
        else
            store_sums(call, row, tile.column, sum);
    }
};

static const unsigned CONSUMER_REGISTERS = 232, PRODUCER_REGISTERS = 40; /* of 168 at launch */

/* number * part / parts, whose product may need more than 32 bits. (A division in 64 bits is a
 * call; what depends on its result does not get into uniform registers.) */
static inline __device__ unsigned part_begin(unsigned number, unsigned part, unsigned parts)
{
    return number / parts * part + number % parts * part / parts;
}

/* The tiles of a cluster follow on each other. */
template <typename Config>
static __device__ struct work_tile work_tile_at(const struct bf16_work &work, unsigned number,
                                                unsigned rank)
{
    const unsigned of_c = number / work.splits;
    const unsigned rows = (work.row_tiles + Config::DOWN - 1) / Config::DOWN;
    const struct tile_of_c at = tile_in_order<Config::GROUP>(
        of_c, rows, (work.column_tiles + Config::ACROSS - 1) / Config::ACROSS);
    struct work_tile tile = {};

    tile.row = ((size_t)at.row * Config::DOWN + rank % Config::DOWN) * Config::TILE_M;
    tile.column = ((size_t)at.column * Config::ACROSS + rank / Config::DOWN) * Config::TILE_N;
    tile.split = number % work.splits;
    tile.first_step = part_begin(work.steps, tile.split, work.splits);
    tile.end = part_begin(work.steps, tile.split + 1, work.splits);
    return tile;
}

template <typename Config>
static __host__ __device__ unsigned work_tile_count(const struct bf16_work &work)
{
    return (work.row_tiles + Config::DOWN - 1) / Config::DOWN *
           ((work.column_tiles + Config::ACROSS - 1) / Config::ACROSS) * work.splits;
}

/* A cluster's work tiles (static persistent scheduling), if each takes the next one. */
template <typename Config>
struct every_nth {
    unsigned number;

    __device__ void begin(const struct bf16_work &)
    {
        number = blockIdx.x / Config::CLUSTER;
    }
    /* The next one, if there is one. */
    __device__ bool next(const struct bf16_work &work, struct work_tile &tile, unsigned rank)
    {
        if (number >= work_tile_count<Config>(work))
            return false;
        tile = work_tile_at<Config>(work, number, rank);
        number += gridDim.x / Config::CLUSTER;
        return true;
    }
    /* Whether the block is to store these sums, once they are the tile's. */
    template <unsigned SUMS>
    __device__ bool completes(const struct bf16_work &, const struct work_tile &, float (&)[SUMS])
    {
        return true;
    }
};

/* ---- producer -------------------------------------------------------------------------------- */

/* Parts of A's tile go to the ACROSS blocks of a row, of B's panels to the DOWN of a column. */
template <typename Config>
static __device__ void bring_step(const typename Config::ring &ring, const struct maps &maps,
                                  const struct extent &extent, const struct work_tile &tile,
                                  unsigned rank, size_t term)
{
    const unsigned DOWN = Config::DOWN, ACROSS = Config::ACROSS, PART_TERMS = STEP_K / DOWN;
    const unsigned down = rank % DOWN, across = rank / DOWN;
    const unsigned column = (1U << DOWN) - 1, row = ((1U << DOWN * ACROSS) - 1) / column;
    const unsigned parts = (extent.rows + Config::PART_ROWS - 1) / Config::PART_ROWS;
    const unsigned rows = ACROSS == 1 ? extent.rows : parts * Config::PART_ROWS;
    phase_barrier *const full = &ring.full[ring.stage];

    if (Config::CLUSTER == 1) {
        bring_extent(ring, maps, extent, tile.row, tile.column, term);
        return;
    }
    barrier_arrive_expecting(full, bytes_of({rows, extent.panels})); /* with the others' parts */
    if (ACROSS == 1)
        bring_rows(ring, maps, extent, tile.row, term);
    for (unsigned part = across; ACROSS > 1 && part < parts; part += ACROSS)
        copy_tile_to_blocks(ring.a() + part * Config::PART_ROWS * ROW_BYTES, &maps.a,
                            tile.row + part * Config::PART_ROWS, term, full, row << down);
    for (unsigned panel = 0; DOWN == 1 && panel < extent.panels; panel++)
        copy_tile(ring.b() + panel * PANEL_BYTES, &maps.b, term, tile.column + panel * PANEL, full);
    for (unsigned panel = 0; DOWN > 1 && panel < extent.panels; panel++)
        copy_tile_to_blocks(ring.b() + panel * PANEL_BYTES + down * PART_TERMS * ROW_BYTES, &maps.b,
                            term + down * PART_TERMS, tile.column + panel * PANEL, full,
                            column << across * DOWN);
}

template <typename Config>
static __device__ void produce(typename Config::ring ring, const struct gemm &call,
                               const struct maps &maps, const struct bf16_work &work, unsigned rank)
{
    typename Config::scheduler scheduler;
    struct work_tile tile = {};

    for (scheduler.begin(work); scheduler.next(work, tile, rank);) {
        const struct extent extent =
            extent_of<Config::TILE_M, Config::TILE_N>(call, tile.row, tile.column);
        for (unsigned step = tile.first_step; step < tile.end; step++) {
            barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
            bring_step<Config>(ring, maps, extent, tile, rank, (size_t)step * STEP_K);
            ring.advance();
        }
    }
}

/* ---- consumers ------------------------------------------------------------------------------- */

/* The blocks of the same row and column of the cluster write to the stage: they must know that it
 * is free. */
template <typename Config>
static __device__ void release_stage(phase_barrier *free, unsigned rank)
{
    const unsigned lane = threadIdx.x % 32, DOWN = Config::DOWN;

    __syncwarp();
    if (Config::CLUSTER == 1) {
        if (lane == 0)
            barrier_arrive(free);
    } else if (lane < Config::CLUSTER &&
               (lane % DOWN == rank % DOWN || lane / DOWN == rank / DOWN)) {
        barrier_arrive_at(free, lane);
    }
}

/* With TURNS each warpgroup computes every other tile, and one stores while the other multiplies.
 * A warpgroup starts when the other one has started its last step, so that it is never more than a
 * round of the ring ahead. */
template <typename Config>
static __device__ void consume(typename Config::ring ring, const struct gemm &call,
                               const struct maps &maps, const struct bf16_work &work, unsigned rank,
                               phase_barrier *turns)
{
    const unsigned warpgroup = warpgroup_of_thread();
    unsigned char *const buffers = ring.tiles + Config::STAGES * ring.STAGE_BYTES +
                                   warpgroup * Config::BUFFERS * Config::BUFFER_BYTES;
    typename Config::scheduler scheduler;
    struct work_tile tile = {};

    scheduler.begin(work);
    for (unsigned turn = 0; scheduler.next(work, tile, rank); turn++) {
        float sum[Config::SUMS] = {};
        if (Config::TURNS && turn % 2 != warpgroup) {
            for (unsigned step = tile.first_step; step < tile.end; step++)
                ring.advance();
            continue;
        }
        if (Config::TURNS && turn > 0)
            barrier_wait(&turns[warpgroup], (turn - 1) / 2 % 2);
        for (unsigned step = tile.first_step; step < tile.end; step++) {
            barrier_wait(&ring.full[ring.stage], ring.parity);
            Config::multiply(sum, ring, warpgroup);
            wgmma_wait<Config::PANELS>(); /* the step before has ended */
            if (step > tile.first_step)
                release_stage<Config>(
                    &ring.free[(ring.stage + Config::STAGES - 1) % Config::STAGES], rank);
            ring.advance();
        }
        if (Config::TURNS && threadIdx.x % 32 == 0)
            barrier_arrive(&turns[warpgroup ^ 1]);
        wgmma_finish(sum);
        release_stage<Config>(&ring.free[(ring.stage + Config::STAGES - 1) % Config::STAGES], rank);
        if (!scheduler.completes(work, tile, sum))
            continue;
        Config::store(call, &maps.c, work, buffers, tile, warpgroup, sum);
    }
    if (threadIdx.x % WARPGROUP == 0)
        store_wait_read<0>();
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* A block's warps: one of them produces, four or eight consume; these then take registers from the
 * producer. */
template <typename Config>
static __device__ void multiply_work_tiles(const struct gemm &call, const struct maps &maps,
                                           const struct bf16_work &work)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[Config::STAGES], free[Config::STAGES], turns[2];
    const unsigned CONSUMERS = Config::WARPGROUPS * WARPGROUP;
    const typename Config::ring ring = {tiles, full, free, 0, 0};
    const unsigned rank = Config::CLUSTER > 1 ? rank_in_cluster() : 0;

    if (threadIdx.x == 0) {
        for (unsigned i = 0; Config::TURNS && i < 2; i++)
            barrier_create(&turns[i], WARPGROUP / 32);
        ring.create_barriers((Config::DOWN + Config::ACROSS - 1) *
                             (Config::TURNS ? WARPGROUP : CONSUMERS) / 32);
    }
    if (threadIdx.x == CONSUMERS)
        prefetch_maps(maps, work.c_is_mapped);
    if (Config::CLUSTER > 1)
        cluster_barrier(); /* nobody may arrive at another's barriers before they are there */
    else
        __syncthreads();
    overlap_launches();

    if (threadIdx.x >= CONSUMERS) {
        if (Config::WARPGROUPS > 1)
            asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        if (threadIdx.x == CONSUMERS)
            produce<Config>(ring, call, maps, work, rank);
        __syncwarp();
    } else {
        if (Config::WARPGROUPS > 1)
            asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume<Config>(ring, call, maps, work, rank, turns);
    }
    if (Config::CLUSTER > 1)
        cluster_barrier(); /* nobody may end while others write to its memory */
}

#define THREADS_OF(config) ((config::WARPGROUPS + 1) * WARPGROUP)

#define PERSISTENT_KERNEL(name, config)                                                            \
    static __global__ void __launch_bounds__(THREADS_OF(config), 1)                                \
        name(const struct gemm call, const __grid_constant__ struct maps maps,                     \
             const struct bf16_work work)                                                          \
    {                                                                                              \
        multiply_work_tiles<config>(call, maps, work);                                             \
    }

#endif
/* SPDX-License-Identifier: MIT */
