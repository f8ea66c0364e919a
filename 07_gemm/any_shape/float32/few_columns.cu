/* Step 07: products with few columns of C. They are bound by reading A once. Lanes load it directly
 * into registers, with many loads in flight. B is in shared memory, transposed. */
#include "any_shape/float32/large_matrix.cuh"

static const unsigned HEIGHT = 4; /* rows per warp */

/* Loads a lane's floats of a row in shared memory. */
template <bool ALIGNED>
static __device__ void put_lane(const float *row, float to[LANE])
{
    if (ALIGNED) {
        *(float4 *)to = *(const float4 *)(row + column_of_lane<true>(0));
    } else {
#pragma unroll
        for (unsigned j = 0; j < LANE; j++)
            to[j] = row[column_of_lane<false>(j)];
    }
}

/* Adds a lane's products; the lanes of a warp have the same rows and different values of p. */
template <unsigned COLUMNS, unsigned DEEP, bool ALIGNED>
static __device__ void multiply_columns(const struct gemm &call, const struct k_range &range,
                                        const struct retention &kept, size_t row,
                                        float of_b[COLUMNS][DEEP], float sum[HEIGHT][COLUMNS])
{
    const float *a[HEIGHT];

#pragma unroll
    for (unsigned i = 0; i < HEIGHT; i++) /* rows outside A repeat the last one */
        a[i] = call.a + min(row + i, call.m - 1) * call.lda;
    for (size_t first = range.begin; first < range.end; first += DEEP) {
        const unsigned count = (unsigned)min((size_t)DEEP, range.end - first);
        float of_a[HEIGHT][LANE];
        unsigned p = 0;

        if (p + WARP <= count) /* in flight while B is copied */
#pragma unroll
            for (unsigned i = 0; i < HEIGHT; i++)
                load_lane<ALIGNED>(kept, a[i] + first + p, WARP, of_a[i]);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < COLUMNS * count; i += SPLIT_THREADS)
            of_b[i % COLUMNS][i / COLUMNS] =
                load(call.b, call.ldb, call.k, call.n, first + i / COLUMNS, i % COLUMNS);
        __syncthreads();
        while (p + WARP <= count) {
            float now[HEIGHT][LANE];
#pragma unroll
            for (unsigned i = 0; i < HEIGHT * LANE; i++)
                now[i / LANE][i % LANE] = of_a[i / LANE][i % LANE];
            if (p + 2 * WARP <= count)
#pragma unroll
                for (unsigned i = 0; i < HEIGHT; i++)
                    load_lane<ALIGNED>(kept, a[i] + first + p + WARP, WARP, of_a[i]);
#pragma unroll
            for (unsigned j = 0; j < COLUMNS; j++) {
                float b[LANE];
                put_lane<ALIGNED>(&of_b[j][p], b);
#pragma unroll
                for (unsigned i = 0; i < HEIGHT; i++)
#pragma unroll
                    for (unsigned q = 0; q < LANE; q++)
                        sum[i][j] += now[i][q] * b[q];
            }
            p += WARP;
        }
        for (p += threadIdx.x % 32; p < count; p += 32) {
            float one[HEIGHT];
#pragma unroll
            for (unsigned i = 0; i < HEIGHT; i++)
                one[i] = a[i][first + p];
#pragma unroll
            for (unsigned j = 0; j < COLUMNS; j++) {
                const float b = of_b[j][p];
#pragma unroll
                for (unsigned i = 0; i < HEIGHT; i++)
                    sum[i][j] += one[i] * b;
            }
        }
    }
}

/* Computes C of up to COLUMNS columns. */
template <unsigned COLUMNS, bool ALIGNED>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    few_columns(const struct gemm call, const struct split_work work, const float *kept_end,
                const bool beside_copy)
{
    const unsigned DEEP = COLUMNS <= 2 ? 2048 : 512; /* values of p of B in shared memory */
    const unsigned TALL = SPLIT_WARPS * HEIGHT, ELEMENTS = TALL * COLUMNS;
    const unsigned COUNT = (ELEMENTS + SPLIT_THREADS - 1) / SPLIT_THREADS;
    __shared__ __align__(16) float of_b[COLUMNS][DEEP];
    __shared__ float sums[ELEMENTS];
    const unsigned warp = threadIdx.x / 32;
    const struct k_range range = range_of_block(work, call.k, WARP);
    const size_t row = (size_t)range.tile * TALL;
    float sum[HEIGHT][COLUMNS] = {}, total[COUNT];

    begin(beside_copy);
    multiply_columns<COLUMNS, DEEP, ALIGNED>(call, range, retention_until((size_t)kept_end),
                                             row + warp * HEIGHT, of_b, sum);
#pragma unroll
    for (unsigned i = 0; i < HEIGHT; i++)
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) {
            for (unsigned offset = 16; offset > 0; offset /= 2)
                sum[i][j] += __shfl_down_sync(~0u, sum[i][j], offset);
            if (threadIdx.x % 32 == 0)
                sums[(warp * HEIGHT + i) * COLUMNS + j] = sum[i][j];
        }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned element = threadIdx.x + i * SPLIT_THREADS;
        total[i] = element < ELEMENTS ? sums[element] : 0;
    }
    if (beside_copy)
        wait_for_kernel_before();
    if (!add_splits<COUNT>(work, range, ELEMENTS, total))
        return;
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned element = threadIdx.x + i * SPLIT_THREADS;
        if (element < ELEMENTS)
            store(call, row + element / COLUMNS, element % COLUMNS, total[i]);
    }
}

template <unsigned COLUMNS>
static void launch_few_columns(const struct gemm *call, unsigned splits, size_t kept,
                               bool beside_copy)
{
    const float *const kept_end = call->a + min(kept, call->m * call->lda);
    const unsigned tall = SPLIT_WARPS * HEIGHT;
    const unsigned blocks = (unsigned)((call->m + tall - 1) / tall) * splits;
    const bool aligned = has_aligned_rows(call->a, call->lda);

    launch_dependent(aligned ? few_columns<COLUMNS, true> : few_columns<COLUMNS, false>, blocks,
                     SPLIT_THREADS, 0, *call, split_into(splits), kept_end, beside_copy);
}

void run_few_columns(const struct gemm *call, unsigned splits, size_t kept, bool beside_copy)
{
    if (call->n <= 1)
        launch_few_columns<1>(call, splits, kept, beside_copy);
    else if (call->n <= 2)
        launch_few_columns<2>(call, splits, kept, beside_copy);
    else if (call->n <= 4)
        launch_few_columns<4>(call, splits, kept, beside_copy);
    else if (call->n <= 8)
        launch_few_columns<8>(call, splits, kept, beside_copy);
    else
        launch_few_columns<MOST_FEW>(call, splits, kept, beside_copy);
}
/* SPDX-License-Identifier: MIT */
