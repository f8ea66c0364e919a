/* Step 07: products with few rows or few columns of C, which are bound by reading B or A once.
 * It is read directly into registers, many loads at a time; the other matrix waits in shared
 * memory. */
#include "kernel/dependent_launch.cuh"
#include "kernel/l2_hints.cuh"
#include "plan.h"
#include "splits.cuh"

static const unsigned LANE = 4, WARP = 32 * LANE; /* floats that a lane, a warp loads of a row */

/* The places in a row of a lane's floats: 16 bytes, or, if rows are not aligned, every 32nd. */
template <bool ALIGNED>
static __device__ unsigned place_of(unsigned j)
{
    const unsigned lane = threadIdx.x % 32;
    return ALIGNED ? lane * LANE + j : j * 32 + lane;
}

/* The large matrix: what is before `end` stays in L2, for the next product with it. */
struct retention {
    const float *end;
    uint64_t keep, evict;
};

static __device__ struct retention retention_until(const float *end)
{
    return {end, hint_to_keep(), hint_to_evict()};
}

/* Loads a lane's floats of a row of it; past the row's last float, that one is read. */
template <bool ALIGNED>
static __device__ void load_lane(const struct retention &kept, const float *row, size_t last,
                                 float to[LANE])
{
    const uint64_t hint = row < kept.end ? kept.keep : kept.evict;

    if (ALIGNED) {
        const size_t at = min((size_t)place_of<true>(0), last / LANE * LANE);
        *(float4 *)to = load_4_hinted(row + at, hint);
    } else {
#pragma unroll
        for (unsigned j = 0; j < LANE; j++)
            to[j] = load_hinted(row + min((size_t)place_of<false>(j), last), hint);
    }
}

/* ---- few rows -------------------------------------------------------------------------------- */

static const unsigned CHUNK = 256; /* values of p whose elements of A are in shared memory */
static const unsigned TURN = 64;   /* at most so many are in flight */

/* Adds a warp's products: it reads every eighth row of the block's share of B. */
template <unsigned ROWS, bool ALIGNED>
static __device__ void multiply_rows(const struct gemm &call, const struct portion &portion,
                                     const struct retention &kept, size_t column,
                                     float of_a[CHUNK][ROWS], float sum[ROWS][LANE])
{
    const unsigned AHEAD = ROWS > 8 ? 4 : 8; /* rows of B in flight */
    const unsigned TOGETHER = AHEAD * SPLIT_WARPS;
    const size_t last = call.n - 1 - column;

    for (size_t first = portion.begin; first < portion.end; first += CHUNK) {
        const unsigned count = (unsigned)min((size_t)CHUNK, portion.end - first);
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

/* The kernel before may be the copy of B that the next one needs (copy_rows.cu). This one needs
 * what was there before that, and so waits for it only in the end, on behalf of the next. */
static __device__ void begin(bool beside_copy)
{
    let_next_kernel_in();
    if (!beside_copy)
        wait_for_kernel_before();
}

/* Computes C of up to ROWS rows. A block's warps have the same 128 columns and different values of
 * p, so that their sums are added up at the end. */
template <unsigned ROWS, bool ALIGNED>
static __global__ void __launch_bounds__(SPLIT_THREADS, ROWS > 1 ? 2 : 4)
    few_rows(const struct gemm call, const struct division division, const float *kept_end,
             const bool beside_copy)
{
    const unsigned TOGETHER = ROWS < 4 ? ROWS : 4; /* rows whose sums are exchanged at a time */
    const unsigned EACH = (TOGETHER * WARP + SPLIT_THREADS - 1) / SPLIT_THREADS;
    const unsigned COUNT = ROWS / TOGETHER * EACH;
    __shared__ __align__(16) float of_a[CHUNK][ROWS];
    __shared__ float sums[SPLIT_WARPS][TOGETHER][WARP];
    const struct portion portion = portion_of_block(division, call.k, TURN);
    const size_t column = (size_t)portion.tile * WARP;
    float sum[ROWS][LANE] = {}, total[COUNT] = {};

    begin(beside_copy);
    multiply_rows<ROWS, ALIGNED>(call, portion, retention_until(kept_end), column, of_a, sum);
#pragma unroll
    for (unsigned row = 0; row < ROWS; row += TOGETHER) {
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < TOGETHER; i++)
#pragma unroll
            for (unsigned j = 0; j < LANE; j++)
                sums[threadIdx.x / 32][i][place_of<ALIGNED>(j)] = sum[row + i][j];
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
    if (!add_splits<COUNT>(division, portion, ROWS * WARP, total))
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

    if (has_aligned_rows(call->b, call->ldb) && call->n % LANE == 0)
        launch_dependent((few_rows<ROWS, true>), blocks, SPLIT_THREADS, 0, *call,
                         division_into(splits), kept_end, beside_copy);
    else
        launch_dependent((few_rows<ROWS, false>), blocks, SPLIT_THREADS, 0, *call,
                         division_into(splits), kept_end, beside_copy);
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

/* ---- few columns ----------------------------------------------------------------------------- */

static const unsigned HEIGHT = 4; /* rows per warp */

/* A lane's floats of those in shared memory. */
template <bool ALIGNED>
static __device__ void place_lane(const float *row, float to[LANE])
{
    if (ALIGNED) {
        *(float4 *)to = *(const float4 *)(row + place_of<true>(0));
    } else {
#pragma unroll
        for (unsigned j = 0; j < LANE; j++)
            to[j] = row[place_of<false>(j)];
    }
}

/* Adds a lane's products; the lanes of a warp have the same rows and different values of p. */
template <unsigned COLUMNS, unsigned DEEP, bool ALIGNED>
static __device__ void multiply_columns(const struct gemm &call, const struct portion &portion,
                                        const struct retention &kept, size_t row,
                                        float of_b[COLUMNS][DEEP], float sum[HEIGHT][COLUMNS])
{
    const float *a[HEIGHT];

#pragma unroll
    for (unsigned i = 0; i < HEIGHT; i++) /* for a row outside A, the last */
        a[i] = call.a + min(row + i, call.m - 1) * call.lda;
    for (size_t first = portion.begin; first < portion.end; first += DEEP) {
        const unsigned count = (unsigned)min((size_t)DEEP, portion.end - first);
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
                place_lane<ALIGNED>(&of_b[j][p], b);
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
    few_columns(const struct gemm call, const struct division division, const float *kept_end,
                const bool beside_copy)
{
    const unsigned DEEP = COLUMNS <= 2 ? 2048 : 512; /* values of p of B in shared memory */
    const unsigned TALL = SPLIT_WARPS * HEIGHT, ELEMENTS = TALL * COLUMNS;
    const unsigned COUNT = (ELEMENTS + SPLIT_THREADS - 1) / SPLIT_THREADS;
    __shared__ __align__(16) float of_b[COLUMNS][DEEP];
    __shared__ float sums[ELEMENTS];
    const unsigned warp = threadIdx.x / 32;
    const struct portion portion = portion_of_block(division, call.k, WARP);
    const size_t row = (size_t)portion.tile * TALL;
    float sum[HEIGHT][COLUMNS] = {}, total[COUNT];

    begin(beside_copy);
    multiply_columns<COLUMNS, DEEP, ALIGNED>(call, portion, retention_until(kept_end),
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
    if (!add_splits<COUNT>(division, portion, ELEMENTS, total))
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

    if (has_aligned_rows(call->a, call->lda))
        launch_dependent((few_columns<COLUMNS, true>), blocks, SPLIT_THREADS, 0, *call,
                         division_into(splits), kept_end, beside_copy);
    else
        launch_dependent((few_columns<COLUMNS, false>), blocks, SPLIT_THREADS, 0, *call,
                         division_into(splits), kept_end, beside_copy);
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
