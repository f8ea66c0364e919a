/* Step 07, bfloat16 without wgmma: split-K. If C has few tiles, several blocks share the k of each.
 * The last of them to finish adds all their partial sums, in the order of k. */
#include "bfloat16_mma/parts/pipeline.cuh"
#include "parts/workspace.h"
#include "rungs.h"

static const unsigned GROUP = 8, LEAST_STAGES = 4; /* per range */

/* The tiles of C, with k in `splits` ranges. `parts` has the partial sums, four of each thread at a
 * time. A tile's ticket counts its stored ranges; all tickets are 0 between launches. */
struct split_work {
    unsigned rows, columns, stages, splits;
    float4 *parts;
    unsigned *tickets;

    __device__ unsigned count() const
    {
        return rows * columns * splits;
    }
};

/* A range: the number, first row and first column of its tile; k from `first` to before `end`. */
struct k_range {
    unsigned tile;
    size_t row, column, first, end;
};

template <typename T>
static __device__ struct k_range range_of(const struct gemm &call, const struct split_work &work,
                                          unsigned number)
{
    const unsigned tile = number / work.splits, split = number % work.splits;
    const unsigned each = work.stages / work.splits, more = work.stages % work.splits;
    const unsigned first = split * each + min(split, more);
    const unsigned end = first + each + (split < more ? 1 : 0);
    const struct tile_of_c at = tile_in_order(tile, work.rows, work.columns, GROUP);

    return {tile, (size_t)at.row * T::M, (size_t)at.column * T::N, (size_t)first * T::K,
            min(call.k, (size_t)end * T::K)};
}

template <typename T>
static __device__ void begin_range(struct copies<T> &copies, const struct gemm &call,
                                   const struct split_work &work, unsigned number)
{
    const struct k_range range = range_of<T>(call, work, number);

    copies.begin(call, range.row, range.column, range.first, range.end);
}

/* Once all copies of a range have started, goes on to the block's next range. */
template <typename T>
static __device__ void follow(struct copies<T> &copies, const struct gemm &call,
                              const struct split_work &work, unsigned &copied)
{
    if (copies.k < copies.end)
        return;
    copied += gridDim.x;
    if (copied < work.count())
        begin_range(copies, call, work, copied);
}

/* Whether this block was the last to store a range of the tile. If so, it sees all ranges. */
static __device__ bool is_last_of_tile(const struct split_work &work, unsigned tile)
{
    __shared__ bool is_last;

    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence(); /* releases what all threads have stored */
        is_last = atomicAdd(&work.tickets[tile], 1) == work.splits - 1;
        if (is_last)
            work.tickets[tile] = 0; /* for the next launch */
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

/* Stores the partial sums of this range. If the tile's other ranges are stored already, adds those
 * of all ranges. If not, another block will do it, and the result is false. */
template <typename T>
static __device__ bool add_splits(float (&sum)[ROWS_A][T::COLUMNS_B][4],
                                  const struct split_work &work, unsigned number)
{
    const unsigned FOURS = ROWS_A * T::COLUMNS_B, tile = number / work.splits;
    float4 *const mine = work.parts + (size_t)number * FOURS * T::THREADS + threadIdx.x;
    const float4 *all = mine - (size_t)(number % work.splits) * FOURS * T::THREADS;

#pragma unroll
    for (unsigned i = 0; i < FOURS; i++) {
        float *const four = sum[i / T::COLUMNS_B][i % T::COLUMNS_B];
        mine[i * T::THREADS] = make_float4(four[0], four[1], four[2], four[3]);
        four[0] = four[1] = four[2] = four[3] = 0;
    }
    if (!is_last_of_tile(work, tile))
        return false;
    for (unsigned split = 0; split < work.splits; split++, all += FOURS * T::THREADS)
#pragma unroll
        for (unsigned i = 0; i < FOURS; i++) {
            float *const four = sum[i / T::COLUMNS_B][i % T::COLUMNS_B];
            const float4 part = __ldcg(&all[i * T::THREADS]); /* L1 may be stale */
            four[0] += part.x;
            four[1] += part.y;
            four[2] += part.z;
            four[3] += part.w;
        }
    return true;
}

/* Better: a C of few tiles keeps all SMs busy if k is long. Still bad: partial sums go to memory
 * and back, and a tile of 128 x 256 is large for a small C. */
template <typename T>
static __global__ void __launch_bounds__(T::THREADS, 1)
    split_k(const struct gemm call, const struct split_work work)
{
    extern __shared__ __align__(128) uint16_t stages[];
    const struct warp_coord warp = coord_in_tile<T>();
    struct ring ring = ring_in(stages);
    struct fragments<T> of[2];
    struct copies<T> copies;
    unsigned copied = blockIdx.x;

    begin_range(copies, call, work, copied);
    for (unsigned ahead = 0; ahead < T::STAGES - 1; ahead++) {
        copies.start(call, stages + ahead * T::STAGE_ELEMENTS);
        follow(copies, call, work, copied);
    }
    if (call.k > 0)
        begin_ring<T>(of[0], ring, warp.lane);
    for (unsigned number = blockIdx.x; number < work.count(); number += gridDim.x) {
        const struct k_range range = range_of<T>(call, work, number);
        float sum[ROWS_A][T::COLUMNS_B][4] = {};

        for (size_t k = range.first; k < range.end; follow(copies, call, work, copied)) {
            if (copies.whole_stages() > 0) {
                k = multiply_whole_stages(sum, of, call, copies, ring, warp.lane, k, range.end);
                continue;
            }
            k += T::K;
            multiply_stage_ahead<false>(sum, of, call, copies, ring, warp.lane,
                                        k < range.end || number + gridDim.x < work.count());
        }
        if (work.splits == 1 || add_splits<T>(sum, work, number))
            store_warp(call, range.row + warp.row, range.column + warp.column, sum);
    }
}

/* About one range per SM if there are fewer tiles than SMs; else one range per tile. */
template <typename T>
static struct split_work split_work_of(const struct gemm *call)
{
    struct split_work work = {(unsigned)((call->m + T::M - 1) / T::M),
                              (unsigned)((call->n + T::N - 1) / T::N),
                              (unsigned)((call->k + T::K - 1) / T::K),
                              1,
                              NULL,
                              NULL};
    const unsigned tiles = work.rows * work.columns;
    const unsigned most = work.stages / LEAST_STAGES;

    if (tiles > 0 && most > 1)
        work.splits = max(1U, min(most, (unsigned)call->multiprocessors / tiles));
    if (work.splits > 1) {
        work.parts = (float4 *)workspace_parts();
        work.tickets = workspace_flags();
    }
    return work;
}

template <typename T>
static void launch(const struct gemm *call)
{
    const struct split_work work = split_work_of<T>(call);
    const unsigned count = work.rows * work.columns * work.splits;
    const unsigned blocks = min((unsigned)call->multiprocessors, count);

    cudaFuncSetAttribute(split_k<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, T::SHARED_BYTES);
    if (blocks > 0)
        split_k<T><<<blocks, T::THREADS, T::SHARED_BYTES>>>(*call, work);
}

extern "C" void launch_split_k_bf16(const struct gemm *call)
{
    if (has_three_stages())
        launch<tile_of_three_stages>(call);
    else
        launch_two_stages_bf16(call);
}

extern "C" void launch_two_stages_bf16(const struct gemm *call)
{
    launch<tile_of_two_stages>(call);
}
/* SPDX-License-Identifier: MIT */
