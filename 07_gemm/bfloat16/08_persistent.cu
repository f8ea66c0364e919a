/* Step 07, bfloat16: persistent blocks. A block stays on its streaming multiprocessor (SM) and
 * computes every nth tile of C (a static persistent scheduler). While its consumers store a tile,
 * its producer loads the next one's operands. */
#include "bfloat16/parts/bf16.cuh"
#include "bfloat16/parts/hopper.cuh"
#include "rungs.h"

static const unsigned TILE_M = 128, TILE_N = 256, STAGES = 4, GROUP = 8;
static const unsigned SUMS = TILE_N / 2; /* per consumer thread */
static const unsigned CONSUMERS = 2 * WARPGROUP, THREADS = CONSUMERS + WARPGROUP;
static const unsigned CONSUMER_REGISTERS = 232, PRODUCER_REGISTERS = 40; /* 168 at launch */
typedef tma_ring<TILE_M, TILE_N, STAGES> tile_ring;

/* The tiles of C, and the number of k-steps per tile. */
struct tile_grid {
    unsigned rows, columns, steps;
};

static struct tile_grid grid_of(const struct gemm *call)
{
    return {(unsigned)((call->m + TILE_M - 1) / TILE_M),
            (unsigned)((call->n + TILE_N - 1) / TILE_N), steps_along_k(call)};
}

/* One thread loads tiles of A and B. It runs up to a ring ahead, also into the next tile of C. */
static __device__ void produce(tile_ring ring, const CUtensorMap *a, const CUtensorMap *b,
                               const struct tile_grid &grid)
{
    for (unsigned tile = blockIdx.x; tile < grid.rows * grid.columns; tile += gridDim.x) {
        const struct tile_of_c at = tile_in_order(tile, grid.rows, grid.columns, GROUP);
        for (unsigned step = 0; step < grid.steps; step++, ring.advance()) {
            barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
            bring_tiles(ring, a, b, (size_t)at.row * TILE_M, (size_t)at.column * TILE_N,
                        (size_t)step * STEP_K);
        }
    }
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
            release(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
        ring.advance();
    }
    wgmma_finish(sum);
    release(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
}

static __device__ void consume(tile_ring ring, const struct gemm &call,
                               const struct tile_grid &grid)
{
    const unsigned warpgroup = warpgroup_of_thread();

    for (unsigned tile = blockIdx.x; tile < grid.rows * grid.columns; tile += gridDim.x) {
        const struct tile_of_c at = tile_in_order(tile, grid.rows, grid.columns, GROUP);
        float sum[SUMS] = {};
        sum_tile(ring, warpgroup, grid.steps, sum);
        store_sums(call, (size_t)at.row * TILE_M + warpgroup * 64, (size_t)at.column * TILE_N, sum);
    }
}

/* Better: the producer runs a ring ahead, also into the next tile of C. Tiles that run together
 * share rows and columns in L2 (tile_in_order). Still bad: two SMs that need the same tile of B
 * both load it from L2, and consumers wait for their stores. */
static __global__ void __launch_bounds__(THREADS, 1)
    persistent(const struct gemm call, const __grid_constant__ CUtensorMap a,
               const __grid_constant__ CUtensorMap b, const struct tile_grid grid)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[STAGES], free[STAGES];
    const tile_ring ring = {tiles, full, free, 0, 0};

    if (threadIdx.x == 0)
        ring.create_barriers(CONSUMERS / 32);
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        if (threadIdx.x == CONSUMERS)
            produce(ring, &a, &b, grid);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume(ring, call, grid);
    }
}

extern "C" void launch_persistent(const struct gemm *call)
{
    const unsigned bytes = STAGES * tile_ring::STAGE_BYTES;
    const struct tile_grid grid = grid_of(call);

    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(persistent, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    persistent<<<min((unsigned)call->multiprocessors, grid.rows * grid.columns), THREADS, bytes>>>(
        *call, map_a(call, TILE_M), map_b(call), grid);
}
/* SPDX-License-Identifier: MIT */
