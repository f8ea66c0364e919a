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

/* What a rung chooses. A cluster's blocks compute tiles below each other, so that they need the
 * same columns of B: each brings a part of them for all (multicast). Tiles are numbered by
 * groups of GROUP_ROWS rows of tiles. */
template <unsigned TILE_COLUMNS, unsigned RING_STAGES, unsigned CLUSTER_BLOCKS,
          template <typename> class SCHEDULER = every_nth, unsigned GROUP_ROWS = 8>
struct config {
    typedef SCHEDULER<config> scheduler; /* which of them a cluster computes */
    static const unsigned TILE_M = 128, TILE_N = TILE_COLUMNS, STAGES = RING_STAGES;
    static const unsigned CONSUMERS = 2 * WARPGROUP;
    static const unsigned SUMS = TILE_N / 2; /* of a consumer's thread */
    static const unsigned CLUSTER = CLUSTER_BLOCKS, GROUP = GROUP_ROWS / CLUSTER;
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

static const unsigned CONSUMERS = 2 * WARPGROUP, THREADS = CONSUMERS + WARPGROUP;
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
    const unsigned rows = (work.row_tiles + Config::CLUSTER - 1) / Config::CLUSTER;
    const struct tile_of_c at = tile_in_order<Config::GROUP>(of_c, rows, work.column_tiles);
    struct work_tile tile = {};

    tile.row = ((size_t)at.row * Config::CLUSTER + rank) * Config::TILE_M;
    tile.column = (size_t)at.column * Config::TILE_N;
    tile.split = number % work.splits;
    tile.first_step = part_begin(work.steps, tile.split, work.splits);
    tile.end = part_begin(work.steps, tile.split + 1, work.splits);
    return tile;
}

template <typename Config>
static __host__ __device__ unsigned work_tile_count(const struct bf16_work &work)
{
    return (work.row_tiles + Config::CLUSTER - 1) / Config::CLUSTER * work.column_tiles *
           work.splits;
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

template <typename Config>
static __device__ void bring_step(const typename Config::ring &ring, const struct maps &maps,
                                  const struct extent &extent, const struct work_tile &tile,
                                  unsigned rank, size_t term)
{
    const unsigned panels = Config::TILE_N / PANEL / Config::CLUSTER;
    phase_barrier *const full = &ring.full[ring.stage];

    if (Config::CLUSTER == 1) {
        bring_extent(ring, maps, extent, tile.row, tile.column, term);
        return;
    }
    barrier_arrive_expecting(full, bytes_of(extent)); /* of which the others bring a part */
    bring_rows(ring, maps, extent, tile.row, term);
#pragma unroll
    for (unsigned i = 0; i < panels; i++) {
        const unsigned panel = rank * panels + i;
        if (panel < extent.panels)
            copy_tile_to_blocks(ring.b() + panel * PANEL_BYTES, &maps.b, term,
                                tile.column + panel * PANEL, full, (1U << Config::CLUSTER) - 1);
    }
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

/* All blocks of the cluster write to the stage, so that all must know that it is free. */
template <unsigned CLUSTER>
static __device__ void release_stage(phase_barrier *free)
{
    __syncwarp();
    if (threadIdx.x % 32 < CLUSTER) {
        if (CLUSTER == 1)
            barrier_arrive(free);
        else
            barrier_arrive_at(free, threadIdx.x % 32);
    }
}

template <typename Config>
static __device__ void consume(typename Config::ring ring, const struct gemm &call,
                               const struct maps &maps, const struct bf16_work &work, unsigned rank)
{
    const unsigned warpgroup = warpgroup_of_thread();
    unsigned char *const buffers = ring.tiles + Config::STAGES * ring.STAGE_BYTES +
                                   warpgroup * Config::BUFFERS * Config::BUFFER_BYTES;
    typename Config::scheduler scheduler;
    struct work_tile tile = {};

    for (scheduler.begin(work); scheduler.next(work, tile, rank);) {
        float sum[Config::SUMS] = {};
        for (unsigned step = tile.first_step; step < tile.end; step++) {
            barrier_wait(&ring.full[ring.stage], ring.parity);
            Config::multiply(sum, ring, warpgroup);
            wgmma_wait<1>(); /* the step before has ended */
            if (step > tile.first_step)
                release_stage<Config::CLUSTER>(
                    &ring.free[(ring.stage + Config::STAGES - 1) % Config::STAGES]);
            ring.advance();
        }
        wgmma_finish(sum);
        release_stage<Config::CLUSTER>(
            &ring.free[(ring.stage + Config::STAGES - 1) % Config::STAGES]);
        if (!scheduler.completes(work, tile, sum))
            continue;
        Config::store(call, &maps.c, work, buffers, tile, warpgroup, sum);
    }
    if (threadIdx.x % WARPGROUP == 0)
        store_wait();
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* A block's warps: one of them produces, eight consume. */
template <typename Ring, unsigned CLUSTER, typename Maps, typename Work,
          void PRODUCE(Ring, const struct gemm &, const Maps &, const Work &, unsigned),
          void CONSUME(Ring, const struct gemm &, const Maps &, const Work &, unsigned)>
static __device__ void produce_and_consume(const struct gemm &call, const Maps &maps,
                                           const Work &work)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[Ring::STAGE_COUNT], free[Ring::STAGE_COUNT];
    const Ring ring = {tiles, full, free, 0, 0};
    const unsigned rank = CLUSTER > 1 ? rank_in_cluster() : 0;

    if (threadIdx.x == 0)
        ring.create_barriers(CLUSTER * CONSUMERS / 32);
    if (CLUSTER > 1)
        cluster_barrier(); /* nobody may arrive at another's barriers before they are there */
    else
        __syncthreads();
    overlap_launches();

    if (threadIdx.x >= CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        if (threadIdx.x == CONSUMERS)
            PRODUCE(ring, call, maps, work, rank);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        CONSUME(ring, call, maps, work, rank);
    }
    if (CLUSTER > 1)
        cluster_barrier(); /* nobody may end while others write to its memory */
}

template <typename Config, void CONSUME(typename Config::ring, const struct gemm &,
                                        const struct maps &, const struct bf16_work &, unsigned)>
static __device__ void multiply_work_tiles(const struct gemm &call, const struct maps &maps,
                                           const struct bf16_work &work)
{
    produce_and_consume<typename Config::ring, Config::CLUSTER, struct maps, struct bf16_work,
                        produce<Config>, CONSUME>(call, maps, work);
}

#define PERSISTENT_KERNEL(name, config)                                                            \
    static __global__ void __launch_bounds__(THREADS, 1)                                           \
        name(const struct gemm call, const __grid_constant__ struct maps maps,                     \
             const struct bf16_work work)                                                          \
    {                                                                                              \
        multiply_work_tiles<config, consume<config>>(call, maps, work);                            \
    }

#endif
/* SPDX-License-Identifier: MIT */
