/* Step 07, bfloat16: Hopper's tensor cores, which read tiles in shared memory themselves. */
#include "bfloat16/parts/bf16.cuh"
#include "bfloat16/parts/hopper.cuh"
#include "rungs.h"

static const unsigned TILE_M = 128, TILE_N = 128, THREADS = WARPGROUP;

/* wgmma multiplies 64 rows of A by up to 256 columns of B, and reads both from shared memory. Only
 * the accumulators are in registers. One thread starts the TMA with a few instructions. The TMA
 * writes the tiles in the swizzled order that wgmma expects, which `swizzled` computes per chunk.
 *
 * Better: the kernel issues very few instructions. Still bad: the tensor cores wait for the tiles,
 * and the copies wait for the MMAs. */
static __global__ void __launch_bounds__(THREADS)
    wgmma_tile(const struct gemm call, const __grid_constant__ CUtensorMap a,
               const __grid_constant__ CUtensorMap b, const unsigned steps)
{
    typedef tma_ring<TILE_M, TILE_N, 1> one_stage;
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full;
    const size_t row = first_row_of_tile(call.n, TILE_M, TILE_N);
    const size_t column = first_column_of_tile(call.n, TILE_N);
    one_stage ring = {tiles, &full, NULL, 0, 0};
    float upper[TILE_N / 2] = {}, lower[TILE_N / 2] = {}; /* 64 rows each */

    if (threadIdx.x == 0) {
        barrier_create(&full, 1);
        barriers_created();
    }
    __syncthreads();
    for (unsigned step = 0; step < steps; step++) {
        if (threadIdx.x == 0)
            bring_tiles(ring, &a, &b, row, column, (size_t)step * STEP_K);
        barrier_wait(&full, ring.parity);
        multiply_step(upper, ring.a(), ring.b());
        multiply_step(lower, ring.a() + 64 * ROW_BYTES, ring.b());
        wgmma_finish(upper);
        wgmma_finish(lower);
        __syncthreads(); /* the tiles may be overwritten */
        ring.advance();
    }
    store_sums(call, row, column, upper);
    store_sums(call, row + 64, column, lower);
}

extern "C" const char *declines_tma_loads(const struct gemm *call)
{
    const size_t most = INT32_MAX;

    if (call->m == 0 || call->n == 0 || tma_can_load(call))
        return NULL;
    if (call->k == 0)
        return "requires k > 0";
    return call->m > most || call->n > most || call->k > most
               ? "requires m, n and k below 2^31"
               : "requires rows of A and B aligned to 16 bytes";
}

extern "C" void launch_wgmma(const struct gemm *call)
{
    const unsigned bytes = tma_ring<TILE_M, TILE_N, 1>::STAGE_BYTES;

    if (call->m == 0 || call->n == 0)
        return;
    wgmma_tile<<<tile_count(call, TILE_M, TILE_N), THREADS, bytes>>>(
        *call, map_a(call, TILE_M), map_b(call), steps_along_k(call));
}
/* SPDX-License-Identifier: MIT */
