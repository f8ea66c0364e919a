/* Step 07, bfloat16: the TMA stores C from shared memory, during the next tile's MMAs. The rest is
 * as in multicast. */
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

/* Buffers of 64 x 64 elements of C, two per warpgroup. The TMA stores from these. */
static const unsigned BUFFERS = 2, BUFFER_BYTES = 64 * ROW_BYTES;

/* Writes 64 x 64 elements of C to the buffer. BLENDS: beta is not 0. stmatrix writes four 8 x 8
 * tiles, and each lane gives the address of a row of 16 bytes. The rows are swizzled, as the TMA
 * expects. */
template <bool BLENDS>
static __device__ void fill_buffer(const struct gemm &call, unsigned char *buffer, size_t row,
                                   size_t column, const float *sum)
{
    const unsigned thread = threadIdx.x % WARPGROUP, lane = thread % 32;
    const unsigned buffer_row = thread / 32 * 16 + lane % 16;

    row += thread / 32 * 16 + lane / 4;
    column += lane % 4 * 2;
#pragma unroll
    for (unsigned j = 0; j < 8; j += 2) {
        const unsigned chunk = (j + lane / 16) ^ buffer_row % 8;
        unsigned pairs[4];
#pragma unroll
        for (unsigned i = 0; i < 4; i++) {
            const float *const two = sum + j * 4 + i * 2;
            const size_t to_row = row + i % 2 * 8, to_column = column + (j + i / 2) * 8;
            float first = call.alpha * two[0], second = call.alpha * two[1];
            if (BLENDS && to_row < call.m && to_column < call.n)
                first = blend_bf16(call, to_row, to_column, two[0]);
            if (BLENDS && to_row < call.m && to_column + 1 < call.n)
                second = blend_bf16(call, to_row, to_column + 1, two[1]);
            pairs[i] = bf16_pair(first, second);
        }
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         shared_address(buffer + buffer_row * ROW_BYTES + chunk * 16)),
                     "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                     : "memory");
    }
}

/* Stores a tile, 64 columns at a time. The TMA still reads one buffer while the warpgroup fills the
 * other, and stores the last two during the next tile's MMAs. */
static __device__ void store_by_tma(const struct gemm &call, const CUtensorMap *c,
                                    unsigned char *buffers, size_t row, size_t column,
                                    const float (&sum)[SUMS])
{
    const bool is_first = threadIdx.x % WARPGROUP == 0;

#pragma unroll
    for (unsigned panel = 0; panel < TILE_N / PANEL; panel++, column += PANEL) {
        unsigned char *const buffer = buffers + panel % BUFFERS * BUFFER_BYTES;
        if (is_first)
            store_wait_read<BUFFERS - 1>(); /* the buffer is free again */
        warpgroup_barrier();
        if (call.beta == 0)
            fill_buffer<false>(call, buffer, row, column, sum + panel * 32);
        else
            fill_buffer<true>(call, buffer, row, column, sum + panel * 32);
        before_async_reads();
        warpgroup_barrier();
        if (is_first) {
            store_tile(c, row, column, buffer);
            store_commit();
        }
    }
}

static __device__ void consume(tile_ring ring, const struct gemm &call, const CUtensorMap *c,
                               bool c_is_mapped, const struct pair_grid &grid, unsigned rank)
{
    const unsigned warpgroup = warpgroup_of_thread();
    unsigned char *const buffers =
        ring.tiles + STAGES * ring.STAGE_BYTES + warpgroup * BUFFERS * BUFFER_BYTES;

    for (unsigned pair = blockIdx.x / CLUSTER; pair < grid.rows * grid.columns;
         pair += gridDim.x / CLUSTER) {
        const struct tile_at at = tile_of_pair(grid, pair, rank);
        float sum[SUMS] = {};
        sum_tile(ring, warpgroup, grid.steps, sum);
        if (c_is_mapped)
            store_by_tma(call, c, buffers, at.row + warpgroup * 64, at.column, sum);
        else
            store_sums(call, at.row + warpgroup * 64, at.column, sum);
    }
    if (threadIdx.x % WARPGROUP == 0)
        store_wait();
}

/* Better: consumers write their accumulators to shared memory. From there the TMA stores whole rows
 * of 128 bytes during the next MMAs. Still bad: SMs are idle if there are few tiles, or if the last
 * wave is partial. */
static __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
    tma_stores(const struct gemm call, const __grid_constant__ CUtensorMap a,
               const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c,
               const bool c_is_mapped, const struct pair_grid grid)
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
        consume(ring, call, &c, c_is_mapped, grid, rank);
    }
    cluster_barrier(); /* no block may end while the other writes to its memory */
}

extern "C" void launch_tma_stores(const struct gemm *call)
{
    const unsigned bytes = STAGES * tile_ring::STAGE_BYTES + 2 * BUFFERS * BUFFER_BYTES;
    const struct pair_grid grid = grid_of(call);
    const unsigned clusters = max((unsigned)call->multiprocessors / CLUSTER, 1U);
    const bool maps_c = can_be_stored(call->c, call->m, call->n, call->ldc, sizeof(uint16_t));

    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(tma_stores, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    tma_stores<<<min(clusters, grid.rows * grid.columns) * CLUSTER, THREADS, bytes>>>(
        *call, map_a(call, TILE_M), map_b(call), maps_c ? map_c(call, 64) : CUtensorMap{}, maps_c,
        grid);
}
/* SPDX-License-Identifier: MIT */
