/* Shared by step 07's rungs on Hopper's tensor cores (sm_90a): a ring of tiles that the TMA brings
 * and wgmma multiplies. */
#ifndef RUNGS_07_TENSOR_RING_CUH
#define RUNGS_07_TENSOR_RING_CUH

#include "kernel/tensor_map.cuh"
#include "kernel/wgmma.cuh"

static const unsigned WARPGROUP = 128, ROW_BYTES = 128;

/* A ring of stages, each a tile of A and one of B, with two barriers a stage. A row of A's tile has
 * 128 bytes, and so has a row of B's, or 64 columns of it. */
template <unsigned TILE_M, unsigned TILE_N, unsigned STAGES>
struct tensor_ring {
    static const unsigned A_BYTES = TILE_M * ROW_BYTES, B_BYTES = TILE_N * ROW_BYTES;
    static const unsigned STAGE_COUNT = STAGES, STAGE_BYTES = A_BYTES + B_BYTES;

    unsigned char *tiles;
    phase_barrier *full, *free;
    unsigned stage, parity;

    /* A stage is full when its bytes have arrived, and free when that many warps are through with
     * it. One thread does this; then all wait for it. */
    __device__ void create_barriers(unsigned warps) const
    {
        for (unsigned s = 0; s < STAGES; s++) {
            barrier_create(&full[s], 1);
            barrier_create(&free[s], warps);
        }
        barriers_created();
    }
    __device__ unsigned char *a() const
    {
        return tiles + stage * STAGE_BYTES;
    }
    __device__ unsigned char *b() const
    {
        return a() + A_BYTES;
    }
    __device__ void advance()
    {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* The thread's warpgroup in its block. All lanes have lane 0's number, so that the compiler keeps
 * what depends on it in uniform registers: wgmma takes tiles from these, and would have to wait for
 * each that comes from others. */
static inline __device__ unsigned warpgroup_of_thread()
{
    return __shfl_sync(~0U, threadIdx.x / WARPGROUP, 0);
}

/* All lanes of the warp are through with the stage. */
static inline __device__ void release(phase_barrier *free)
{
    __syncwarp();
    if (threadIdx.x % 32 == 0)
        barrier_arrive(free);
}

/* All threads of the warpgroup. */
static inline __device__ void warpgroup_barrier()
{
    asm volatile("bar.sync %0, %1;" ::"r"(1 + threadIdx.x / WARPGROUP), "n"(WARPGROUP) : "memory");
}

#endif
/* SPDX-License-Identifier: MIT */
