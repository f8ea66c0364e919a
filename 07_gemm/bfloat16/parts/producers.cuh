/* Step 07, bfloat16: one warp loads tiles and two warpgroups multiply them, for the rungs producers
 * and wide_tile. Their tiles have different widths. */
#ifndef RUNGS_07_BF16_PRODUCERS_CUH
#define RUNGS_07_BF16_PRODUCERS_CUH

#include "bfloat16/parts/bf16.cuh"
#include "bfloat16/parts/hopper.cuh"
#include "rungs.h"

static const unsigned TILE_M = 128, STAGES = 4, CONSUMERS = 2 * WARPGROUP;
static const unsigned THREADS = CONSUMERS + WARPGROUP;

/* Registers per thread. Each thread has 168 at launch. The producers need few and release some, and
 * the consumers take these. */
static const unsigned CONSUMER_REGISTERS = 232, PRODUCER_REGISTERS = 40;
static_assert(CONSUMERS * CONSUMER_REGISTERS + WARPGROUP * PRODUCER_REGISTERS <= THREADS * 168,
              "the consumers would wait for registers forever");

template <unsigned TILE_N>
static __device__ void produce(tma_ring<TILE_M, TILE_N, STAGES> ring, const CUtensorMap *a,
                               const CUtensorMap *b, size_t row, size_t column, unsigned steps)
{
    for (unsigned step = 0; step < steps; step++) {
        barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
        bring_tiles(ring, a, b, row, column, (size_t)step * STEP_K);
        ring.advance();
    }
}

template <unsigned TILE_N>
static __device__ void consume(tma_ring<TILE_M, TILE_N, STAGES> ring, const struct gemm &call,
                               size_t row, size_t column, unsigned steps)
{
    const unsigned first_row = warpgroup_of_thread() * 64;
    float sum[TILE_N / 2] = {};

    for (unsigned step = 0; step < steps; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_step(sum, ring.a() + first_row * ROW_BYTES, ring.b());
        wgmma_wait<1>(); /* the step before has ended */
        if (step > 0)
            release(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
        ring.advance();
    }
    wgmma_finish(sum);
    store_sums(call, row + first_row, column, sum);
}

template <unsigned TILE_N, bool HAND_OVER>
static __device__ void multiply_block(const struct gemm &call, const CUtensorMap *a,
                                      const CUtensorMap *b, unsigned steps)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[STAGES], free[STAGES];
    const size_t row = first_row_of_tile(call.n, TILE_M, TILE_N);
    const size_t column = first_column_of_tile(call.n, TILE_N);
    const tma_ring<TILE_M, TILE_N, STAGES> ring = {tiles, full, free, 0, 0};

    if (threadIdx.x == 0)
        ring.create_barriers(CONSUMERS / 32);
    __syncthreads();
    if (threadIdx.x >= CONSUMERS) {
        if (HAND_OVER)
            asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        if (threadIdx.x == CONSUMERS)
            produce(ring, a, b, row, column, steps);
    } else {
        if (HAND_OVER)
            asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume(ring, call, row, column, steps);
    }
}

#endif
/* SPDX-License-Identifier: MIT */
