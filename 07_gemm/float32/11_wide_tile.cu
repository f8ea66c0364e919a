/* Step 07: a thread computes 8 x 16 elements of C, so a block of 256 threads computes 128 x 256. It
 * copies tiles as async_copies does. */
#include <cuda_pipeline_primitives.h>

#include "float32/parts/consumers.cuh"
#include "rungs.h"

typedef Tile<2, 4, 1, 8, 4> Wide;
static const unsigned THREADS = Wide::CONSUMERS;

/* Copies `bytes` bytes (4 or 16) to shared memory, or zeros if not `inside`. The source address is
 * valid in either case. */
static __device__ void copy_or_zero(float *to, const float *matrix, size_t offset, unsigned bytes,
                                    bool inside)
{
    __pipeline_memcpy_async(to, inside ? matrix + offset : matrix, bytes, inside ? 0 : bytes);
}

/* Starts the copies of one pair of tiles. */
static __device__ void start_copies(const struct gemm &call, struct tile_coord tile, size_t first,
                                    float *tile_a, float *tile_b, bool b_aligned)
{
    const unsigned p = threadIdx.x % Wide::DEPTH;
    for (unsigned i = threadIdx.x / Wide::DEPTH; i < Wide::M; i += THREADS / Wide::DEPTH)
        copy_or_zero(tile_a + p * Wide::PADDED_M + i, call.a, (tile.row + i) * call.lda + first + p,
                     sizeof(float), tile.row + i < call.m && first + p < call.k);

    const size_t column = tile.column + threadIdx.x % (Wide::N / 4) * 4;
    for (unsigned i = threadIdx.x / (Wide::N / 4); i < Wide::DEPTH; i += THREADS / (Wide::N / 4)) {
        const size_t row = first + i;
        float *const to = tile_b + i * Wide::N + threadIdx.x % (Wide::N / 4) * 4;
        if (b_aligned && column + 4 <= call.n)
            copy_or_zero(to, call.b, row * call.ldb + column, sizeof(float4), row < call.k);
        else
            for (unsigned j = 0; j < 4; j++)
                copy_or_zero(to + j, call.b, row * call.ldb + column + j, sizeof(float),
                             row < call.k && column + j < call.n);
    }
}

/* Adds the products of one pair of tiles. The pointers are at the thread's first elements. */
static __device__ void multiply_tiles(const float *tile_a, const float *tile_b,
                                      float sum[THREAD_M][Wide::THREAD_N])
{
#pragma unroll
    for (unsigned p = 0; p < Wide::DEPTH; p++) {
        float a[THREAD_M], b[Wide::THREAD_N];
        load_fragments<Wide>(tile_a, tile_b, p, a, b);
        add_products<Wide, ROW_BY_ROW>(a, b, sum);
    }
}

/* Better: a thread loads 24 floats per 128 products instead of 32, and half as many copies of A are
 * issued. Still bad: the threads that multiply also compute addresses and copy, A with 4 bytes at a
 * time. In each k-step all threads wait at a barrier for the slowest warp. */
static __global__ void __launch_bounds__(THREADS) wide_tile(const struct gemm call)
{
    extern __shared__ __align__(16) float memory[];
    float *const all_a = memory, *const all_b = memory + Wide::STAGES * Wide::A_FLOATS;
    const bool b_aligned = has_aligned_rows(call.b, call.ldb);
    const struct tile_coord tile = {first_row_of_tile(call.n, Wide::M, Wide::N),
                                    first_column_of_tile(call.n, Wide::N)};
    const struct thread_coord at = coord_in_tile<Wide>();
    unsigned stage = 0;

    for (unsigned ahead = 0; ahead < Wide::STAGES - 1; ahead++) {
        start_copies(call, tile, (size_t)ahead * Wide::DEPTH, all_a + ahead * Wide::A_FLOATS,
                     all_b + ahead * Wide::B_FLOATS, b_aligned);
        __pipeline_commit();
    }
    float sum[THREAD_M][Wide::THREAD_N] = {};
    for (size_t first = 0; first < call.k; first += Wide::DEPTH) {
        __pipeline_wait_prior(Wide::STAGES - 2);
        __syncthreads();

        const unsigned free_stage = (stage + Wide::STAGES - 1) % Wide::STAGES;
        start_copies(call, tile, first + (Wide::STAGES - 1) * Wide::DEPTH,
                     all_a + free_stage * Wide::A_FLOATS, all_b + free_stage * Wide::B_FLOATS,
                     b_aligned);
        __pipeline_commit();
        multiply_tiles(all_a + stage * Wide::A_FLOATS + at.row,
                       all_b + stage * Wide::B_FLOATS + at.column, sum);
        stage = (stage + 1) % Wide::STAGES;
    }
    __pipeline_wait_prior(0);
    store_tile<Wide>(call, tile, at, all_b + Wide::STAGES * Wide::B_FLOATS, sum);
}

extern "C" void launch_wide_tile(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    cudaFuncSetAttribute(wide_tile, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         Wide::SHARED_BYTES);
    wide_tile<<<tile_count(call, Wide::M, Wide::N), THREADS, Wide::SHARED_BYTES>>>(*call);
}
/* SPDX-License-Identifier: MIT */
