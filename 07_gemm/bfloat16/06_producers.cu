/* Step 07, bfloat16: producers and consumers. A warp does nothing but bring tiles, two warpgroups
 * do nothing but multiply, 64 rows of the tile each. Each stage has a barrier that says it is full
 * and one that says it is free; there is no __syncthreads in the loop. */
#include "bfloat16/parts/hopper.cuh"
#include "rungs.h"

static const unsigned TILE_M = 128, STAGES = 4, CONSUMERS = 2 * WARPGROUP;
static const unsigned THREADS = CONSUMERS + WARPGROUP;

/* Registers per thread: at launch all have the same number, 168. The producers, who need few,
 * release some, and the consumers take them. */
static const unsigned CONSUMER_REGISTERS = 232, PRODUCER_REGISTERS = 40;
static_assert(CONSUMERS * CONSUMER_REGISTERS + WARPGROUP * PRODUCER_REGISTERS <= THREADS * 168,
              "the consumers would wait for registers forever");

template <unsigned TILE_N>
static __device__ void produce(tensor_ring<TILE_M, TILE_N, STAGES> ring, const CUtensorMap *a,
                               const CUtensorMap *b, size_t row, size_t column, unsigned steps)
{
    for (unsigned step = 0; step < steps; step++) {
        barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
        bring_tiles(ring, a, b, row, column, (size_t)step * STEP_K);
        ring.advance();
    }
}

template <unsigned TILE_N>
static __device__ void consume(tensor_ring<TILE_M, TILE_N, STAGES> ring, const struct gemm &call,
                               size_t row, size_t column, unsigned steps)
{
    const unsigned first_row = warpgroup_of_thread() * 64;
    float sum[TILE_N / 2];

    for (unsigned step = 0; step < steps; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_step(sum, ring.a() + first_row * ROW_BYTES, ring.b(), step == 0);
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
    const tensor_ring<TILE_M, TILE_N, STAGES> ring = {tiles, full, free, 0, 0};

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

/* Better: warps wait only for what they need. Still bad: of what the TMA brings, 128 rows of A
 * serve 128 columns; a tile twice as wide would need three quarters of the traffic. */
static __global__ void __launch_bounds__(THREADS, 1)
    producers(const struct gemm call, const __grid_constant__ CUtensorMap a,
              const __grid_constant__ CUtensorMap b, const unsigned steps)
{
    multiply_block<128, false>(call, &a, &b, steps);
}

/* Better: the tile is 128 x 256. A consumer has 128 sums, and more registers than an equal share.
 * Still bad: a block that stores its sums multiplies nothing meanwhile, and no other fits beside
 * it. */
static __global__ void __launch_bounds__(THREADS, 1)
    wide_tile(const struct gemm call, const __grid_constant__ CUtensorMap a,
              const __grid_constant__ CUtensorMap b, const unsigned steps)
{
    multiply_block<256, true>(call, &a, &b, steps);
}

#define LAUNCH(kernel, columns, call)                                                              \
    {                                                                                              \
        const unsigned bytes = STAGES * tensor_ring<TILE_M, (columns), STAGES>::STAGE_BYTES;       \
                                                                                                   \
        if ((call)->m == 0 || (call)->n == 0)                                                      \
            return;                                                                                \
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);     \
        kernel<<<tile_count(call, TILE_M, (columns)), THREADS, bytes>>>(                           \
            *(call), map_a(call, TILE_M), map_b(call), steps_along_k(call));                       \
    }

extern "C" void launch_producers(const struct gemm *call)
{
    LAUNCH(producers, 128, call);
}

extern "C" void launch_wide_tile_bf16(const struct gemm *call)
{
    LAUNCH(wide_tile, 256, call);
}
/* SPDX-License-Identifier: MIT */
