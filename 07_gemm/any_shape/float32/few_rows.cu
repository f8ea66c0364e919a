/* Step 07: products with few rows of C. They are bound by reading B once. Lanes load it directly
 * into registers, with many loads in flight. A is in shared memory. */
#include "any_shape/float32/large_matrix.cuh"

static const unsigned CHUNK = 256; /* values of p of A in shared memory */
static const unsigned TURN = 64;   /* the most values of p in flight */

/* Adds a warp's products: it reads every eighth row of the block's share of B. */
template <unsigned ROWS, bool ALIGNED>
static __device__ void multiply_rows(const struct gemm &call, const struct k_range &range,
                                     const struct retention &kept, size_t column,
                                     float of_a[CHUNK][ROWS], float sum[ROWS][LANE])
{
    const unsigned AHEAD = ROWS > 8 ? 4 : 8; /* rows of B in flight */
    const unsigned TOGETHER = AHEAD * SPLIT_WARPS;
    const size_t last = call.n - 1 - column;

    for (size_t first = range.begin; first < range.end; first += CHUNK) {
        const unsigned count = (unsigned)min((size_t)CHUNK, range.end - first);
        const float *const b = call.b + first * call.ldb + column;
        float of_b[AHEAD][LANE];
        unsigned p = threadIdx.x / 32;
        bool more = p + TOGETHER - SPLIT_WARPS < count;

        if (more) /* in flight while A is copied */
#pragma unroll
            for (unsigned u = 0; u < AHEAD; u++)
                load_lane<ALIGNED>(kept, b + (p + u * SPLIT_WARPS) * call.ldb, last, of_b[u]);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < ROWS * count; i += SPLIT_THREADS)
            of_a[i % count][i / count] =
                load(call.a, call.lda, call.m, call.k, i / count, first + i % count);
        __syncthreads();
        while (more) {
#pragma unroll
            for (unsigned u = 0; u < AHEAD; u++)
#pragma unroll
                for (unsigned i = 0; i < ROWS; i++) {
                    const float one = of_a[p + u * SPLIT_WARPS][i];
#pragma unroll
                    for (unsigned j = 0; j < LANE; j++)
                        sum[i][j] += one * of_b[u][j];
                }
            p += TOGETHER;
            more = p + TOGETHER - SPLIT_WARPS < count;
            if (more)
#pragma unroll
                for (unsigned u = 0; u < AHEAD; u++)
                    load_lane<ALIGNED>(kept, b + (p + u * SPLIT_WARPS) * call.ldb, last, of_b[u]);
        }
        for (; p < count; p += SPLIT_WARPS) {
            load_lane<ALIGNED>(kept, b + p * call.ldb, last, of_b[0]);
#pragma unroll
            for (unsigned i = 0; i < ROWS; i++) {
                const float one = of_a[p][i];
#pragma unroll
                for (unsigned j = 0; j < LANE; j++)
                    sum[i][j] += one * of_b[0][j];
            }
        }
    }
}

/* Computes C of up to ROWS rows. A block's warps have the same 128 columns and different values of
 * p, so their partial sums are added at the end. */
template <unsigned ROWS, bool ALIGNED>
static __global__ void __launch_bounds__(SPLIT_THREADS, ROWS > 1 ? 2 : 4)
    few_rows(const struct gemm call, const struct split_work work, const float *kept_end,
             const bool beside_copy)
{
    const unsigned TOGETHER = ROWS < 4 ? ROWS : 4; /* rows whose sums are exchanged at a time */
    const unsigned EACH = (TOGETHER * WARP + SPLIT_THREADS - 1) / SPLIT_THREADS;
    const unsigned COUNT = ROWS / TOGETHER * EACH;
    __shared__ __align__(16) float of_a[CHUNK][ROWS];
    __shared__ float sums[SPLIT_WARPS][TOGETHER][WARP];
    const struct k_range range = range_of_block(work, call.k, TURN);
    const size_t column = (size_t)range.tile * WARP;
    float sum[ROWS][LANE] = {}, total[COUNT] = {};

    begin(beside_copy);
    multiply_rows<ROWS, ALIGNED>(call, range, retention_until((size_t)kept_end), column, of_a, sum);
#pragma unroll
    for (unsigned row = 0; row < ROWS; row += TOGETHER) {
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < TOGETHER; i++)
#pragma unroll
            for (unsigned j = 0; j < LANE; j++)
                sums[threadIdx.x / 32][i][column_of_lane<ALIGNED>(j)] = sum[row + i][j];
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < EACH; i++) {
            const unsigned element = threadIdx.x + i * SPLIT_THREADS;
            if (element < TOGETHER * WARP)
#pragma unroll
                for (unsigned w = 0; w < SPLIT_WARPS; w++)
                    total[row / TOGETHER * EACH + i] += sums[w][element / WARP][element % WARP];
        }
    }
    if (beside_copy)
        wait_for_kernel_before();
    if (!add_splits<COUNT>(work, range, ROWS * WARP, total))
        return;
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned element = threadIdx.x + i * SPLIT_THREADS;
        if (element < ROWS * WARP)
            store(call, element / WARP, column + element % WARP, total[i]);
    }
}

template <unsigned ROWS>
static void launch_few_rows(const struct gemm *call, unsigned splits, size_t kept, bool beside_copy)
{
    const float *const kept_end = call->b + min(kept, call->k * call->ldb);
    const unsigned blocks = (unsigned)((call->n + WARP - 1) / WARP) * splits;
    const bool aligned = has_aligned_rows(call->b, call->ldb) && call->n % LANE == 0;

    launch_dependent(aligned ? few_rows<ROWS, true> : few_rows<ROWS, false>, blocks, SPLIT_THREADS,
                     0, *call, split_into(splits), kept_end, beside_copy);
}

void run_few_rows(const struct gemm *call, unsigned splits, size_t kept, bool beside_copy)
{
    if (call->m <= 1)
        launch_few_rows<1>(call, splits, kept, beside_copy);
    else if (call->m <= 2)
        launch_few_rows<2>(call, splits, kept, beside_copy);
    else if (call->m <= 4)
        launch_few_rows<4>(call, splits, kept, beside_copy);
    else if (call->m <= 8)
        launch_few_rows<8>(call, splits, kept, beside_copy);
    else
        launch_few_rows<MOST_FEW>(call, splits, kept, beside_copy);
}
/* SPDX-License-Identifier: MIT */
