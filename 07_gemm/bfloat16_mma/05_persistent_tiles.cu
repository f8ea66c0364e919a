/* Step 07, bfloat16 without wgmma: persistent blocks, one per SM. The order of the tiles shares
 * data in L2 (tile_in_order). A block's copies run on from one tile into the next. */
#include "bfloat16_mma/parts/pipeline.cuh"
#include "rungs.h"

static const unsigned GROUP = 8;

/* The tiles of C. */
struct tile_grid {
    unsigned rows, columns;
};

template <typename T>
static __device__ void begin_tile(struct copies<T> &copies, const struct gemm &call,
                                  struct tile_grid grid, unsigned tile)
{
    const struct tile_of_c at = tile_in_order(tile, grid.rows, grid.columns, GROUP);

    copies.begin(call, (size_t)at.row * T::M, (size_t)at.column * T::N, 0, call.k);
}

/* Once all copies of a tile have started, goes on to the block's next tile. */
template <typename T>
static __device__ void follow(struct copies<T> &copies, const struct gemm &call,
                              struct tile_grid grid, unsigned &copied_tile)
{
    if (copies.k < copies.end)
        return;
    copied_tile += gridDim.x;
    if (copied_tile < grid.rows * grid.columns)
        begin_tile(copies, call, grid, copied_tile);
}

/* Better: a tile's first stages are copied during the last MMAs of the previous tile. Blocks that
 * run at the same time share 8 rows of tiles. Still bad: a C of few tiles leaves SMs idle. */
template <typename T>
static __global__ void __launch_bounds__(T::THREADS, 1)
    persistent_tiles(const struct gemm call, const struct tile_grid grid)
{
    extern __shared__ __align__(128) uint16_t stages[];
    const struct warp_coord warp = coord_in_tile<T>();
    const unsigned tiles = grid.rows * grid.columns;
    struct ring ring = ring_in(stages);
    struct fragments<T> of[2];
    struct copies<T> copies;
    unsigned copied_tile = blockIdx.x;

    begin_tile(copies, call, grid, copied_tile);
    for (unsigned ahead = 0; ahead < T::STAGES - 1; ahead++) {
        copies.start(call, stages + ahead * T::STAGE_ELEMENTS);
        follow(copies, call, grid, copied_tile);
    }
    if (call.k > 0)
        begin_ring<T>(of[0], ring, warp.lane);
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const struct tile_of_c at = tile_in_order(tile, grid.rows, grid.columns, GROUP);
        float sum[ROWS_A][T::COLUMNS_B][4] = {};

        for (size_t k = 0; k < call.k; follow(copies, call, grid, copied_tile)) {
            if (copies.whole_stages() > 0) {
                k = multiply_whole_stages(sum, of, call, copies, ring, warp.lane, k, call.k);
                continue;
            }
            k += T::K;
            multiply_stage_ahead<false>(sum, of, call, copies, ring, warp.lane,
                                        k < call.k || tile + gridDim.x < tiles);
        }
        store_warp(call, (size_t)at.row * T::M + warp.row, (size_t)at.column * T::N + warp.column,
                   sum);
    }
}

template <typename T>
static void launch(const struct gemm *call)
{
    const struct tile_grid grid = {(unsigned)((call->m + T::M - 1) / T::M),
                                   (unsigned)((call->n + T::N - 1) / T::N)};
    const unsigned blocks = min((unsigned)call->multiprocessors, grid.rows * grid.columns);

    cudaFuncSetAttribute(persistent_tiles<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         T::SHARED_BYTES);
    if (blocks > 0)
        persistent_tiles<T><<<blocks, T::THREADS, T::SHARED_BYTES>>>(*call, grid);
}

extern "C" void launch_persistent_tiles(const struct gemm *call)
{
    if (has_three_stages())
        launch<tile_of_three_stages>(call);
    else
        launch<tile_of_two_stages>(call);
}
/* SPDX-License-Identifier: MIT */
