#ifndef RUNGS_07_SKINNY_CUH
#define RUNGS_07_SKINNY_CUH
/* Step 07: products with few rows or few columns of C, which are bound by reading B or A once. */
#include "kernel/dependent_launch.cuh"
#include "tile.cuh"

/* The blocks with the same tile of C each take an equal share of k (`splits` shares). They leave
 * their sums in `parts`; the last to finish, which the tile's ticket tells, adds them up in order. */
struct division {
    unsigned splits;
    float *parts;      /* [tile][split][element] */
    unsigned *tickets; /* for each tile, how many have finished; all 0 between launches */
};

static const unsigned SKINNY_THREADS = 256, SKINNY_WARPS = SKINNY_THREADS / 32;

/* Whether this block is the last of its tile: then the others' parts are visible to it. */
static __device__ bool is_last_of(const struct division &division, unsigned tile)
{
    __shared__ bool is_last;

    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&division.tickets[tile], 1) == division.splits - 1;
        if (is_last)
            division.tickets[tile] = 0; /* for the next launch */
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

/* Passes a tile's sums, `total` for element threadIdx.x + i * SKINNY_THREADS, through the parts;
 * false: another block stores them. */
template <unsigned COUNT>
static __device__ bool add_splits(const struct division &division, unsigned tile, unsigned split,
                                  unsigned elements, float total[COUNT])
{
    if (division.splits == 1)
        return true;
    float *const parts = division.parts + (size_t)tile * division.splits * elements;
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned e = threadIdx.x + i * SKINNY_THREADS;
        if (e < elements)
            parts[(size_t)split * elements + e] = total[i];
    }
    if (!is_last_of(division, tile))
        return false;
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned e = threadIdx.x + i * SKINNY_THREADS;
        total[i] = 0;
        if (e < elements) {
#pragma unroll 8
            for (unsigned s = 0; s < division.splits; s++)
                total[i] += __ldcg(&parts[(size_t)s * elements + e]);
        }
    }
    return true;
}

/* ---- few rows -------------------------------------------------------------------------------- */

static const unsigned CHUNK = 256; /* values of p whose elements of A wait in shared memory */

/* COUNT elements of a row for each lane: 16 bytes at a time, or, if the rows are not aligned, 4. */
template <unsigned COUNT, bool ALIGNED>
static __device__ unsigned lane_element(unsigned j)
{
    const unsigned lane = threadIdx.x % 32;
    return ALIGNED ? j / 4 * 128 + lane * 4 + j % 4 : j * 32 + lane;
}

template <unsigned COUNT, bool ALIGNED>
static __device__ void load_row(const float *row, size_t last, float to[COUNT])
{
    if (ALIGNED) {
#pragma unroll
        for (unsigned j = 0; j < COUNT; j += 4)
            *(float4 *)&to[j] =
                *(const float4 *)(row + min((size_t)lane_element<COUNT, true>(j), last / 4 * 4));
    } else {
#pragma unroll
        for (unsigned j = 0; j < COUNT; j++)
            to[j] = row[min((size_t)lane_element<COUNT, false>(j), last)];
    }
}

/* Up to ROWS rows of C. A warp reads rows of B, 32 * EACH columns of them, every eighth of the
 * block's. */
template <unsigned ROWS, unsigned EACH, bool ALIGNED>
static __global__ void __launch_bounds__(SKINNY_THREADS)
    few_rows(const struct gemm call, const struct division division)
{
    const unsigned WIDE = 32 * EACH;
    const unsigned GROUP_ROWS = ROWS * EACH <= 16 ? ROWS : 16 / EACH;
    __shared__ __align__(16) float of_a[CHUNK][ROWS];
    __shared__ float sums[SKINNY_WARPS][GROUP_ROWS][WIDE];
    const unsigned warp = threadIdx.x / 32;
    const unsigned tile = blockIdx.x / division.splits, split = blockIdx.x % division.splits;
    const size_t column = (size_t)tile * WIDE, last = call.n - 1 - column;
    const size_t begin = call.k * split / division.splits;
    const size_t end = call.k * (split + 1) / division.splits;
    const unsigned AHEAD = ROWS > 8 ? 16 / EACH : 32 / EACH; /* rows of B in flight */
    float sum[ROWS][EACH] = {};

    overlap_launches();
    for (size_t first = begin; first < end; first += CHUNK) {
        const unsigned count = (unsigned)min((size_t)CHUNK, end - first);
        const float *const b = call.b + first * call.ldb + column;
        float of_b[AHEAD][EACH];
        unsigned p = warp;
        const bool full = p + (AHEAD - 1) * SKINNY_WARPS < count;

        if (full) { /* in flight before A is waited for */
#pragma unroll
            for (unsigned u = 0; u < AHEAD; u++)
                load_row<EACH, ALIGNED>(b + (p + u * SKINNY_WARPS) * call.ldb, last, of_b[u]);
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < ROWS * count; i += SKINNY_THREADS)
            of_a[i % count][i / count] =
                i / count < call.m ? call.a[i / count * call.lda + first + i % count] : 0;
        __syncthreads();
        if (full) {
            while (true) {
#pragma unroll
                for (unsigned u = 0; u < AHEAD; u++)
#pragma unroll
                    for (unsigned r = 0; r < ROWS; r++)
#pragma unroll
                        for (unsigned j = 0; j < EACH; j++)
                            sum[r][j] += of_a[p + u * SKINNY_WARPS][r] * of_b[u][j];
                p += AHEAD * SKINNY_WARPS;
                if (p + (AHEAD - 1) * SKINNY_WARPS >= count)
                    break;
#pragma unroll
                for (unsigned u = 0; u < AHEAD; u++)
                    load_row<EACH, ALIGNED>(b + (p + u * SKINNY_WARPS) * call.ldb, last, of_b[u]);
            }
        }
        for (; p < count; p += SKINNY_WARPS) {
            load_row<EACH, ALIGNED>(b + p * call.ldb, last, of_b[0]);
#pragma unroll
            for (unsigned r = 0; r < ROWS; r++)
#pragma unroll
                for (unsigned j = 0; j < EACH; j++)
                    sum[r][j] += of_a[p][r] * of_b[0][j];
        }
    }

    const unsigned COUNT = (ROWS * WIDE + SKINNY_THREADS - 1) / SKINNY_THREADS;
    const unsigned GROUP_COUNT = (GROUP_ROWS * WIDE + SKINNY_THREADS - 1) / SKINNY_THREADS;
    float total[COUNT];
#pragma unroll
    for (unsigned group = 0; group < ROWS / GROUP_ROWS; group++) {
        __syncthreads();
#pragma unroll
        for (unsigned r = 0; r < GROUP_ROWS; r++)
#pragma unroll
            for (unsigned j = 0; j < EACH; j++)
                sums[warp][r][lane_element<EACH, ALIGNED>(j)] = sum[group * GROUP_ROWS + r][j];
        __syncthreads();
#pragma unroll
        for (unsigned i = 0; i < GROUP_COUNT; i++) {
            const unsigned e = threadIdx.x + i * SKINNY_THREADS;
            float &t = total[group * GROUP_COUNT + i];
            t = 0;
            if (e < GROUP_ROWS * WIDE)
#pragma unroll
                for (unsigned w = 0; w < SKINNY_WARPS; w++)
                    t += sums[w][e / WIDE][e % WIDE];
        }
    }
    if (add_splits<COUNT>(division, tile, split, ROWS * WIDE, total))
#pragma unroll
        for (unsigned i = 0; i < COUNT; i++) {
            const unsigned e = threadIdx.x + i * SKINNY_THREADS;
            if (e < ROWS * WIDE)
                store(call, e / WIDE, column + e % WIDE, total[i]);
        }
}

/* ---- few columns ----------------------------------------------------------------------------- */

/* Up to COLUMNS columns of C; a warp computes HEIGHT rows, its lanes sum different values of p. */
template <unsigned COLUMNS, unsigned HEIGHT, bool ALIGNED>
static __global__ void __launch_bounds__(SKINNY_THREADS)
    few_columns(const struct gemm call, const struct division division)
{
    const unsigned DEEP = COLUMNS <= 2 ? 2048 : 512; /* values of p of B in shared memory */
    const unsigned AHEAD = 16 / HEIGHT / 4;          /* 16 floats of A per thread in flight */
    const unsigned TURN = AHEAD * 128;
    __shared__ __align__(16) float of_b[COLUMNS][DEEP];
    __shared__ float sums[SKINNY_WARPS * HEIGHT * COLUMNS];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned tile = blockIdx.x / division.splits, split = blockIdx.x % division.splits;
    const unsigned TALL = SKINNY_WARPS * HEIGHT;
    const size_t row = (size_t)tile * TALL + warp * HEIGHT;
    const size_t quads = (call.k + 3) / 4; /* shares begin where rows are aligned */
    const size_t begin = quads * split / division.splits * 4;
    const size_t end = min(call.k, quads * (split + 1) / division.splits * 4);
    const float *a[HEIGHT];
    float sum[HEIGHT][COLUMNS] = {};

    overlap_launches();
#pragma unroll
    for (unsigned i = 0; i < HEIGHT; i++) /* outside C, the last row is read */
        a[i] = call.a + min(row + i, call.m - 1) * call.lda;
    for (size_t first = begin; first < end; first += DEEP) {
        const unsigned count = (unsigned)min((size_t)DEEP, end - first);
        float of_a[AHEAD][HEIGHT][4];
        unsigned p = 0;

        if (TURN <= count) {
#pragma unroll
            for (unsigned u = 0; u < AHEAD; u++)
#pragma unroll
                for (unsigned i = 0; i < HEIGHT; i++)
                    load_row<4, ALIGNED>(a[i] + first + u * 128, 127, of_a[u][i]);
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < COLUMNS * count; i += SKINNY_THREADS)
            of_b[i % COLUMNS][i / COLUMNS] =
                i % COLUMNS < call.n ? call.b[(first + i / COLUMNS) * call.ldb + i % COLUMNS] : 0;
        __syncthreads();
        if (TURN <= count) {
            while (true) {
#pragma unroll
                for (unsigned u = 0; u < AHEAD; u++)
#pragma unroll
                    for (unsigned j = 0; j < COLUMNS; j++) {
                        float b[4];
                        load_row<4, ALIGNED>(&of_b[j][p + u * 128], 127, b);
#pragma unroll
                        for (unsigned i = 0; i < HEIGHT; i++)
#pragma unroll
                            for (unsigned q = 0; q < 4; q++)
                                sum[i][j] += of_a[u][i][q] * b[q];
                    }
                p += TURN;
                if (p + TURN > count)
                    break;
#pragma unroll
                for (unsigned u = 0; u < AHEAD; u++)
#pragma unroll
                    for (unsigned i = 0; i < HEIGHT; i++)
                        load_row<4, ALIGNED>(a[i] + first + p + u * 128, 127, of_a[u][i]);
            }
        }
        for (p += lane; p < count; p += 32)
#pragma unroll
            for (unsigned j = 0; j < COLUMNS; j++)
#pragma unroll
                for (unsigned i = 0; i < HEIGHT; i++)
                    sum[i][j] += a[i][first + p] * of_b[j][p];
    }
#pragma unroll
    for (unsigned i = 0; i < HEIGHT; i++)
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++) {
            for (unsigned offset = 16; offset > 0; offset /= 2)
                sum[i][j] += __shfl_down_sync(~0u, sum[i][j], offset);
            if (lane == 0)
                sums[(warp * HEIGHT + i) * COLUMNS + j] = sum[i][j];
        }
    __syncthreads();

    const unsigned COUNT = (TALL * COLUMNS + SKINNY_THREADS - 1) / SKINNY_THREADS;
    float total[COUNT];
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned e = threadIdx.x + i * SKINNY_THREADS;
        total[i] = e < TALL * COLUMNS ? sums[e] : 0;
    }
    if (add_splits<COUNT>(division, tile, split, TALL * COLUMNS, total))
#pragma unroll
        for (unsigned i = 0; i < COUNT; i++) {
            const unsigned e = threadIdx.x + i * SKINNY_THREADS;
            if (e < TALL * COLUMNS)
                store(call, (size_t)tile * TALL + e / COLUMNS, e % COLUMNS, total[i]);
        }
}
#endif
