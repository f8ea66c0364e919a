/* Step 07, bfloat16: a ring of stages, so that copies overlap the MMAs. */
#include "bfloat16/parts/bf16.cuh"
#include "bfloat16/parts/hopper.cuh"
#include "rungs.h"

static const unsigned TILE_M = 128, TILE_N = 128, THREADS = WARPGROUP;
static const unsigned STAGES = 3;

/* Better: the tiles of two k-steps are in flight while one is multiplied. The MMAs of a k-step
 * start before those of the previous one have ended. Still bad: the thread that starts the copies
 * also multiplies, and a barrier holds back all threads in each k-step. */
static __global__ void __launch_bounds__(THREADS)
    wgmma_ring(const struct gemm call, const __grid_constant__ CUtensorMap a,
               const __grid_constant__ CUtensorMap b, const unsigned steps)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[STAGES];
    const size_t row = first_row_of_tile(call.n, TILE_M, TILE_N);
    const size_t column = first_column_of_tile(call.n, TILE_N);
    tma_ring<TILE_M, TILE_N, STAGES> ring = {tiles, full, NULL, 0, 0}, next = ring;
    float upper[TILE_N / 2] = {}, lower[TILE_N / 2] = {};
    unsigned brought = 0;

    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < STAGES; s++)
            barrier_create(&full[s], 1);
        barriers_created();
        for (; brought < steps && brought < STAGES - 1; brought++, next.advance())
            bring_tiles(next, &a, &b, row, column, (size_t)brought * STEP_K);
    }
    __syncthreads();
    for (unsigned step = 0; step < steps; step++) {
        barrier_wait(&full[ring.stage], ring.parity);
        multiply_step(upper, ring.a(), ring.b());
        multiply_step(lower, ring.a() + 64 * ROW_BYTES, ring.b());
        wgmma_wait<2>(); /* the step before has ended: its stage is free */
        __syncthreads();
        if (threadIdx.x == 0 && brought < steps) {
            bring_tiles(next, &a, &b, row, column, (size_t)brought * STEP_K);
            next.advance();
            brought++;
        }
        ring.advance();
    }
    wgmma_finish(upper);
    wgmma_finish(lower);
    store_sums(call, row, column, upper);
    store_sums(call, row + 64, column, lower);
}

extern "C" void launch_wgmma_ring(const struct gemm *call)
{
    const unsigned bytes = STAGES * tma_ring<TILE_M, TILE_N, STAGES>::STAGE_BYTES;

    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(wgmma_ring, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    wgmma_ring<<<tile_count(call, TILE_M, TILE_N), THREADS, bytes>>>(
        *call, map_a(call, TILE_M), map_b(call), steps_along_k(call));
}
/* SPDX-License-Identifier: MIT */
