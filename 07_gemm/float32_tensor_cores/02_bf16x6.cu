/* Step 07: each float32 product is computed as six products of bfloat16.
 *
 * The 24 bits of a float fit in three bfloat16 numbers of 8 bits: high, middle and low. There is no
 * rest. The six largest of their nine products are the product except for about 2^-24. Tensor cores
 * compute six bfloat16 products in the time of three TF32 products.
 *
 * Better: wgmma can transpose 16-bit elements, so B is not transposed and its tiles are smaller.
 * The threads that multiply split A as they load it from shared memory to registers, where wgmma
 * reads it. Still bad: a kernel first splits B in global memory. Infinities, and floats that round
 * up to infinity, become NaN. Below about 2^-110, low is subnormal and has fewer bits, or none. */
#include <cuda_bf16.h>

#include "parts/workspace.h"
#include "rungs.h"
#include "tf32/parts/floats.cuh"

static const unsigned PARTS = 3, TILE_M = 128, TILE_N = 128, STAGES = 5;
static const unsigned PANEL = 64, PANEL_BYTES = STEP_K * ROW_BYTES; /* 64 columns of a part of B */
static const unsigned PART_BYTES = TILE_N / PANEL * PANEL_BYTES;

/* A's tile has rows of 32 floats. B's has panels, with the bytes of 192 rows of 128 bytes. */
typedef tma_ring<TILE_M, PARTS * PART_BYTES / ROW_BYTES, STAGES> tile_ring;
static const unsigned SHARED_BYTES = STAGES * tile_ring::STAGE_BYTES;

/* ---- operands -------------------------------------------------------------------------------- */

/* Returns two neighbours as bfloat16, the first in the lower half. Their rests stay in x. */
static __device__ unsigned take_pair(float2 &x)
{
    const __nv_bfloat162 pair = __floats2bfloat162_rn(x.x, x.y);
    const unsigned bits = *(const unsigned *)&pair;

    x.x -= __uint_as_float(bits << 16);
    x.y -= __uint_as_float(bits & 0xFFFF0000);
    return bits;
}

/* Stores B's parts below each other: `rows` rows of `leading` elements each, 0 outside B. */
static __global__ void __launch_bounds__(256)
    split_b(const struct gemm call, unsigned *to, const size_t rows, const size_t leading)
{
    const size_t pairs = leading / 2, pair = (size_t)blockIdx.x * 256 + threadIdx.x;
    const size_t row = pair / pairs, column = pair % pairs * 2;

    if (row >= rows)
        return;
    float2 x = make_float2(load(call.b, call.ldb, call.k, call.n, row, column),
                           load(call.b, call.ldb, call.k, call.n, row, column + 1));
#pragma unroll
    for (unsigned part = 0; part < PARTS; part++)
        to[part * rows * pairs + pair] = take_pair(x);
}

/* A thread's elements of 64 rows and 16 terms of A. */
struct fragment {
    unsigned part[PARTS][4];
};

/* The row of C, among the warpgroup's 64, of the thread's first sums. Each group of eight rows is
 * permuted. The banks serve the lanes of four rows at a time; in the order of row_in_fragment, two
 * of the four would be in the same banks. */
static __device__ unsigned row_of_thread()
{
    const unsigned row = row_in_fragment();
    return (row & ~7U) | row % 8 / 4 | (row & 2) | row % 2 * 4;
}

/* The tile's rows have 32 floats. The TMA has swizzled the 16-byte chunks of each row. */
static __device__ void load_fragment(struct fragment &a, const unsigned char *tile,
                                     unsigned first_term)
{
    const unsigned row = row_of_thread();

#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        const unsigned term = first_term + i / 2 * 8 + threadIdx.x % 4 * 2;
        const unsigned chunk = term / 4 ^ row % 8;
        float2 x = *(const float2 *)(tile + (row + i % 2 * 8) * ROW_BYTES + chunk * 16 +
                                     term % 4 * sizeof(float));
#pragma unroll
        for (unsigned part = 0; part < PARTS; part++)
            a.part[part][i] = take_pair(x);
    }
}

static __device__ void copy_tiles(const tile_ring &ring, const CUtensorMap *a, const CUtensorMap *b,
                                  const struct tile_coord &tile, size_t term, size_t rows_of_b,
                                  phase_barrier *full)
{
    copy_tile(ring.a(), a, tile.row, term, full);
#pragma unroll
    for (unsigned part = 0; part < PARTS; part++)
#pragma unroll
        for (unsigned panel = 0; panel < TILE_N / PANEL; panel++)
            copy_tile(ring.b() + part * PART_BYTES + panel * PANEL_BYTES, b,
                      part * rows_of_b + term, tile.column + panel * PANEL, full);
}

/* ---- products -------------------------------------------------------------------------------- */

/* Starts the MMAs of a k-step, small products first, because tensor cores truncate what is small
 * beside the sum. MMAs with the same part of A follow each other, because switching to other
 * registers takes time. */
static __device__ void multiply_step(float (&sum)[TILE_N / 2],
                                     const struct fragment (&a)[STEP_K / 16],
                                     const unsigned char *b)
{
    const unsigned terms = 16;
    bool add = false;

    wgmma_start();
#pragma unroll
    for (unsigned i = 0; i < STEP_K / terms; i++)
#pragma unroll
        for (unsigned of_a = PARTS; of_a-- > 0;)
#pragma unroll
            for (unsigned of_b = PARTS - of_a; of_b-- > (of_a == 0 ? 1 : 0); add = true)
                multiply_bf16(
                    sum, a[i].part[of_a],
                    wgmma_tile(b + of_b * PART_BYTES + i * terms * ROW_BYTES, PANEL_BYTES), add);
#pragma unroll
    for (unsigned i = STEP_K / terms; i-- > 0;)
        multiply_bf16(sum, a[i].part[0], wgmma_tile(b + i * terms * ROW_BYTES, PANEL_BYTES), true);
    wgmma_commit();
}

/* As in tensor_3xtf32, the tensor cores' sums have only the terms of one k-step. */
static __device__ void sum_in_threads(tile_ring &ring, unsigned steps, float (&sum)[TILE_N / 2])
{
    const unsigned first_row = threadIdx.x / WARPGROUP * 64;
    float part[TILE_N / 2];
    struct fragment a[STEP_K / 16];

#pragma unroll
    for (unsigned i = 0; i < TILE_N / 2; i++)
        sum[i] = 0;
    for (unsigned step = 0; step < steps; step++, ring.advance()) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
#pragma unroll
        for (unsigned i = 0; i < STEP_K / 16; i++)
            load_fragment(a[i], ring.a() + first_row * ROW_BYTES, i * 16);
        multiply_step(part, a, ring.b());
        wgmma_finish(part);
        release(&ring.free[ring.stage]);
#pragma unroll
        for (unsigned i = 0; i < TILE_N / 2; i++)
            sum[i] += part[i];
    }
}

static __global__ void __launch_bounds__(THREADS, 1)
    tensor_bf16x6(const struct gemm call, const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, const struct tile_work work,
                  const size_t rows_of_b)
{
    divide_work<tile_ring>(
        work,
        [&](const tile_ring &ring, const struct tile_coord &tile, size_t term,
            phase_barrier *full) { copy_tiles(ring, &a, &b, tile, term, rows_of_b, full); },
        [&](tile_ring &ring, const struct tile_coord &tile) {
            float sum[TILE_N / 2];
            sum_in_threads(ring, work.steps, sum);
            store_floats(call, tile.row + threadIdx.x / WARPGROUP * 64 + row_of_thread(),
                         tile.column, sum);
        });
}

/* ---- launch ---------------------------------------------------------------------------------- */

/* The rows of a part of B: whole k-steps, so that a tile ends where the part does. */
static size_t rows_of_part(const struct gemm *call)
{
    return (call->k + STEP_K - 1) / STEP_K * STEP_K;
}

static size_t columns_of_part(const struct gemm *call)
{
    return aligned_pitch(call->n, sizeof(uint16_t));
}

/* In floats, each of which has room for two elements. */
static size_t room_for_b(const struct gemm *call)
{
    return PARTS * rows_of_part(call) * columns_of_part(call) / 2;
}

static float *room_for_operands(const struct gemm *call)
{
    return workspace_copy(room_for_b(call) + call->m * aligned_floats(call->k));
}

extern "C" void prepare_tensor_bf16x6(const struct gemm *call)
{
    room_for_operands(call);
}

/* Errors in units of 2^-24, relative to the products' magnitudes:
 *   - 2 for middle x low and low x middle, which are left out;
 *   - per k-step, 2 instructions for high x high, each with four steps of the tensor cores
 *     (gemm_depth_tensor), whose errors are relative to the k-step's own terms; and 10 for products
 *     that are smaller by 2^-7, 4 altogether;
 *   - one addition per k-step. */
extern "C" double depth_tensor_bf16x6(const struct gemm *call)
{
    return 2 + 2 * 4 * 12 + 4 + (double)((call->k + STEP_K - 1) / STEP_K);
}

extern "C" void launch_tensor_bf16x6(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    const size_t rows = rows_of_part(call), columns = columns_of_part(call);
    const struct tile_work work = work_of(call, TILE_M, TILE_N);
    float *const room = room_for_operands(call);
    struct gemm aligned = *call;

    if (!can_be_mapped(call->a, call->m, call->k, call->lda, sizeof(float)))
        aligned.a = copy_to_aligned_rows(call, call->a, &aligned.lda, call->m, call->k,
                                         room + room_for_b(call));
    split_b<<<(unsigned)((rows * columns / 2 + 255) / 256), 256>>>(*call, (unsigned *)room, rows,
                                                                   columns);
    const struct mapped_matrix parts_of_b = {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                                             sizeof(uint16_t),
                                             room,
                                             PARTS * rows,
                                             columns,
                                             columns,
                                             STEP_K,
                                             PANEL};
    cudaFuncSetAttribute(tensor_bf16x6, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)SHARED_BYTES);
    tensor_bf16x6<<<blocks_for(call, work), THREADS, SHARED_BYTES>>>(
        *call,
        map_floats(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, aligned.a, call->m, call->k, aligned.lda,
                   TILE_M),
        map_matrix(&parts_of_b), work, rows);
}
/* SPDX-License-Identifier: MIT */
