/* Step 07: a tile of C per warp (coord_in_warp). */
#include "float32/parts/eight_by_eight.cuh"

/* Better: the inner loop has no bank conflicts, and for each p a warp loads 32 + 64 different
 * floats instead of 16 + 128. Still bad: a block loads, waits, computes and waits again. While it
 * loads, it does not compute. */
static __global__ void __launch_bounds__(THREADS) warp_tile(const struct gemm call)
{
    multiply_block(call, coord_in_warp());
}

extern "C" void launch_warp_tile(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        warp_tile<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}
/* SPDX-License-Identifier: MIT */
