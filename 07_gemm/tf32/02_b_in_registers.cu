/* Step 07, TF32: two rungs that need no transposed copy in memory.
 *
 * They compute the transpose of C, so the rows of wgmma's product are columns of B. wgmma's first
 * operand can come from registers, and a thread can load its part of B from anywhere in a tile. The
 * second operand is A, whose rows already run along k. */
#include "parts/workspace.h"
#include "rungs.h"
#include "tf32/parts/floats.cuh"

static const unsigned TILE_M = 256, TILE_N = 128, STAGES = 4;
static const unsigned PANEL = 32, PANEL_BYTES = STEP_K * ROW_BYTES; /* 32 columns of B */
static const unsigned BUFFER_ROWS = 64, BUFFER_BYTES = BUFFER_ROWS * ROW_BYTES; /* of C's tile */

typedef tma_ring<TILE_M, TILE_N, STAGES> tile_ring;

/* If the TMA stores C, each warpgroup has two buffers behind the ring, of 32 columns each. */
static const unsigned BUFFERS = 2;
template <bool STORES_BY_TMA>
static const unsigned shared_bytes = STAGES *tile_ring::STAGE_BYTES +
                                     (STORES_BY_TMA ? 2 * BUFFERS * BUFFER_BYTES : 0);

/* ---- products -------------------------------------------------------------------------------- */

/* The first of the thread's two columns of B and C, among the warpgroup's 64. The other is 4
 * columns further on. wgmma accepts any order of columns, because C's are stored in the same order.
 * In this order, the lanes of a warp load from different banks: chunks c and c + 4, of four rows r
 * with different r % 4, are at eight positions c ^ r % 8. */
static __device__ unsigned column_of_thread()
{
    const unsigned thread = threadIdx.x % WARPGROUP, row = thread % 32 / 4;
    return thread / 64 * PANEL + thread / 32 % 2 * 8 + row / 4 * 16 + row % 4;
}

typedef float fragment[4];

/* B's tile has one panel per 32 columns. The rows of a panel have 128 bytes. */
static __device__ void load_fragments(fragment (&b)[STEP_K / 8], const unsigned char *tile)
{
    const unsigned column = column_of_thread();
    const unsigned char *const panel = tile + column / PANEL * PANEL_BYTES;

#pragma unroll
    for (unsigned i = 0; i < STEP_K / 8; i++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++) {
            const unsigned term = i * 8 + j / 2 * 4 + threadIdx.x % 4;
            const unsigned chunk = (column % PANEL / 4 + j % 2) ^ term % 8;
            b[i][j] = *(const float *)(panel + term * ROW_BYTES + chunk * 16 +
                                       column % 4 * sizeof(float));
        }
}

/* Makes these registers keep their values up to here, because an MMA in flight reads them. */
static __device__ void keep(fragment (&b)[STEP_K / 8])
{
#pragma unroll
    for (unsigned i = 0; i < STEP_K / 8; i++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            asm volatile("" ::"f"(b[i][j]) : "memory");
}

/* Starts the MMAs of a k-step, then waits for those of the previous k-step. */
static __device__ void do_step(tile_ring &ring, float (&sum)[TILE_M / 2], fragment (&b)[STEP_K / 8],
                               fragment (&before)[STEP_K / 8], bool is_first)
{
    barrier_wait(&ring.full[ring.stage], ring.parity);
    load_fragments(b, ring.b() + threadIdx.x / WARPGROUP * (64 / PANEL) * PANEL_BYTES);
    wgmma_start();
#pragma unroll
    for (unsigned i = 0; i < STEP_K / 8; i++)
        multiply_tf32(sum, b[i], wgmma_tile(ring.a() + i * 32, 0), true);
    wgmma_commit();
    wgmma_wait<1>();
    keep(before);
    if (!is_first)
        release(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
    ring.advance();
}

/* The number of steps is even. */
static __device__ void sum_tile(tile_ring &ring, unsigned steps, float (&sum)[TILE_M / 2])
{
    fragment even[STEP_K / 8], odd[STEP_K / 8] = {};

    for (unsigned step = 0; step < steps; step += 2) {
        do_step(ring, sum, even, odd, step == 0);
        do_step(ring, sum, odd, even, false);
    }
    wgmma_finish(sum);
    release(&ring.free[(ring.stage + STAGES - 1) % STAGES]);
}

/* ---- stores ---------------------------------------------------------------------------------- */

static __device__ void store_transposed(const struct gemm &call, size_t row, size_t column,
                                        const float (&sum)[TILE_M / 2])
{
    row += threadIdx.x % 4 * 2;
    column += column_of_thread();
#pragma unroll
    for (unsigned i = 0; i < TILE_M / 2; i++)
        store(call, row + i / 4 * 8 + i % 2, column + i / 2 % 2 * 4, sum[i]);
}

/* Stores 64 rows at a time, from one swizzled buffer per 32 columns. The TMA stores the last rows
 * while the next tile's MMAs run. */
static __device__ void store_by_tma(const struct gemm &call, const CUtensorMap *c,
                                    unsigned char *buffers, const struct tile_coord &tile,
                                    const float (&sum)[TILE_M / 2])
{
    const unsigned column = column_of_thread(), first_row = threadIdx.x % 4 * 2;
    const bool is_first = threadIdx.x % WARPGROUP == 0;

#pragma unroll
    for (unsigned part = 0; part < TILE_M / BUFFER_ROWS; part++) {
        const size_t part_row = tile.row + part * BUFFER_ROWS;
        if (is_first)
            store_wait_read<0>();
        warpgroup_barrier();
#pragma unroll
        for (unsigned i = 0; i < BUFFER_ROWS / 2; i++) {
            const unsigned row = first_row + i / 4 * 8 + i % 2;
            const unsigned chunk = (column % PANEL / 4 + i / 2 % 2) ^ row % 8;
            const size_t to_row = part_row + row, to_column = tile.column + column + i / 2 % 2 * 4;
            float value = call.alpha * sum[part * (BUFFER_ROWS / 2) + i];
            if (call.beta != 0 && to_row < call.m && to_column < call.n)
                value += call.beta * call.c[to_row * call.ldc + to_column];
            *(float *)(buffers + column / PANEL * BUFFER_BYTES + row * ROW_BYTES + chunk * 16 +
                       column % 4 * sizeof(float)) = value;
        }
        before_async_reads();
        warpgroup_barrier();
        if (is_first) {
#pragma unroll
            for (unsigned panel = 0; panel < 64 / PANEL; panel++)
                store_tile(c, part_row, tile.column + panel * PANEL,
                           buffers + panel * BUFFER_BYTES);
            store_commit();
        }
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

template <bool STORES_BY_TMA>
static __global__ void __launch_bounds__(THREADS, 1)
    tf32_registers(const struct gemm call, const __grid_constant__ CUtensorMap a,
                   const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c,
                   const bool c_is_mapped, const struct tile_work work)
{
    const unsigned warpgroup = threadIdx.x / WARPGROUP;

    divide_work<tile_ring>(
        work,
        [&](const tile_ring &ring, const struct tile_coord &tile, size_t term,
            phase_barrier *full) {
            copy_tile(ring.a(), &a, tile.row, term, full);
#pragma unroll
            for (unsigned panel = 0; panel < TILE_N / PANEL; panel++)
                copy_tile(ring.b() + panel * PANEL_BYTES, &b, term, tile.column + panel * PANEL,
                          full);
        },
        [&](tile_ring &ring, struct tile_coord tile) {
            float sum[TILE_M / 2] = {};
            sum_tile(ring, work.steps, sum);
            tile.column += warpgroup * 64;
            if (STORES_BY_TMA && c_is_mapped)
                store_by_tma(call, &c,
                             ring.tiles + STAGES * ring.STAGE_BYTES +
                                 warpgroup * BUFFERS * BUFFER_BYTES,
                             tile, sum);
            else
                store_transposed(call, tile.row, tile.column, sum);
        });
    if (STORES_BY_TMA && threadIdx.x < CONSUMERS && threadIdx.x % WARPGROUP == 0)
        store_wait();
}

static float *room_for_operands(const struct gemm *call)
{
    return workspace_copy(call->m * aligned_floats(call->k) + call->k * aligned_floats(call->n));
}

extern "C" void prepare_tf32_registers(const struct gemm *call)
{
    room_for_operands(call);
}

template <bool STORES_BY_TMA>
static void launch_tf32_registers(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    const unsigned bytes = shared_bytes<STORES_BY_TMA>;
    struct tile_work work = work_of(call, TILE_M, TILE_N);
    float *const room = room_for_operands(call);
    struct gemm aligned = *call;
    const bool c_is_mapped = can_be_stored(call->c, call->m, call->n, call->ldc, sizeof(float));

    work.steps += work.steps % 2; /* the TMA loads zeros outside A and B */
    if (!can_be_mapped(call->a, call->m, call->k, call->lda, sizeof(float)))
        aligned.a = copy_to_aligned_rows(call, call->a, &aligned.lda, call->m, call->k, room);
    if (!can_be_mapped(call->b, call->k, call->n, call->ldb, sizeof(float)))
        aligned.b = copy_to_aligned_rows(call, call->b, &aligned.ldb, call->k, call->n,
                                         room + call->m * aligned_floats(call->k));
    cudaFuncSetAttribute(tf32_registers<STORES_BY_TMA>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)bytes);
    tf32_registers<STORES_BY_TMA><<<blocks_for(call, work), THREADS, bytes>>>(
        *call,
        map_floats(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, aligned.a, call->m, call->k, aligned.lda,
                   TILE_M),
        map_floats(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, aligned.b, call->k, call->n, aligned.ldb,
                   STEP_K),
        c_is_mapped ? map_floats(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, call->c, call->m, call->n,
                                 call->ldc, BUFFER_ROWS)
                    : CUtensorMap{},
        c_is_mapped, work);
}

/* Better: there is no transposed copy. Still bad: a thread's sums belong to different rows, so it
 * stores single floats while the tensor cores wait. */
extern "C" void launch_b_in_registers(const struct gemm *call)
{
    launch_tf32_registers<false>(call);
}

/* Better: the TMA stores from shared memory while the next tile's MMAs run. */
extern "C" void launch_tf32_tma_stores(const struct gemm *call)
{
    launch_tf32_registers<true>(call);
}
/* SPDX-License-Identifier: MIT */
