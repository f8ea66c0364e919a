/* Step 07: copies of several tiles are in flight. */
#include <cuda_pipeline_primitives.h>

#include "parts/eight_by_eight.cuh" /* of this folder: step 08 also compiles this file */

static const unsigned STAGES = 4;

/* Copies `bytes` bytes (4 or 16) to shared memory, or zeros if not `inside`. The source address is
 * valid in either case. */
static __device__ void copy_or_zero(float *to, const float *matrix, size_t offset, unsigned bytes,
                                    bool inside)
{
    __pipeline_memcpy_async(to, inside ? matrix + offset : matrix, bytes, inside ? 0 : bytes);
}

/* Starts the copies of one pair of tiles. A is transposed, so it is copied float by float. B is
 * copied 16 bytes at a time if its rows are aligned. */
static __device__ void start_copies(const struct gemm &call, size_t tile_row, size_t tile_column,
                                    size_t first, float tile_a[BLOCK_K][PADDED_M],
                                    float tile_b[BLOCK_K][BLOCK_N], bool b_aligned)
{
    const size_t p = first + threadIdx.x % BLOCK_K;
    for (unsigned i = threadIdx.x / BLOCK_K; i < BLOCK_M; i += THREADS / BLOCK_K)
        copy_or_zero(&tile_a[threadIdx.x % BLOCK_K][i], call.a, (tile_row + i) * call.lda + p,
                     sizeof(float), tile_row + i < call.m && p < call.k);

    const size_t row = first + threadIdx.x / B_FOURS;
    const size_t column = tile_column + threadIdx.x % B_FOURS * 4;
    float *const to = &tile_b[threadIdx.x / B_FOURS][threadIdx.x % B_FOURS * 4];
    if (b_aligned && column + 4 <= call.n)
        copy_or_zero(to, call.b, row * call.ldb + column, sizeof(float4), row < call.k);
    else
        for (unsigned j = 0; j < 4; j++)
            copy_or_zero(to + j, call.b, row * call.ldb + column + j, sizeof(float),
                         row < call.k && column + j < call.n);
}

/* Copies asynchronously (cp.async) from global to shared memory, STAGES - 1 k-steps ahead.
 *
 * Better: data in flight needs no registers or store instructions, and has more time to
 * arrive.
 * Still bad: threads that should multiply compute addresses and issue copies of 4 bytes. */
static __global__ void __launch_bounds__(THREADS) async_copies(const struct gemm call)
{
    __shared__ __align__(16) float tile_a[STAGES][BLOCK_K][PADDED_M];
    __shared__ __align__(16) float tile_b[STAGES][BLOCK_K][BLOCK_N];
    const bool b_aligned = has_aligned_rows(call.b, call.ldb);
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);
    const struct thread_coord at = coord_in_warp();
    unsigned stage = 0;

    for (unsigned ahead = 0; ahead < STAGES - 1; ahead++) {
        start_copies(call, tile_row, tile_column, (size_t)ahead * BLOCK_K, tile_a[ahead],
                     tile_b[ahead], b_aligned);
        __pipeline_commit();
    }
    float sum[THREAD_M][THREAD_N] = {};
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        __pipeline_wait_prior(STAGES - 2); /* this thread's copies to this stage are complete */
        __syncthreads(); /* all threads' copies are, and no thread still reads the previous stage */

        const unsigned free_stage = (stage + STAGES - 1) % STAGES;
        start_copies(call, tile_row, tile_column, first + (STAGES - 1) * BLOCK_K,
                     tile_a[free_stage], tile_b[free_stage], b_aligned);
        __pipeline_commit();
        multiply_tiles(tile_a[stage], tile_b[stage], at, sum);
        stage = (stage + 1) % STAGES;
    }
    __pipeline_wait_prior(0);
    store_tile(call, tile_row, tile_column, at, sum);
}

extern "C" void launch_async_copies(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        async_copies<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}
/* SPDX-License-Identifier: MIT */
