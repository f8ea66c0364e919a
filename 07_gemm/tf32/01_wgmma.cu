/* Step 07, TF32: each product of floats is computed as one product of TF32. */
#include "parts/workspace.h"
#include "rungs.h"
#include "tf32/parts/tf32.cuh"

typedef tf32_config<1, 256, 4> config;

static __global__ void __launch_bounds__(256)
    transpose_b(const struct gemm call, float *to, const size_t leading)
{
    transpose<1>(call, to, leading);
}

/* Computes a tile's sums. The tensor cores accumulate them from the first k-step to the last. */
static __device__ void sum_tile(config::ring &ring, unsigned steps,
                                float (&sum)[config::TILE_N / 2])
{
    const unsigned first_row = threadIdx.x / WARPGROUP * 64;

    for (unsigned step = 0; step < steps; step++, ring.advance()) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_step<config>(sum, ring.a() + first_row * ROW_BYTES, ring.b(), true);
        wgmma_wait<1>();
        if (step > 0)
            release(&ring.free[(ring.stage + config::STAGES - 1) % config::STAGES]);
    }
    wgmma_finish(sum);
    release(&ring.free[(ring.stage + config::STAGES - 1) % config::STAGES]);
}

/* Has all that the bfloat16 rungs have up to `persistent`, with half as many terms per k-step. The
 * tensor cores ignore the bits that TF32 lacks; rounding is more accurate. The TMA rounds A while
 * it copies, and the threads that transpose B round it. Still bad: transposing B takes 10% of the
 * time. */
static __global__ void __launch_bounds__(THREADS, 1)
    tf32_wgmma(const struct gemm call, const __grid_constant__ CUtensorMap a,
               const __grid_constant__ CUtensorMap b, const struct tile_work work)
{
    divide_work<config::ring>(
        work,
        [&](const config::ring &ring, const struct tile_coord &tile, size_t term,
            phase_barrier *full) { copy_parts<config>(call, ring, &a, &b, tile, term, full); },
        [&](config::ring &ring, const struct tile_coord &tile) {
            float sum[config::TILE_N / 2] = {};
            sum_tile(ring, work.steps, sum);
            store_floats(call, tile.row + threadIdx.x / WARPGROUP * 64 + row_in_fragment(),
                         tile.column, sum);
        });
}

static float *room_for_operands(const struct gemm *call)
{
    return workspace_copy((call->m + call->n) * aligned_floats(call->k));
}

extern "C" void prepare_tf32_wgmma(const struct gemm *call)
{
    room_for_operands(call);
}

extern "C" void launch_tf32_wgmma(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    const size_t leading = aligned_floats(call->k);
    float *const b = room_for_operands(call);
    const struct tile_work work = work_of(call, TILE_M, config::TILE_N);
    struct gemm aligned = *call;

    if (!can_be_mapped(call->a, call->m, call->k, call->lda, sizeof(float)))
        aligned.a = copy_to_aligned_rows(call, call->a, &aligned.lda, call->m, call->k,
                                         b + call->n * leading);
    transpose_b<<<blocks_of_columns(call), 256>>>(*call, b, leading);
    cudaFuncSetAttribute(tf32_wgmma, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)config::SHARED_BYTES);
    tf32_wgmma<<<blocks_for(call, work), THREADS, config::SHARED_BYTES>>>(
        *call,
        map_floats(CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, aligned.a, call->m, call->k, aligned.lda,
                   TILE_M),
        map_floats(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, b, call->n, call->k, leading, config::TILE_N),
        work);
}
/* SPDX-License-Identifier: MIT */
