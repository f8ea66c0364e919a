/* Step 07, bfloat16: the kernel of tiles, stream_k and fitted. A block stays on its SM and computes
 * one tile of C after the other. While its consumers store a tile, its producer loads the next
 * one's operands. */
#ifndef RUNGS_07_BF16_PERSISTENT_CUH
#define RUNGS_07_BF16_PERSISTENT_CUH

#include "any_shape/bfloat16/epilogue.cuh"
#include "kernel/cluster.cuh"
#include "kernel/overlap.cuh"

/* What a kernel chooses. Tiles are numbered within groups of GROUP_ROWS rows of tiles. */
template <unsigned TILE_COLUMNS, unsigned RING_STAGES,
          template <typename> class SCHEDULER = every_nth, unsigned GROUP_ROWS = 8,
          bool IN_CLUSTERS = false>
struct config {
    typedef SCHEDULER<config> scheduler; /* which tiles a cluster computes */
    static const unsigned WARPGROUPS = 2, TILE_M = 128, TILE_N = TILE_COLUMNS, STAGES = RING_STAGES;
    static const unsigned PANELS = 1, SUMS = TILE_N / 2; /* per consumer thread */
    static const bool TURNS = false;                     /* see consume */
    static const unsigned GROUP = GROUP_ROWS;
    static const bool CLUSTERS = IN_CLUSTERS; /* of several blocks */
    typedef ::tma_ring<TILE_M, TILE_N, STAGES> ring;

    /* A consumer warpgroup's buffers: the TMA stores 64 x 64 elements from each. */
    static const unsigned BUFFERS = TILE_N % (2 * PANEL) == 0 ? 2 : TILE_N / PANEL;
    static const unsigned BUFFER_ROWS = 64, BUFFER_BYTES = BUFFER_ROWS * ROW_BYTES;
    static const unsigned SHARED_BYTES = STAGES * ring::STAGE_BYTES + 2 * BUFFERS * BUFFER_BYTES;

    /* What the consumers do with a k-step and with a finished tile. Each has 64 rows of it. */
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

/* ---- producer -------------------------------------------------------------------------------- */

/* How many rows of A's tile a block loads for all of its row of the cluster: a multiple of 8,
 * because the swizzle repeats every 8 rows. The last part has the rows that are left. */
static inline __host__ __device__ unsigned part_rows(unsigned tile_rows, unsigned across_log2)
{
    return (((tile_rows / 8 - 1) >> across_log2) + 1) * 8;
}

/* What a block of a cluster loads in each k-step of a tile, and for which blocks. Blocks of its row
 * get a part of A's rows, and blocks of its column get some terms of B's panels. The producer is
 * one thread, so as much as possible is computed before the k-steps. */
struct share {
    const CUtensorMap *a;
    unsigned a_row, a_to, b_term, b_to, bytes; /* bytes: with the others' parts */
    unsigned short a_blocks, b_blocks;
    bool has_a;
};

template <typename Config>
static __device__ struct share share_of(const struct maps &maps, const struct extent &extent,
                                        const struct bf16_work &work, const struct work_tile &tile,
                                        unsigned rank)
{
    const struct tile_of_c place = place_of(work, rank);
    const unsigned column = (1U << (1U << work.down_log2)) - 1;
    const unsigned row = ((1U << cluster_of(work)) - 1) / column;
    const unsigned part = part_rows(Config::TILE_M, work.across_log2), first = place.column * part;
    const unsigned rows = min((extent.rows + part - 1) / part * part, Config::TILE_M);
    struct share share = {};

    share.a = first + part <= Config::TILE_M ? &maps.a : &maps.a_last;
    share.a_row = (unsigned)tile.row + first;
    share.a_to = first * ROW_BYTES;
    share.a_blocks = (unsigned short)(row << place.row);
    share.b_term = place.row * (STEP_K >> work.down_log2);
    share.b_to = share.b_term * ROW_BYTES;
    share.b_blocks = (unsigned short)(column << (place.column << work.down_log2));
    share.bytes = bytes_of({work.across_log2 == 0 ? extent.rows : rows, extent.panels});
    share.has_a = first < rows;
    return share;
}

/* Loads all k-steps of a tile. */
template <typename Config, bool SHARES_A, bool SHARES_B>
static __device__ void bring_steps(typename Config::ring &ring, const struct maps &maps,
                                   const struct extent &extent, const struct share &share,
                                   const struct work_tile &tile)
{
    for (unsigned step = tile.first_step; step < tile.end; step++, ring.advance()) {
        const size_t term = (size_t)step * STEP_K;
        phase_barrier *const full = &ring.full[ring.stage];

        barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
        if (!SHARES_A && !SHARES_B) {
            bring_extent(ring, maps, extent, tile.row, tile.column, term);
            continue;
        }
        barrier_arrive_expecting(full, share.bytes);
        if (!SHARES_A)
            bring_rows(ring, maps, extent, tile.row, term);
        else if (share.has_a)
            copy_tile_to_blocks(ring.a() + share.a_to, share.a, share.a_row, term, full,
                                share.a_blocks);
#pragma unroll
        for (unsigned panel = 0; panel < Config::TILE_N / PANEL; panel++) {
            unsigned char *const to = ring.b() + panel * PANEL_BYTES;
            const size_t column = tile.column + panel * PANEL;
            if (panel < extent.panels && SHARES_B)
                copy_tile_to_blocks(to + share.b_to, &maps.b, term + share.b_term, column, full,
                                    share.b_blocks);
            else if (panel < extent.panels)
                copy_tile(to, &maps.b, term, column, full);
        }
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
        const struct share share =
            Config::CLUSTERS ? share_of<Config>(maps, extent, work, tile, rank) : (struct share){};
        if (!Config::CLUSTERS)
            bring_steps<Config, false, false>(ring, maps, extent, share, tile);
        else if (work.down_log2 == 0)
            bring_steps<Config, true, false>(ring, maps, extent, share, tile);
        else if (work.across_log2 == 0)
            bring_steps<Config, false, true>(ring, maps, extent, share, tile);
        else
            bring_steps<Config, true, true>(ring, maps, extent, share, tile);
    }
}

/* ---- consumers ------------------------------------------------------------------------------- */

/* Whether the lane tells the block with the lane's number in the cluster that a stage is free. The
 * blocks in the same row or column of the cluster write to it. */
static inline __device__ bool tells_block(const struct bf16_work &work, unsigned rank)
{
    const struct tile_of_c to = place_of(work, threadIdx.x % 32), from = place_of(work, rank);

    return threadIdx.x % 32 < cluster_of(work) && (to.row == from.row || to.column == from.column);
}

template <typename Config>
static __device__ void release_stage(phase_barrier *free, bool tells)
{
    __syncwarp();
    if (tells && Config::CLUSTERS)
        barrier_arrive_at(free, threadIdx.x % 32);
    else if (tells)
        barrier_arrive(free);
}

/* With TURNS each warpgroup computes every other tile, and one stores while the other multiplies. A
 * warpgroup starts a tile when the other one has started its last k-step. So it is never more than
 * a round of the ring ahead. */
template <typename Config>
static __device__ void consume(typename Config::ring ring, const struct gemm &call,
                               const struct maps &maps, const struct bf16_work &work, unsigned rank,
                               phase_barrier *turns)
{
    const unsigned warpgroup = warpgroup_of_thread();
    unsigned char *const buffers = ring.tiles + Config::STAGES * ring.STAGE_BYTES +
                                   warpgroup * Config::BUFFERS * Config::BUFFER_BYTES;
    const bool tells = Config::CLUSTERS ? tells_block(work, rank) : threadIdx.x % 32 == 0;
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
                    &ring.free[(ring.stage + Config::STAGES - 1) % Config::STAGES], tells);
            ring.advance();
        }
        if (Config::TURNS && threadIdx.x % 32 == 0)
            barrier_arrive(&turns[warpgroup ^ 1]);
        wgmma_finish(sum);
        release_stage<Config>(&ring.free[(ring.stage + Config::STAGES - 1) % Config::STAGES],
                              tells);
        if (!scheduler.completes(work, tile, sum))
            continue;
        Config::store(call, &maps.c, work, buffers, tile, warpgroup, sum);
    }
    if (threadIdx.x % WARPGROUP == 0)
        store_wait_read<0>();
}

/* ---- the kernel ------------------------------------------------------------------------------ */

/* One warp of a block produces, and four or eight consume. Eight also take registers from the
 * producer's warpgroup. */
template <typename Config>
static __device__ void multiply_work_tiles(const struct gemm &call, const struct maps &maps,
                                           const struct bf16_work &work)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[Config::STAGES], free[Config::STAGES], turns[2];
    const unsigned CONSUMERS = Config::WARPGROUPS * WARPGROUP;
    const typename Config::ring ring = {tiles, full, free, 0, 0};
    const unsigned rank = Config::CLUSTERS ? rank_in_cluster() : 0;

    if (threadIdx.x == 0) {
        for (unsigned i = 0; Config::TURNS && i < 2; i++)
            barrier_create(&turns[i], WARPGROUP / 32);
        ring.create_barriers(((1U << work.down_log2) + (1U << work.across_log2) - 1) *
                             (Config::TURNS ? WARPGROUP : CONSUMERS) / 32);
    }
    if (threadIdx.x == CONSUMERS)
        prefetch_maps(maps, work.c_is_mapped);
    if (Config::CLUSTERS)
        cluster_barrier(); /* no block may arrive at another's barriers before they exist */
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
    if (Config::CLUSTERS)
        cluster_barrier(); /* no block may end while others write to its memory */
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
