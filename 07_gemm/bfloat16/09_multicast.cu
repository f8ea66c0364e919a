/* Step 07, bfloat16: clusters of two blocks that load a tile of B together (TMA multicast). One
 * block's tile of C is below the other's, so both need the same columns of B. */
#include "bfloat16/parts/bf16.cuh"
#include "bfloat16/parts/hopper.cuh"
#include "kernel/cluster.cuh"
#include "rungs.h"

static const unsigned TILE_M = 128, TILE_N = 256, STAGES = 4;
static const unsigned CLUSTER = 2, GROUP = 8 / CLUSTER; /* rows of pairs */
static const unsigned SUMS = TILE_N / 2;                /* per consumer thread */
static const unsigned CONSUMERS = 2 * WARPGROUP, THREADS = CONSUMERS + WARPGROUP;
static const unsigned CONSUMER_REGISTERS = 232, PRODUCER_REGISTERS = 40; /* 168 at launch */
typedef tma_ring<TILE_M, TILE_N, STAGES> tile_ring;

/* Pairs of tiles of C, one below the other, and the number of k-steps per tile. */
struct pair_grid {
    unsigned rows, columns, steps;
};

static struct pair_grid grid_of(const struct gemm *call)
{
    return {(unsigned)((call->m + CLUSTER * TILE_M - 1) / (CLUSTER * TILE_M)),
            (unsigned)((call->n + TILE_N - 1) / TILE_N), steps_along_k(call)};
}

/* The tile of a pair that the block of this rank computes: its first row and column. */
struct tile_at {
    size_t row, column;
};

static __device__ struct tile_at tile_of_pair(const struct pair_grid &grid, unsigned pair,
                                              unsigned rank)
{
    const struct tile_of_c at = tile_in_order(pair, grid.rows, grid.columns, GROUP);

    return {((size_t)at.row * CLUSTER + rank) * TILE_M, (size_t)at.column * TILE_N};
}

/* One thread of each block loads the block's tile of A, and half of B's tile for both blocks. */
static __device__ void produce(tile_ring ring, const CUtensorMap *a, const CUtensorMap *b,
                               const struct pair_grid &grid, unsigned rank)
{
    const unsigned panels = TILE_N / PANEL / CLUSTER;

    for (unsigned pair = blockIdx.x / CLUSTER; pair < grid.rows * grid.columns;
         pair += gridDim.x / CLUSTER) {
        const struct tile_at at = tile_of_pair(grid, pair, rank);
        for (unsigned step = 0; step < grid.steps; step++, ring.advance()) {
            phase_barrier *const full = &ring.full[ring.stage];
            barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
            barrier_arrive_expecting(full, ring.STAGE_BYTES); /* the other block sends a part */
            copy_tile(ring.a(), a, at.row, (size_t)step * STEP_K, full);
#pragma unroll
            for (unsigned i = 0; i < panels; i++) {
                const unsigned panel = rank * panels + i;
                copy_tile_to_blocks(ring.b() + panel * PANEL_BYTES, b, (size_t)step * STEP_K,
                                    at.column + panel * PANEL, full, (1U << CLUSTER) - 1);
            }
        }
    }
}

/* Both blocks of the cluster write to the stage, so both must know that it is free. */
static __device__ void release_in_cluster(phase_barrier *free)
{
    __syncwarp();
    if (threadIdx.x % 32 < CLUSTER)
        barrier_arrive_at(free, threadIdx.x % 32);
}

/* Computes a tile; each warpgroup has 64 rows of it. */
static __device__ void sum_tile(tile_ring &ring, unsigned warpgroup, unsigned steps,
                                float (&sum)[SUMS])
{
    const unsigned first_row = warpgroup * 64;

    for (unsigned step = 0; step < steps; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_step(sum, ring.a() + first_row * ROW_BYTES, ring.b());
        wgmma_wait<1>(); /* the step before has ended */
        if (step > 0)
            release_in_cluster(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
        ring.advance();
    }
    wgmma_finish(sum);
    release_in_cluster(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
}

static __device__ void consume(tile_ring ring, const struct gemm &call,
                               const struct pair_grid &grid, unsigned rank)
{
    const unsigned warpgroup = warpgroup_of_thread();

    for (unsigned pair = blockIdx.x / CLUSTER; pair < grid.rows * grid.columns;
         pair += gridDim.x / CLUSTER) {
        const struct tile_at at = tile_of_pair(grid, pair, rank);
        float sum[SUMS] = {};
        sum_tile(ring, warpgroup, grid.steps, sum);
        store_sums(call, at.row + warpgroup * 64, at.column, sum);
    }
}

/* Better: each block of a pair loads half of B's tile for both: 33% fewer bytes from L2. Still bad:
 * consumers store two elements at a time, 16 bytes per row, and wait for these stores. */
static __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
    cluster_multicast(const struct gemm call, const __grid_constant__ CUtensorMap a,
                      const __grid_constant__ CUtensorMap b, const struct pair_grid grid)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[STAGES], free[STAGES];
    const tile_ring ring = {tiles, full, free, 0, 0};
    const unsigned rank = rank_in_cluster();

    if (threadIdx.x == 0)
        ring.create_barriers(CLUSTER * CONSUMERS / 32);
    cluster_barrier(); /* no block may arrive at the other's barriers before they exist */
    if (threadIdx.x >= CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        if (threadIdx.x == CONSUMERS)
            produce(ring, &a, &b, grid, rank);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume(ring, call, grid, rank);
    }
    cluster_barrier(); /* no block may end while the other writes to its memory */
}

extern "C" void launch_cluster_multicast(const struct gemm *call)
{
    const unsigned bytes = STAGES * tile_ring::STAGE_BYTES;
    const struct pair_grid grid = grid_of(call);
    const unsigned clusters = max((unsigned)call->multiprocessors / CLUSTER, 1U);

    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(cluster_multicast, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)bytes);
    cluster_multicast<<<min(clusters, grid.rows * grid.columns) * CLUSTER, THREADS, bytes>>>(
        *call, map_a(call, TILE_M), map_b(call), grid);
}
/* SPDX-License-Identifier: MIT */
