/* Step 07, bfloat16: tensor cores by the instruction itself, mma.sync (sm_80).
 *
 * PTX says which elements a lane holds. A warp's instruction multiplies a 16 x 16 tile of A by a
 * 16 x 8 tile of B. ldmatrix loads four 8 x 8 tiles; each lane gives the address of a row of 8
 * elements. B's rows run along n, but the MMA needs them along k, so ldmatrix also transposes.
 * cp.async copies tiles to shared memory three stages ahead. */
#include "bfloat16/parts/mma_tile.cuh"
#include "rungs.h"

/* Better: fewer loads from shared memory, and copies that overlap the MMAs. Still bad: ldmatrix has
 * bank conflicts. A tile of A takes four wavefronts instead of one, a tile of B takes eight. */
static __global__ void __launch_bounds__(THREADS) mma_sync(const struct gemm call)
{
    multiply_block<false>(call);
}

extern "C" void launch_mma_sync(const struct gemm *call)
{
    cudaFuncSetAttribute(mma_sync, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        mma_sync<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS, SHARED_BYTES>>>(*call);
}
/* SPDX-License-Identifier: MIT */
