/* Loads with hints to L2: which lines to evict first, on Ampere (sm_80) and later GPUs. Source: PTX
 * ISA, createpolicy, cp.async.bulk.tensor. */
#ifndef RUNGS_L2_HINTS_CUH
#define RUNGS_L2_HINTS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

#include "kernel/tma.cuh"

/* The load does not change the order in which lines are evicted. With evict_normal for all of the
 * TMA's loads, a product took 20 to 35% longer (H200). */
static inline __device__ uint64_t hint_to_keep()
{
    uint64_t hint;

    asm volatile("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(hint));
    return hint;
}

/* Lines are evicted first. */
static inline __device__ uint64_t hint_to_evict()
{
    uint64_t hint;

    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(hint));
    return hint;
}

/* The hints of a kernel that reads a matrix once. What lies before `end` stays in L2 for the next
 * kernel that reads it, and the rest is evicted first. `end` is an address, a term or a k-step. */
struct retention {
    size_t end;
    uint64_t keep, evict;
};

static inline __device__ struct retention retention_until(size_t end)
{
    return {end, hint_to_keep(), hint_to_evict()};
}

static inline __device__ uint64_t hint_at(const struct retention &kept, size_t place)
{
    return place < kept.end ? kept.keep : kept.evict;
}

/* volatile: the load must not move before the wait for the previous kernel (overlap.cuh). */
static inline __device__ float load_hinted(const float *from, uint64_t hint)
{
    float one;

    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(one) : "l"(from), "l"(hint));
    return one;
}

/* Loads four neighbours; `from` must be a multiple of 16 bytes. */
static inline __device__ float4 load_4_hinted(const float *from, uint64_t hint)
{
    float4 four;

    asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=f"(four.x), "=f"(four.y), "=f"(four.z), "=f"(four.w)
                 : "l"(from), "l"(hint));
    return four;
}

/* The same for 16 bytes of any type. */
static inline __device__ uint4 load_16_bytes_hinted(const void *from, uint64_t hint)
{
    uint4 chunk;

    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(chunk.x), "=r"(chunk.y), "=r"(chunk.z), "=r"(chunk.w)
                 : "l"(from), "l"(hint));
    return chunk;
}

/* copy_tile (tma.cuh) with a hint, on Hopper (sm_90). */
static inline __device__ void copy_tile_hinted(void *to, const CUtensorMap *matrix, size_t row,
                                               size_t column, phase_barrier *barrier, uint64_t hint)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(matrix), "r"((int)column), "r"((int)row), "r"(shared_address(barrier)),
                 "l"(hint)
                 : "memory");
}

#endif
/* SPDX-License-Identifier: MIT */
