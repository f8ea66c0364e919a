/* Shared by step 07's kernels for few rows or few columns of C, which are bound by reading B or A
 * once: how they read it, directly into registers. */
#ifndef RUNGS_07_LARGE_MATRIX_CUH
#define RUNGS_07_LARGE_MATRIX_CUH

#include "any_shape/float32/plan.h"
#include "any_shape/float32/split_k_ticket.cuh"
#include "kernel/l2_hints.cuh"
#include "kernel/overlap.cuh"

static const unsigned LANE = 4, WARP = 32 * LANE; /* floats that a lane, a warp loads of a row */

/* The columns in a row of a lane's floats: 16 bytes, or, if rows are not aligned, every 32nd. */
template <bool ALIGNED>
static __device__ unsigned column_of_lane(unsigned j)
{
    const unsigned lane = threadIdx.x % 32;
    return ALIGNED ? lane * LANE + j : j * 32 + lane;
}

/* The large matrix: what is before `end` stays in L2, for the next product with it. */
struct retention {
    const float *end;
    uint64_t keep, evict;
};

static __device__ struct retention retention_until(const float *end)
{
    return {end, hint_to_keep(), hint_to_evict()};
}

/* Loads a lane's floats of a row of it; past the row's last float, that one is read. */
template <bool ALIGNED>
static __device__ void load_lane(const struct retention &kept, const float *row, size_t last,
                                 float to[LANE])
{
    const uint64_t hint = row < kept.end ? kept.keep : kept.evict;

    if (ALIGNED) {
        const size_t at = min((size_t)column_of_lane<true>(0), last / LANE * LANE);
        *(float4 *)to = load_4_hinted(row + at, hint);
    } else {
#pragma unroll
        for (unsigned j = 0; j < LANE; j++)
            to[j] = load_hinted(row + min((size_t)column_of_lane<false>(j), last), hint);
    }
}

/* The kernel before may be the copy of B that the next one needs (parts/copy_rows.cu). This one
 * needs what was there before that, and so waits for it only in the end, on behalf of the next. */
static __device__ void begin(bool beside_copy)
{
    let_next_kernel_in();
    if (!beside_copy)
        wait_for_kernel_before();
}

#endif
/* SPDX-License-Identifier: MIT */
