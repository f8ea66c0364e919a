/* Step 07, bfloat16 without wgmma: the fragments of the next k-step are loaded during this one's
 * MMAs. */
#include "bfloat16_mma/parts/block_tile.cuh"
#include "rungs.h"

typedef block_tile<128, 256, 32, 4> tile;

/* Better: MMAs wait for loads that were issued a k-step earlier, and a warp reaches the barrier
 * with MMAs in flight. Still bad: a thread computes the address of each chunk that it copies, and
 * whether it is in the matrix, from the beginning. */
static __global__ void __launch_bounds__(tile::THREADS, 1) fragments_ahead(const struct gemm call)
{
    extern __shared__ __align__(128) uint16_t stages[];
    const size_t tile_row = first_row_of_tile(call.n, tile::M, tile::N);
    const size_t tile_column = first_column_of_tile(call.n, tile::N);
    const unsigned warp_row = threadIdx.x / 32 / tile::WARPS_N * WARP_SIDE;
    const unsigned warp_column = threadIdx.x / 32 % tile::WARPS_N * WARP_SIDE;
    const struct lane_places lane = places_of_lane<tile>(warp_row, warp_column);
    float sum[ROWS_A][COLUMNS_B][4] = {};
    struct fragments of[2];
    const unsigned address = (unsigned)__cvta_generic_to_shared(stages);
    unsigned stage = 0;

    for (unsigned ahead = 0; ahead < tile::STAGES - 1; ahead++) {
        copy_edge<tile>(call, stages + ahead * tile::STAGE_ELEMENTS, tile_row, tile_column,
                        (size_t)ahead * tile::K);
        __pipeline_commit();
    }
    __pipeline_wait_prior(tile::STAGES - 2);
    __syncthreads();
    load_fragments<tile>(of[0], address, lane, 0);
    for (size_t first = 0; first < call.k; first += tile::K) {
        const unsigned free_stage = (stage + tile::STAGES - 1) % tile::STAGES;
#pragma unroll
        for (unsigned step = 0; step < tile::STEPS; step++) {
            if (step == tile::STEPS - 1) { /* what is loaded next is in the next stage */
                __pipeline_wait_prior(tile::STAGES - 2);
                __syncthreads(); /* its copies have arrived; this stage's fragments are loaded */
                stage = (stage + 1) % tile::STAGES;
            }
            load_fragments<tile>(of[(step + 1) % 2], address + stage * tile::STAGE_BYTES, lane,
                                 (step + 1) % tile::STEPS);
            if (step == 0) {
                copy_edge<tile>(call, stages + free_stage * tile::STAGE_ELEMENTS, tile_row,
                                tile_column, first + (tile::STAGES - 1) * tile::K);
                __pipeline_commit();
            }
            multiply_fragments(sum, of[step % 2]);
        }
    }
    __pipeline_wait_prior(0);
    store_pairs(call, tile_row + warp_row, tile_column + warp_column, sum);
}

extern "C" void launch_fragments_ahead(const struct gemm *call)
{
    cudaFuncSetAttribute(fragments_ahead, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         tile::SHARED_BYTES);
    if (call->m > 0 && call->n > 0)
        fragments_ahead<<<tile_count(call, tile::M, tile::N), tile::THREADS, tile::SHARED_BYTES>>>(
            *call);
}
/* SPDX-License-Identifier: MIT */
