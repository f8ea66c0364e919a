/* Loads with hints to L2: which lines to evict first, on Ampere (sm_80) and later GPUs. Source: PTX
 * ISA, createpolicy. */
#ifndef RUNGS_L2_HINTS_CUH
#define RUNGS_L2_HINTS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* Lines are kept as long as without a hint. */
static inline __device__ uint64_t hint_to_keep()
{
    uint64_t hint;

    asm volatile("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(hint));
    return hint;
}

/* Lines are evicted first. */
static inline __device__ uint64_t hint_to_evict()
{
    uint64_t hint;

    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(hint));
    return hint;
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

#endif
/* SPDX-License-Identifier: MIT */
