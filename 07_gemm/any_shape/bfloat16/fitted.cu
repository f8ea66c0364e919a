/* Step 07, bfloat16: tiles as high as C needs. wgmma has 64 rows, always; its columns may be any
 * multiple of 8. So it computes C transposed here: its rows are 64 columns of B, and its columns
 * the rows of A.
 *
 * Better: 300 rows are four tiles of 80, where three of 128 would multiply 84 rows of zeros. Pairs
 * of blocks share B's tiles, as in the rung `multicast`.
 * Still bad: low tiles bring more bytes for a product than high ones. */
#include "any_shape/bfloat16/launch.cuh"
#include "any_shape/bfloat16/plan.h"

/* 128 columns, 64 for each of the two warpgroups, and a multiple of 8 rows. C must be such that the
 * TMA can store it. */
template <unsigned TILE_ROWS, unsigned CLUSTER_BLOCKS>
struct fitted {
    typedef every_nth<fitted> scheduler;
    static const unsigned TILE_M = TILE_ROWS, TILE_N = 128, CLUSTER = CLUSTER_BLOCKS;
    static const unsigned GROUP = 8 / CLUSTER, SUMS = TILE_M / 2;

    /* A consumer's buffer: its columns of C. */
    static const unsigned BUFFERS = 1, BUFFER_ROWS = TILE_M, BUFFER_BYTES = TILE_M * ROW_BYTES;

    static const unsigned MOST_BYTES = (227 << 10) - 512; /* without the barriers */
    static const unsigned STAGES =
        (MOST_BYTES - 2 * BUFFER_BYTES) / ((TILE_M + TILE_N) * ROW_BYTES);
    typedef ::tma_ring<TILE_M, TILE_N, STAGES> ring;
    static const unsigned SHARED_BYTES = STAGES * ring::STAGE_BYTES + 2 * BUFFER_BYTES;

    static __device__ void multiply(float (&sum)[SUMS], const ring &tiles, unsigned warpgroup)
    {
        multiply_transposed(sum, tiles.b() + warpgroup * PANEL_BYTES, tiles.a());
    }

    /* The thread's first column, and its first row: sum[4 j] is in row 8 j after it, sum[4 j + 1]
     * in the next one, the other two 8 columns further. */
    static __device__ size_t column_of(const struct work_tile &tile, unsigned warpgroup)
    {
        return tile.column + warpgroup * 64 + threadIdx.x % WARPGROUP / 32 * 16 +
               threadIdx.x % 32 / 4;
    }
    static __device__ size_t row_of(const struct work_tile &tile)
    {
        return tile.row + threadIdx.x % 4 * 2;
    }

    /* stmatrix writes two 8 x 8 tiles, transposed, to the addresses that the TMA expects in
     * swizzled rows. */
    template <bool BLENDS>
    static __device__ void fill_buffer(const struct gemm &call, unsigned char *buffer,
                                       const struct work_tile &tile, unsigned warpgroup,
                                       const float (&sum)[SUMS])
    {
        const unsigned lane = threadIdx.x % 32;
        const unsigned chunk = (threadIdx.x % WARPGROUP / 32 * 2 + lane / 8 % 2) ^ lane % 8;
        const size_t row = row_of(tile), column = column_of(tile, warpgroup);
        unsigned char *const to = buffer + lane % 8 * ROW_BYTES + chunk * 16;

#pragma unroll
        for (unsigned j = 0; j < TILE_M / 8; j++) {
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

        wait_for_buffer<0>(is_first); /* the tile before's */
        if (call.beta == 0)
            fill_buffer<false>(call, buffer, tile, warpgroup, sum);
        else
            fill_buffer<true>(call, buffer, tile, warpgroup, sum);
        store_buffer(is_first, c, tile.row, tile.column + warpgroup * 64, buffer);
    }
};

#define KERNELS(rows)                                                                              \
    typedef fitted<rows, 1> single_##rows;                                                         \
    typedef fitted<rows, 2> pair_##rows;                                                           \
    PERSISTENT_KERNEL(fitted_##rows, single_##rows)                                                \
    PERSISTENT_KERNEL(fitted_pair_##rows, pair_##rows)

KERNELS(80)
KERNELS(96)
KERNELS(104)
KERNELS(128)
KERNELS(160)

/* If the plan has tiles of so many rows. */
#define LAUNCH_IF(height)                                                                          \
    if (plan->rows == height && plan->pairs)                                                       \
        LAUNCH_PREPARED(fitted_pair_##height, pair_##height, call, 1, NULL);                       \
    else if (plan->rows == height)                                                                 \
    LAUNCH_PREPARED(fitted_##height, single_##height, call, 1, NULL)

extern "C" void launch_fitted_tiles(const struct gemm *call, const struct bf16_plan *plan)
{
    LAUNCH_IF(80);
    LAUNCH_IF(96);
    LAUNCH_IF(104);
    LAUNCH_IF(128);
    LAUNCH_IF(160);
}

/* SPDX-License-Identifier: MIT */
