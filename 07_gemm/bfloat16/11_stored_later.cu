/* Step 07, bfloat16: an overlapped epilogue. A tile is stored during the next tile's MMAs. The
 * consumers only issue these, and have time to store while a k-step runs. Requires beta = 0, and a
 * C that the TMA can store. */
#include "bfloat16/parts/bf16.cuh"
#include "bfloat16/parts/hopper.cuh"
#include "rungs.h"

static const unsigned TILE_M = 128, TILE_N = 256, STAGES = 4, GROUP = 16;
static const unsigned SUMS = TILE_N / 2; /* per consumer thread */
static const unsigned CONSUMERS = 2 * WARPGROUP, THREADS = CONSUMERS + WARPGROUP;
static const unsigned CONSUMER_REGISTERS = 232, PRODUCER_REGISTERS = 40; /* 168 at launch */
static const unsigned BUFFERS = 2, BUFFER_BYTES = 64 * ROW_BYTES; /* for 64 x 64 elements of C */
static const unsigned PANELS = TILE_N / PANEL, PANEL_PAIRS = 16;  /* per thread */
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

/* A tile to be stored: two elements per register; the warpgroup's first row and column of it. */
struct kept_tile {
    unsigned pairs[SUMS / 2];
    size_t row, column;
    bool is_there;
};

static __device__ void keep_tile(const struct gemm &call, size_t row, size_t column,
                                 const float (&sum)[SUMS], struct kept_tile &kept)
{
#pragma unroll
    for (unsigned i = 0; i < SUMS / 2; i++)
        kept.pairs[i] = bf16_pair(call.alpha * sum[2 * i], call.alpha * sum[2 * i + 1]);
    kept.row = row;
    kept.column = column;
    kept.is_there = true;
}

/* Writes 64 columns of the tile to a buffer, from which the TMA stores them. */
static __device__ void store_kept_panel(const CUtensorMap *c, unsigned char *buffers,
                                        unsigned panel, const struct kept_tile &kept)
{
    const unsigned thread = threadIdx.x % WARPGROUP, lane = thread % 32;
    const unsigned buffer_row = thread / 32 * 16 + lane % 16;
    unsigned char *const buffer = buffers + panel % BUFFERS * BUFFER_BYTES;

    if (thread == 0)
        store_wait_read<BUFFERS - 1>(); /* the buffer is free again */
    warpgroup_barrier();
#pragma unroll
    for (unsigned j = 0; j < 8; j += 2) {
        const unsigned chunk = (j + lane / 16) ^ buffer_row % 8;
        const unsigned *const pairs = kept.pairs + panel * PANEL_PAIRS + j * 2;
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                         shared_address(buffer + buffer_row * ROW_BYTES + chunk * 16)),
                     "r"(pairs[0]), "r"(pairs[1]), "r"(pairs[2]), "r"(pairs[3])
                     : "memory");
    }
    before_async_reads();
    warpgroup_barrier();
    if (thread == 0) {
        store_tile(c, kept.row, kept.column + panel * PANEL, buffer);
        store_commit();
    }
}

/* Computes a tile of at least PANELS k-steps. Each of the first PANELS also stores one panel of the
 * previous tile. */
static __device__ void sum_tile(tile_ring &ring, unsigned warpgroup, unsigned steps,
                                float (&sum)[SUMS], const CUtensorMap *c, unsigned char *buffers,
                                const struct kept_tile &kept)
{
    const unsigned first_row = warpgroup * 64;
    unsigned step;

#pragma unroll
    for (step = 0; step < PANELS; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_step(sum, ring.a() + first_row * ROW_BYTES, ring.b());
        if (kept.is_there)
            store_kept_panel(c, buffers, step, kept);
        wgmma_wait<1>(); /* the step before has ended */
        if (step > 0)
            release(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
        ring.advance();
    }
    for (; step < steps; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_step(sum, ring.a() + first_row * ROW_BYTES, ring.b());
        wgmma_wait<1>();
        release(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
        ring.advance();
    }
    wgmma_finish(sum);
    release(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
}

static __device__ void consume(tile_ring ring, const struct gemm &call, const CUtensorMap *c,
                               const struct tile_grid &grid)
{
    const unsigned warpgroup = warpgroup_of_thread();
    unsigned char *const buffers =
        ring.tiles + STAGES * ring.STAGE_BYTES + warpgroup * BUFFERS * BUFFER_BYTES;
    struct kept_tile kept;

    kept.is_there = false;
    for (unsigned tile = blockIdx.x; tile < grid.rows * grid.columns; tile += gridDim.x) {
        const struct tile_of_c at = tile_in_order(tile, grid.rows, grid.columns, GROUP);
        float sum[SUMS] = {};
        sum_tile(ring, warpgroup, grid.steps, sum, c, buffers, kept);
        keep_tile(call, (size_t)at.row * TILE_M + warpgroup * 64, (size_t)at.column * TILE_N, sum,
                  kept);
    }
    if (kept.is_there)
#pragma unroll
        for (unsigned panel = 0; panel < PANELS; panel++)
            store_kept_panel(c, buffers, panel, kept);
    if (threadIdx.x % WARPGROUP == 0)
        store_wait();
}

/* Better: the tensor cores no longer wait while a tile is written to shared memory, 64 columns at a
 * time. Still bad: a tile's last MMAs must end before its accumulators are rounded. */
static __global__ void __launch_bounds__(THREADS, 1)
    stored_later(const struct gemm call, const __grid_constant__ CUtensorMap a,
                 const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c,
                 const struct tile_grid grid)
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
        consume(ring, call, &c, grid);
    }
}

extern "C" const char *declines_stored_later(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return NULL;
    if (!tma_can_load(call))
        return declines_tma_loads(call);
    if (steps_along_k(call) < PANELS)
        return "requires k > 192: a tile is stored in four steps along k";
    if (call->beta != 0)
        return "requires beta = 0: a tile is stored after its sums have left";
    return can_be_stored(call->c, call->m, call->n, call->ldc, sizeof(uint16_t))
               ? NULL
               : "requires whole chunks of 16 bytes in the rows of C";
}

extern "C" void launch_stored_later(const struct gemm *call)
{
    const unsigned bytes = STAGES * tile_ring::STAGE_BYTES + 2 * BUFFERS * BUFFER_BYTES;
    const struct tile_grid grid = grid_of(call);

    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(stored_later, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    stored_later<<<min((unsigned)call->multiprocessors, grid.rows * grid.columns), THREADS,
                   bytes>>>(*call, map_a(call, TILE_M), map_b(call), map_c(call, 64), grid);
}
/* SPDX-License-Identifier: MIT */
