/* Shared by step 07's kernels for few rows or few columns of C, which are bound by reading B or A
 * once. They load it directly into registers. */
#ifndef RUNGS_07_LARGE_MATRIX_CUH
#define RUNGS_07_LARGE_MATRIX_CUH

#include "any_shape/float32/plan.h"
#include "any_shape/float32/split_k_ticket.cuh"
#include "kernel/l2_hints.cuh"
#include "kernel/overlap.cuh"

static const unsigned LANE = 4, WARP = 32 * LANE; /* floats of a row per lane; per warp */

/* The column of a lane's float j. A lane has 16 bytes or, in unaligned rows, every 32nd float. */
template <bool ALIGNED>
static __device__ unsigned column_of_lane(unsigned j)
{
    const unsigned lane = threadIdx.x % 32;
    return ALIGNED ? lane * LANE + j : j * 32 + lane;
}

/* Loads a lane's floats of a row. Past the row's end, it loads the last ones instead. */
template <bool ALIGNED>
static __device__ void load_lane(const struct retention &kept, const float *row, size_t last,
                                 float to[LANE])
{
    const uint64_t hint = hint_at(kept, (size_t)row);

    if (ALIGNED) {
        const size_t at = min((size_t)column_of_lane<true>(0), last / LANE * LANE);
        *(float4 *)to = load_4_hinted(row + at, hint);
    } else {
#pragma unroll
        for (unsigned j = 0; j < LANE; j++)
            to[j] = load_hinted(row + min((size_t)column_of_lane<false>(j), last), hint);
    }
}

/* The previous kernel may be the copy of B that the next one needs (parts/copy_rows.cu). This
 * kernel does not need the copy, so it waits only at the end, on behalf of the next one. */
static __device__ void begin(bool beside_copy)
{
    let_next_kernel_in();
    if (!beside_copy)
        wait_for_kernel_before();
}

#endif
/* SPDX-License-Identifier: MIT */
