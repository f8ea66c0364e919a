/* Shared by step 07's rungs that multiply floats on Hopper's tensor cores (sm_90a). Blocks are
 * persistent. One thread of each makes the TMA copy tiles; two warpgroups multiply the tiles and
 * store the sums. */
#ifndef RUNGS_07_FLOATS_CUH
#define RUNGS_07_FLOATS_CUH

#include "kernel/tma.cuh"
#include "kernel/wgmma.cuh"
#include "parts/matrix.cuh"
#include "parts/workspace.h"

static const unsigned STEP_K = 32; /* terms per k-step: 128 bytes of floats */
static const unsigned CONSUMERS = 2 * WARPGROUP, THREADS = CONSUMERS + WARPGROUP;
static const unsigned CONSUMER_REGISTERS = 232, PRODUCER_REGISTERS = 40; /* of 168 at launch */

struct tile_work {
    unsigned tile_rows, tile_columns; /* of a tile */
    unsigned row_tiles, column_tiles, steps;
};

/* A tile's first row and column. */
struct tile_coord {
    size_t row, column;
};

static inline __device__ struct tile_coord coord_of(const struct tile_work &work, unsigned tile)
{
    const struct tile_of_c at = tile_in_order(tile, work.row_tiles, work.column_tiles, 8);

    return {(size_t)at.row * work.tile_rows, (size_t)at.column * work.tile_columns};
}

/* Does a block's part of the work. copy(ring, coord, term, full) starts the copies of a k-step's
 * tiles to the ring's stage. multiply(ring, coord) computes a tile of C. */
template <typename Ring, typename Copy, typename Multiply>
static __device__ void divide_work(const struct tile_work &work, const Copy &copy,
                                   const Multiply &multiply)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[Ring::STAGE_COUNT], free[Ring::STAGE_COUNT];
    const unsigned count = work.row_tiles * work.column_tiles;
    Ring ring = {tiles, full, free, 0, 0};

    if (threadIdx.x == 0)
        ring.create_barriers(CONSUMERS / 32);
    __syncthreads();
    if (threadIdx.x < CONSUMERS) {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        for (unsigned tile = blockIdx.x; tile < count; tile += gridDim.x)
            multiply(ring, coord_of(work, tile));
        return;
    }
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
    if (threadIdx.x > CONSUMERS)
        return;
    for (unsigned tile = blockIdx.x; tile < count; tile += gridDim.x) {
        const struct tile_coord coord = coord_of(work, tile);
        for (unsigned step = 0; step < work.steps; step++, ring.advance()) {
            phase_barrier *const stage_full = &full[ring.stage];
            barrier_wait(&free[ring.stage], ring.parity ^ 1);
            barrier_arrive_expecting(stage_full, Ring::STAGE_BYTES);
            copy(ring, coord, (size_t)step * STEP_K, stage_full);
        }
    }
}

/* The row of C, among a warpgroup's 64, of the current thread's first sums. Its other sums are 8
 * rows below. */
static inline __device__ unsigned row_in_fragment()
{
    return threadIdx.x % WARPGROUP / 32 * 16 + threadIdx.x % 32 / 4;
}

/* Stores a warpgroup's sums: this thread's from `row` on, in columns from `column` on. */
template <unsigned SUMS>
static __device__ void store_floats(const struct gemm &call, size_t row, size_t column,
                                    const float (&sum)[SUMS])
{
    const bool even = (uintptr_t)call.c % sizeof(float2) == 0 && call.ldc % 2 == 0;

    column += threadIdx.x % 4 * 2;
#pragma unroll
    for (unsigned i = 0; i < SUMS; i += 2) {
        const size_t to_row = row + i / 2 % 2 * 8, to_column = column + i / 4 * 8;
        float2 *const to = (float2 *)(call.c + to_row * call.ldc + to_column);
        if (even && call.beta == 0 && to_row < call.m && to_column + 1 < call.n) {
            *to = make_float2(call.alpha * sum[i], call.alpha * sum[i + 1]);
        } else {
            store(call, to_row, to_column, sum[i]);
            store(call, to_row, to_column + 1, sum[i + 1]);
        }
    }
}

/* ---- launch ---------------------------------------------------------------------------------- */

static inline struct tile_work work_of(const struct gemm *call, unsigned tile_rows,
                                       unsigned tile_columns)
{
    return {tile_rows, tile_columns, (unsigned)((call->m + tile_rows - 1) / tile_rows),
            (unsigned)((call->n + tile_columns - 1) / tile_columns),
            (unsigned)((call->k + STEP_K - 1) / STEP_K)};
}

/* One block per streaming multiprocessor (SM), or fewer if there are fewer tiles. */
static inline unsigned blocks_for(const struct gemm *call, const struct tile_work &work)
{
    return min((unsigned)call->multiprocessors, work.row_tiles * work.column_tiles);
}

/* `type` is FLOAT32 or TFLOAT32. For TFLOAT32, the TMA rounds to TF32. */
static inline CUtensorMap map_floats(CUtensorMapDataType type, const float *elements, size_t rows,
                                     size_t columns, size_t leading, unsigned tile_rows)
{
    const struct mapped_matrix matrix = {type,    sizeof(float), elements,  rows,
                                         columns, leading,       tile_rows, 32};
    return map_matrix(&matrix);
}

/* The TMA's coordinates are signed 32-bit integers, and an operand has up to three parts. */
static inline bool fits_coordinates(const struct gemm *call)
{
    const size_t most = INT32_MAX / 3 - 128;

    return call->k > 0 && call->m <= most && call->n <= most && call->k <= most;
}

#endif
/* SPDX-License-Identifier: MIT */
