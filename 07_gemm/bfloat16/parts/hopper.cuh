/* Shared by step 07's rungs for bfloat16 on Hopper (sm_90a): tiles that the TMA loads and wgmma
 * multiplies.
 *
 * A k-step has 64 terms, or 128 bytes, which is the width of the swizzle. A's tile is [row][term].
 * B's rows run along n, so its tile consists of panels of 64 columns, [term][column]. */
#ifndef RUNGS_07_BF16_HOPPER_CUH
#define RUNGS_07_BF16_HOPPER_CUH

#include "kernel/tma.cuh"
#include "kernel/wgmma.cuh"
#include "problem/gemm/gemm.h"

static const unsigned STEP_K = 64, PANEL = 64, PANEL_BYTES = STEP_K * ROW_BYTES;

static inline bool tma_can_load(const struct gemm *call)
{
    return call->k > 0 && can_be_mapped(call->a, call->m, call->k, call->lda, sizeof(uint16_t)) &&
           can_be_mapped(call->b, call->k, call->n, call->ldb, sizeof(uint16_t));
}

/* L2 fetches 256 bytes at a time from DRAM. Rows that are already in L2 load faster with 128 (by up
 * to 14% on an H200), unless each row starts at a multiple of 128 bytes. */
static inline CUtensorMap map_bf16(const uint16_t *elements, size_t rows, size_t columns,
                                   size_t leading, unsigned tile_rows)
{
    const struct mapped_matrix matrix = {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                                         sizeof(uint16_t),
                                         elements,
                                         rows,
                                         columns,
                                         leading,
                                         tile_rows,
                                         PANEL};
    const bool in_l2 = rows * leading < 20000000, in_lines = leading % 64 == 0;
    return map_matrix(&matrix, CU_TENSOR_MAP_SWIZZLE_128B,
                      in_l2 && !in_lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                                         : CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
}

/* Tensor maps of A, B and C. A box of A or C has tile_rows rows; a box of B is a panel. */
static inline CUtensorMap map_a(const struct gemm *call, unsigned tile_rows)
{
    return map_bf16(call->a_bf16, call->m, call->k, call->lda, tile_rows);
}

/* The rows of the last tile of a column that are inside C, if C has rows. */
static inline unsigned rows_of_last_tile(const struct gemm *call, unsigned tile_rows)
{
    return (unsigned)((call->m - 1) % tile_rows) + 1;
}

static inline CUtensorMap map_b(const struct gemm *call)
{
    return map_bf16(call->b_bf16, call->k, call->n, call->ldb, STEP_K);
}

static inline CUtensorMap map_c(const struct gemm *call, unsigned tile_rows)
{
    return map_bf16(call->c_bf16, call->m, call->n, call->ldc, tile_rows);
}

static inline unsigned steps_along_k(const struct gemm *call)
{
    return (unsigned)((call->k + STEP_K - 1) / STEP_K);
}

/* Starts the MMAs of a k-step: 64 rows of A's tile times all columns of B's. They add to the
 * accumulators, which begin at 0. (The first MMA could overwrite them, but then nvcc 12.4 makes
 * each wgmma wait for the previous one.) */
template <unsigned SUMS>
static __device__ void multiply_step(float (&sum)[SUMS], const unsigned char *tile_a,
                                     const unsigned char *tile_b)
{
    const unsigned terms = 16; /* per wgmma: 32 bytes of a row of A, 16 rows of B */
    const uint64_t a = wgmma_tile(tile_a, 0), b = wgmma_tile(tile_b, PANEL_BYTES);

    wgmma_start();
#pragma unroll
    for (unsigned i = 0; i < STEP_K / terms; i++)
        multiply_bf16(sum, wgmma_further(a, i * terms * sizeof(uint16_t)),
                      wgmma_further(b, i * terms * ROW_BYTES), true);
    wgmma_commit();
}

/* The same for C transposed: the 64 rows of wgmma are the columns of a panel of B, and its columns
 * are all rows of A's tile. */
template <unsigned SUMS>
static __device__ void multiply_transposed(float (&sum)[SUMS], const unsigned char *panel_of_b,
                                           const unsigned char *tile_a)
{
    const unsigned terms = 16;
    const uint64_t a = wgmma_tile(tile_a, 0), b = wgmma_tile(panel_of_b, PANEL_BYTES);

    wgmma_start();
#pragma unroll
    for (unsigned i = 0; i < STEP_K / terms; i++)
        multiply_bf16<true>(sum, wgmma_further(b, i * terms * ROW_BYTES),
                            wgmma_further(a, i * terms * sizeof(uint16_t)), true);
    wgmma_commit();
}

/* Starts the copies of a k-step's tiles to the current stage. One thread per block calls it. */
template <unsigned TILE_M, unsigned TILE_N, unsigned STAGES>
static __device__ void bring_tiles(const tma_ring<TILE_M, TILE_N, STAGES> &ring,
                                   const CUtensorMap *a, const CUtensorMap *b, size_t row,
                                   size_t column, size_t term)
{
    phase_barrier *const full = &ring.full[ring.stage];

    barrier_arrive_expecting(full, ring.STAGE_BYTES);
    copy_tile(ring.a(), a, row, term, full);
#pragma unroll
    for (unsigned panel = 0; panel < TILE_N / PANEL; panel++)
        copy_tile(ring.b() + panel * PANEL_BYTES, b, term, column + panel * PANEL, full);
}

#endif
/* SPDX-License-Identifier: MIT */
