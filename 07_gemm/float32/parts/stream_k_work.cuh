/* Step 07: divides the k-steps of all tiles of C among blocks (stream-K, Osama et al. 2023), and
 * adds up the partial sums of tiles that several blocks compute. */
#ifndef RUNGS_07_WORK_CUH
#define RUNGS_07_WORK_CUH

#include "float32/parts/consumers.cuh"
#include "kernel/overlap.cuh"

/* Tiles of C are numbered column by column within groups of this many rows of tiles. Blocks that
 * run at the same time then share rows of A and columns of B in L2. */
static const unsigned GROUP = 8;

/* The work consists of iterations: iteration i is k-step i % k_steps of tile i / k_steps. Block b
 * computes iterations first_iteration(b) to first_iteration(b + 1) - 1. */
struct work {
    unsigned row_tiles, column_tiles;
    unsigned k_steps;
    unsigned blocks;
    bool added_later; /* by add_parts; otherwise by the block with a tile's last iteration */
    float *parts;     /* for each block, room for the partial sums of two tiles, row-major */
    unsigned *sent;   /* for each block, whether its parts are complete; all 0 between launches */
    unsigned last;    /* for IS_SHORT kernels: values of p to multiply in a tile's last step */
};

static __device__ unsigned long long first_iteration(const struct work &work, unsigned block)
{
    const unsigned long long iterations =
        (unsigned long long)work.row_tiles * work.column_tiles * work.k_steps;
    return iterations * block / work.blocks;
}

/* A block's k-steps for one tile: the first, and their number. 0 steps: the block has finished. */
struct k_range {
    unsigned tile, first, steps;
};

/* The block's range that ends before iteration `end`. A block computes its ranges from the last to
 * the first. The first may need sums of the previous block, which that block computed first. */
static __device__ struct k_range range_before(const struct work &work, unsigned long long end)
{
    const unsigned long long begin = first_iteration(work, blockIdx.x);
    struct k_range range = {};

    if (begin < end) {
        range.tile = (unsigned)((end - 1) / work.k_steps);
        const unsigned long long start = max(begin, (unsigned long long)range.tile * work.k_steps);
        range.first = (unsigned)(start % work.k_steps);
        range.steps = (unsigned)(end - start);
    }
    return range;
}

static __device__ struct k_range first_range(const struct work &work)
{
    return range_before(work, first_iteration(work, blockIdx.x + 1));
}

static inline __device__ struct k_range next_range(const struct work &work, struct k_range range)
{
    return range_before(work, (unsigned long long)range.tile * work.k_steps + range.first);
}

/* How many values of p of a range's last stage are multiplied. */
template <typename T>
static __device__ unsigned last_values(const struct work &work, const struct k_range &range)
{
    return range.first + range.steps == work.k_steps ? work.last : T::DEPTH;
}

template <typename T>
static __device__ struct tile_coord tile_at(const struct work &work, unsigned number)
{
    const unsigned in_group = number % (GROUP * work.column_tiles);
    const unsigned first = number / (GROUP * work.column_tiles) * GROUP;
    const unsigned rows = min(GROUP, work.row_tiles - first);
    struct tile_coord tile;

    tile.row = (size_t)(first + in_group % rows) * T::M;
    tile.column = (size_t)(in_group / rows) * T::N;
    return tile;
}

/* Whether a range's sums are a part of the tile's, which another block or add_parts adds up. */
static inline __device__ bool is_sent(const struct work &work, const struct k_range &range)
{
    return range.steps < work.k_steps &&
           (work.added_later || range.first + range.steps < work.k_steps);
}

/* Where a block stores the partial sums of a range. */
template <typename T>
static __device__ float *part_of(const struct work &work, unsigned block, bool is_begun)
{
    return work.parts + ((size_t)block * 2 + is_begun) * T::M * T::N;
}

/* Stores a range's sums, times alpha, for the block that ends the tile or for add_parts. */
template <typename T>
static __device__ void send_part(const struct gemm &call, const struct work &work,
                                 const struct k_range &range, struct thread_coord at,
                                 const float rows[T::ROWS][T::THREAD_N])
{
    struct gemm part = call;

    part.c = part_of<T>(work, blockIdx.x, range.first > 0);
    part.m = T::M;
    part.n = part.ldc = T::N;
    part.beta = 0;
    store_fours<T>(part, {0, 0}, at, rows);
    if (work.added_later)
        return;
    consumers_sync<T>();
    if (threadIdx.x == 0) {
        __threadfence(); /* releases what all threads have stored */
        atomicExch(&work.sent[blockIdx.x], 1);
    }
}

/* The block that iteration i belongs to. */
static inline __device__ unsigned block_of(const struct work &work, unsigned long long iteration)
{
    const unsigned long long iterations =
        (unsigned long long)work.row_tiles * work.column_tiles * work.k_steps;
    return (unsigned)(((iteration + 1) * work.blocks - 1) / iterations);
}

/* Multiplies this block's sums by alpha, then adds the partial sums of the blocks before it. The
 * order is fixed, so the result is the same in every run. */
template <typename T>
static __device__ void collect_parts(const struct gemm &call, const struct work &work,
                                     struct k_range range, struct thread_coord at,
                                     float rows[T::ROWS][T::THREAD_N])
{
    const unsigned first = block_of(work, (unsigned long long)range.tile * work.k_steps);

#pragma unroll
    for (unsigned i = 0; i < T::ROWS * T::THREAD_N; i++)
        rows[i / T::THREAD_N][i % T::THREAD_N] *= call.alpha;
    for (unsigned block = first; block < blockIdx.x; block++) {
        const float *const part = part_of<T>(work, block, block > first);

        if (threadIdx.x == 0) {
            while (atomicExch(&work.sent[block], 0) == 0) /* resets it for the next launch */
                ;
            __threadfence();
        }
        consumers_sync<T>();
#pragma unroll
        for (unsigned i = 0; i < T::ROWS; i++) {
            const float *const row =
                part + row_of<T>(at, at.slice * T::ROWS + i) * T::N + at.column;
#pragma unroll
            for (unsigned j = 0; j < T::FOURS; j += 4) { /* __ldcg: L1 may be stale */
                const float4 four = __ldcg((const float4 *)(row + j * 4));
                rows[i][j] += four.x;
                rows[i][j + 1] += four.y;
                rows[i][j + 2] += four.z;
                rows[i][j + 3] += four.w;
            }
            if (T::FOURS < T::THREAD_N) {
                const float2 two = __ldcg((const float2 *)(row + column_of_pair<T>()));
                rows[i][T::FOURS] += two.x;
                rows[i][T::FOURS + 1] += two.y;
            }
        }
    }
}

static const unsigned ADD_THREADS = 256;

/* Adds up the partial sums of tile blockIdx.x if it was divided. `together` of a block's 8 warps
 * share the same 128 elements, four per lane. Each of them adds up a range of the parts. */
template <typename T>
static __global__ void __launch_bounds__(ADD_THREADS)
    add_parts(const struct gemm call, const struct work work, unsigned together)
{
    __shared__ __align__(16) float sums[8][128];
    const unsigned warp = threadIdx.x / 32, column = threadIdx.x % 32 * 4, member = warp % together;
    const unsigned element = (blockIdx.y * 8 + warp) / together * 128 + column;
    const unsigned long long iteration = (unsigned long long)blockIdx.x * work.k_steps;
    const unsigned first = block_of(work, iteration),
                   last = block_of(work, iteration + work.k_steps - 1);
    const unsigned count = last - first + 1;
    float sum[4] = {};

    overlap_launches();
    if (count == 1)
        return;
#pragma unroll 8
    for (unsigned i = count * member / together; i < count * (member + 1) / together; i++) {
        const float4 four = *(const float4 *)(part_of<T>(work, first + i, i > 0) + element);
        sum[0] += four.x;
        sum[1] += four.y;
        sum[2] += four.z;
        sum[3] += four.w;
    }
    *(float4 *)&sums[warp][column] = make_float4(sum[0], sum[1], sum[2], sum[3]);
    __syncthreads();
    if (member > 0)
        return;
    for (unsigned w = 1; w < together; w++)
        for (unsigned j = 0; j < 4; j++)
            sum[j] += sums[warp + w][column + j];
    const struct tile_coord tile = tile_at<T>(work, blockIdx.x);
    struct gemm scaled = call;

    scaled.alpha = 1;
    store_4(scaled, tile.row + element / T::N, tile.column + element % T::N, sum,
            has_aligned_rows(call.c, call.ldc));
}

#endif
/* SPDX-License-Identifier: MIT */
