/* Step 07, bfloat16 without wgmma: a warp computes 64 x 64 elements of C, a block 128 x 256. */
#include "bfloat16_mma/parts/block_tile.cuh"
#include "rungs.h"

typedef block_tile<128, 256, 32, 4> tile;

/* Better: a warp loads 128 rows of 16 elements for 32 MMAs, where swizzled loads 96 for 16. Still
 * bad: the sums take 128 registers per lane, so that an SM has 8 warps, and these wait for ldmatrix
 * before each k-step. */
static __global__ void __launch_bounds__(tile::THREADS, 1) large_warp_tile(const struct gemm call)
{
    extern __shared__ __align__(128) uint16_t stages[];
    const size_t tile_row = first_row_of_tile(call.n, tile::M, tile::N);
    const size_t tile_column = first_column_of_tile(call.n, tile::N);
    const unsigned warp_row = threadIdx.x / 32 / tile::WARPS_N * WARP_SIDE;
    const unsigned warp_column = threadIdx.x / 32 % tile::WARPS_N * WARP_SIDE;
    const struct lane_places lane = places_of_lane<tile>(warp_row, warp_column);
    float sum[ROWS_A][COLUMNS_B][4] = {};
    const unsigned address = (unsigned)__cvta_generic_to_shared(stages);
    unsigned stage = 0;

    for (unsigned ahead = 0; ahead < tile::STAGES - 1; ahead++) {
        copy_edge<tile>(call, stages + ahead * tile::STAGE_ELEMENTS, tile_row, tile_column,
                        (size_t)ahead * tile::K);
        __pipeline_commit();
    }
    for (size_t first = 0; first < call.k; first += tile::K) {
        __pipeline_wait_prior(tile::STAGES - 2);
        __syncthreads(); /* all copies have arrived, and no thread reads the previous stage */

        const unsigned free_stage = (stage + tile::STAGES - 1) % tile::STAGES;
        copy_edge<tile>(call, stages + free_stage * tile::STAGE_ELEMENTS, tile_row, tile_column,
                        first + (tile::STAGES - 1) * tile::K);
        __pipeline_commit();
#pragma unroll
        for (unsigned step = 0; step < tile::STEPS; step++) {
            struct fragments of;
            load_fragments<tile>(of, address + stage * tile::STAGE_BYTES, lane, step);
            multiply_fragments(sum, of);
        }
        stage = (stage + 1) % tile::STAGES;
    }
    __pipeline_wait_prior(0);
    store_pairs(call, tile_row + warp_row, tile_column + warp_column, sum);
}

extern "C" void launch_large_warp_tile(const struct gemm *call)
{
    cudaFuncSetAttribute(large_warp_tile, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         tile::SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        large_warp_tile<<<tile_count(call, tile::M, tile::N), tile::THREADS, tile::SHARED_BYTES>>>(
            *call);
}
/* SPDX-License-Identifier: MIT */
