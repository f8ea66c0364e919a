/* Step 07, bfloat16: tiles with as many rows as C needs. wgmma always has 64 rows, but any multiple
 * of 8 columns. So it computes C transposed: its rows are 64 columns of B, its columns rows of A.
 *
 * Better: a small C has many tiles, and each loads few bytes; 300 rows are three tiles of 104.
 * Clusters share tiles of A and of B, as in the rung `multicast`. If two warpgroups take turns, one
 * stores a tile while the other multiplies the next.
 * Still bad: small tiles load more bytes per MMA than large ones. */
#include "any_shape/bfloat16/launch.cuh"

/* A tile has TILE_ROWS rows, a multiple of 8, and one to three panels of 64 columns. A warpgroup
 * computes one panel. If two take turns, each computes all panels of its tile (TURNS). Without
 * turns, two share three panels by rows, half each (HALVES). The TMA must be able to store C. */
template <unsigned TILE_ROWS, unsigned TILE_PANELS, bool TAKE_TURNS, bool IN_CLUSTERS>
struct fitted {
    typedef every_nth<fitted> scheduler;
    static const bool TURNS = TAKE_TURNS, CLUSTERS = IN_CLUSTERS;
    static const bool HALVES = !TURNS && TILE_PANELS > 2, ALL = TURNS || HALVES;
    static const unsigned WARPGROUPS = ALL ? 2 : TILE_PANELS, PANELS = ALL ? TILE_PANELS : 1;
    static const unsigned TILE_M = TILE_ROWS, TILE_N = TILE_PANELS * PANEL;
    static const unsigned ROWS = HALVES ? TILE_M / 2 : TILE_M; /* per warpgroup */
    static const unsigned GROUP = 8, OF_PANEL = ROWS / 2;
    static const unsigned SUMS = PANELS * OF_PANEL;

    /* A warpgroup's buffer: its rows of one panel of C. */
    static const unsigned BUFFERS = 1, BUFFER_ROWS = ROWS, BUFFER_BYTES = ROWS * ROW_BYTES;

    /* As many stages as fit, but at most 12, because creating their barriers takes long. */
    static const unsigned BUFFERS_BYTES = WARPGROUPS * BUFFER_BYTES, MOST_BYTES = (227 << 10) - 512;
    static const unsigned FIT = (MOST_BYTES - BUFFERS_BYTES) / ((TILE_M + TILE_N) * ROW_BYTES);
    static const unsigned STAGES = FIT < 12 ? FIT : 12;
    typedef ::tma_ring<TILE_M, TILE_N, STAGES> ring;
    static const unsigned SHARED_BYTES = STAGES * ring::STAGE_BYTES + BUFFERS_BYTES;

    static __device__ void multiply(float (&sum)[SUMS], const ring &tiles, unsigned warpgroup)
    {
#pragma unroll
        for (unsigned i = 0; i < PANELS; i++)
            multiply_transposed(*(float(*)[OF_PANEL])(sum + i * OF_PANEL),
                                tiles.b() + (ALL ? i : warpgroup) * PANEL_BYTES,
                                tiles.a() + (HALVES ? warpgroup * ROWS : 0) * ROW_BYTES);
    }

    /* stmatrix transposes two 8 x 8 tiles, and writes them to swizzled rows, as the TMA expects.
     * Counted from the thread's first row and column, sum[4 j] is in row 8 j, and sum[4 j + 1] in
     * the next row. The other two are 8 columns to the right. */
    template <bool BLENDS>
    static __device__ void fill_buffer(const struct gemm &call, unsigned char *buffer,
                                       const struct work_tile &tile, unsigned first_row,
                                       unsigned panel, const float *sum)
    {
        const unsigned lane = threadIdx.x % 32;
        const unsigned chunk = (threadIdx.x % WARPGROUP / 32 * 2 + lane / 8 % 2) ^ lane % 8;
        const size_t row = tile.row + first_row + lane % 4 * 2;
        const size_t column =
            tile.column + panel * 64 + threadIdx.x % WARPGROUP / 32 * 16 + lane / 4;
        unsigned char *const to = buffer + lane % 8 * ROW_BYTES + chunk * 16;

#pragma unroll
        for (unsigned j = 0; j < ROWS / 8; j++) {
            unsigned pairs[2];
#pragma unroll
            for (unsigned i = 0; i < 2; i++) {
                const float *const two = sum + j * 4 + i * 2;
                const size_t to_row = row + j * 8, to_column = column + i * 8;
                float first = call.alpha * two[0], second = call.alpha * two[1];
                if (BLENDS && to_row < call.m && to_column < call.n)
                    first = blend_bf16(call, to_row, to_column, two[0]);
                if (BLENDS && to_row + 1 < call.m && to_column < call.n)
                    second = blend_bf16(call, to_row + 1, to_column, two[1]);
                pairs[i] = bf16_pair(first, second);
            }
            asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
                             shared_address(to + j * 8 * ROW_BYTES)),
                         "r"(pairs[0]), "r"(pairs[1])
                         : "memory");
        }
    }

    static __device__ void store(const struct gemm &call, const CUtensorMap *c,
                                 const struct bf16_work &, unsigned char *buffer,
                                 const struct work_tile &tile, unsigned warpgroup,
                                 const float (&sum)[SUMS])
    {
        const bool is_first = threadIdx.x % WARPGROUP == 0;

#pragma unroll
        for (unsigned i = 0; i < PANELS; i++) {
            const unsigned panel = ALL ? i : warpgroup, row = HALVES ? warpgroup * ROWS : 0;
            wait_for_buffer<0>(is_first); /* of the previous panel */
            if (call.beta == 0)
                fill_buffer<false>(call, buffer, tile, row, panel, sum + i * OF_PANEL);
            else
                fill_buffer<true>(call, buffer, tile, row, panel, sum + i * OF_PANEL);
            store_buffer(is_first, c, tile.row + row, tile.column + panel * 64, buffer);
        }
    }
};

#define NAME(of, rows, panels, turns, clusters) of##_##rows##_##panels##_##turns##_##clusters

#define DEFINE(...)                                                                                \
    typedef fitted<__VA_ARGS__> NAME(tile, __VA_ARGS__);                                           \
    PERSISTENT_KERNEL(NAME(fitted, __VA_ARGS__), NAME(tile, __VA_ARGS__))
#define DEFINE_TWO(...) DEFINE(__VA_ARGS__, false) DEFINE(__VA_ARGS__, true)

BF16_FITTED_TILES(DEFINE_TWO)

/* Launches this kernel if the plan has its tile. */
#define LAUNCH_IF(tile_rows, panels, takes_turns)                                                  \
    if (plan->rows == tile_rows && plan->columns == panels * PANEL && plan->turns == takes_turns)  \
        plan->down * plan->across > 1 ? LAUNCH(tile_rows, panels, takes_turns, true)               \
                                      : LAUNCH(tile_rows, panels, takes_turns, false);
#define LAUNCH(...) launch_prepared<NAME(tile, __VA_ARGS__)>(NAME(fitted, __VA_ARGS__), call, plan)

extern "C" void launch_fitted_tiles(const struct gemm *call, const struct bf16_plan *plan)
{
    BF16_FITTED_TILES(LAUNCH_IF)
}
/* SPDX-License-Identifier: MIT */
