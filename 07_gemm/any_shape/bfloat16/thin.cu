/* Step 07, bfloat16: thin, which is split-K within a cluster for a skinny C. One matrix is large,
 * and each of its elements is used in few multiply-adds. What counts is how fast it is loaded.
 *
 * A tile has 64 to 256 of the large matrix's rows or columns, and 16 to 128 of the small one's,
 * mostly all. There are fewer tiles than SMs, so the blocks of a cluster share the k-steps of a
 * tile (split-K). They exchange partial sums through shared memory: each block adds one part of the
 * tile, which it reads from all blocks of the cluster.
 *
 * Better: all SMs load data, with more than 200 KB in flight per SM. L2 keeps a part of the large
 * matrix for the next product. Partial sums need neither global memory nor a second kernel. Still
 * bad: if there are several waves of tiles, the last one may leave SMs idle. */
#include "any_shape/bfloat16/epilogue.cuh"
#include "any_shape/bfloat16/plan.h"
#include "device/gpu.h"
#include "kernel/cluster_sums.cuh"
#include "kernel/l2_hints.cuh"
#include "kernel/overlap.cuh"
#include "parts/workspace.h"

/* WIDE: C has few rows, and wgmma computes it transposed. Its 64 rows are then columns of B.
 * Otherwise C has few columns, and the 64 rows are rows of A. */
template <unsigned FEW_ROWS_OR_COLUMNS, bool IS_WIDE, unsigned OF_THE_OTHERS>
struct config {
    static const unsigned FEW = FEW_ROWS_OR_COLUMNS, MANY = OF_THE_OTHERS;
    static const bool WIDE = IS_WIDE;
    static const unsigned ROWS = WIDE ? FEW : MANY, COLUMNS = WIDE ? MANY : FEW;
    static const unsigned LOADED = COLUMNS < PANEL ? PANEL : COLUMNS; /* columns of B */

    /* Each warpgroup has TIMES times 64 of the MANY, and their accumulators. */
    static const unsigned WARPGROUPS = MANY > 64 ? 2 : 1, TIMES = MANY / 64 / WARPGROUPS;
    static const unsigned CONSUMERS = WARPGROUPS * WARPGROUP, THREADS = CONSUMERS + 32;
    typedef float sums[TIMES][FEW / 2];
    static const bool IS_DIRECT = !WIDE && TIMES == 1; /* a thread has pairs of a row of C */

    static const unsigned MOST_BYTES = 224 << 10;
    static const unsigned STAGES = MOST_BYTES / ((ROWS + LOADED) * ROW_BYTES);
    typedef tma_ring<ROWS, LOADED, STAGES> ring;
    static const unsigned SHARED_BYTES = STAGES * ring::STAGE_BYTES;

    /* A row of sums in shared memory. A warp's stores have no bank conflicts with this pitch. */
    static const unsigned PITCH = COLUMNS + (WIDE ? 4 : 8);
};

/* A block's tile and its range of k-steps. */
struct k_range {
    size_t row, column;
    unsigned first_step, end;
};

template <typename Config>
static __device__ struct k_range range_of(const struct gemm &call, unsigned rank, unsigned splits)
{
    const unsigned steps = (unsigned)((call.k + STEP_K - 1) / STEP_K);
    const unsigned row_tiles = (unsigned)((call.m + Config::ROWS - 1) / Config::ROWS);
    const unsigned tile = blockIdx.x / splits;

    return {(size_t)(tile % row_tiles) * Config::ROWS, (size_t)(tile / row_tiles) * Config::COLUMNS,
            (unsigned)((unsigned long long)steps * rank / splits),
            (unsigned)((unsigned long long)steps * (rank + 1) / splits)};
}

/* L2 keeps the smaller matrix, and what the first kept_steps of each block load of the larger. */
template <typename Config>
static __device__ void produce(typename Config::ring ring, const struct gemm &call,
                               const struct maps &maps, const struct k_range &range,
                               unsigned kept_steps)
{
    const struct extent extent =
        extent_of<Config::ROWS, Config::LOADED>(call, range.row, range.column);
    const CUtensorMap *const a = extent.rows == Config::ROWS ? &maps.a : &maps.a_last;
    const struct retention hints = retention_until(range.first_step + kept_steps);

    for (unsigned step = range.first_step; step < range.end; step++) {
        const uint64_t hint = hint_at(hints, step), of_a = call.m > call.n ? hint : hints.keep;
        const uint64_t of_b = call.m > call.n ? hints.keep : hint;
        const size_t term = (size_t)step * STEP_K;
        phase_barrier *const full = &ring.full[ring.stage];

        barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
        barrier_arrive_expecting(full, bytes_of(extent));
        copy_tile_hinted(ring.a(), a, range.row, term, full, of_a);
#pragma unroll
        for (unsigned panel = 0; panel < Config::LOADED / PANEL; panel++)
            if (panel < extent.panels)
                copy_tile_hinted(ring.b() + panel * PANEL_BYTES, &maps.b, term,
                                 range.column + panel * PANEL, full, of_b);
        ring.advance();
    }
}

/* Starts the warpgroup's MMAs of a k-step. */
template <typename Config>
static __device__ void multiply_many(const typename Config::ring &ring, typename Config::sums &sum,
                                     unsigned warpgroup)
{
    const unsigned first = warpgroup * Config::TIMES;

#pragma unroll
    for (unsigned i = 0; i < Config::TIMES; i++)
        if (Config::WIDE)
            multiply_transposed(sum[i], ring.b() + (first + i) * PANEL_BYTES, ring.a());
        else
            multiply_step(sum[i], ring.a() + (first + i) * 64 * ROW_BYTES, ring.b());
}

template <typename Config>
static __device__ void consume(typename Config::ring ring, const struct k_range &range,
                               typename Config::sums &sum)
{
    const unsigned warpgroup = warpgroup_of_thread();

    for (unsigned step = range.first_step; step < range.end; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_many<Config>(ring, sum, warpgroup);
        wgmma_wait<Config::TIMES>(); /* the step before has ended */
        if (step > range.first_step)
            release(&ring.free[(ring.stage + Config::STAGES - 1) % Config::STAGES]);
        ring.advance();
    }
#pragma unroll
    for (unsigned i = 0; i < Config::TIMES; i++)
        wgmma_finish(sum[i]);
}

/* Writes the warpgroup's partial sums to the block's tile in shared memory. */
template <typename Config>
static __device__ void keep_sums(float *tile, const typename Config::sums &sum)
{
    const unsigned thread = threadIdx.x % WARPGROUP,
                   first = threadIdx.x / WARPGROUP * Config::TIMES;
    const unsigned along = first * 64 + thread / 32 * 16 + thread % 32 / 4;

#pragma unroll
    for (unsigned i = 0; i < Config::TIMES * Config::FEW / 2; i += 2) {
        const unsigned j = i % (Config::FEW / 2), few = j / 4 * 8 + thread % 4 * 2;
        const unsigned large = along + i / (Config::FEW / 2) * 64 + j / 2 % 2 * 8;
        const float *const two = &sum[i / (Config::FEW / 2)][j];
        if (Config::WIDE) {
            tile[few * Config::PITCH + large] = two[0];
            tile[(few + 1) * Config::PITCH + large] = two[1];
        } else {
            *(float2 *)(tile + large * Config::PITCH + few) = make_float2(two[0], two[1]);
        }
    }
}

/* Stores four neighbours of a row, in one access if all exist and C is `aligned` for that. */
static __device__ void store_four(const struct gemm &call, size_t row, size_t column,
                                  const float4 &sum, bool aligned)
{
    if (call.beta != 0 || !aligned || column + 4 > call.n) {
        store_pair(call, row, column, sum.x, sum.y, has_even_columns(call));
        store_pair(call, row, column + 2, sum.z, sum.w, has_even_columns(call));
        return;
    }
    *(uint2 *)(call.c_bf16 + row * call.ldc + column) =
        make_uint2(bf16_pair(call.alpha * sum.x, call.alpha * sum.y),
                   bf16_pair(call.alpha * sum.z, call.alpha * sum.w));
}

/* Adds the partial sums of the block's part of the tile, and stores it. A thread loads four
 * columns, BATCH times at once, because a load from another block takes long. */
template <typename Config>
static __device__ void add_splits(const struct gemm &call, const float *tile,
                                  const struct k_range &range, unsigned rank, unsigned splits)
{
    const unsigned fours = Config::COLUMNS / 4, BATCH = 4;
    const unsigned items = (unsigned)min((size_t)Config::ROWS, call.m - range.row) * fours;
    const unsigned end = items * (rank + 1) / splits;
    const bool aligned = (uintptr_t)call.c_bf16 % 8 == 0 && call.ldc % 4 == 0;

    for (unsigned first = items * rank / splits + threadIdx.x; first < end;
         first += Config::THREADS * BATCH) {
        const float4 *here[BATCH];
        float4 sum[BATCH] = {}, more[BATCH] = {};
#pragma unroll
        for (unsigned i = 0; i < BATCH; i++) {
            const unsigned item = first + i * Config::THREADS;
            here[i] = (const float4 *)(tile + item / fours * Config::PITCH + item % fours * 4);
            if (item < end)
                sum[i] = *here[i];
        }
        for (unsigned next = 1; next < splits; next++) {
            const unsigned block = (rank + next) % splits; /* not all blocks read the same one */
#pragma unroll
            for (unsigned i = 0; i < BATCH; i++)
                if (first + i * Config::THREADS < end)
                    more[i] = load_from_block(here[i], block);
#pragma unroll
            for (unsigned i = 0; i < BATCH; i++) {
                sum[i].x += more[i].x;
                sum[i].y += more[i].y;
                sum[i].z += more[i].z;
                sum[i].w += more[i].w;
            }
        }
#pragma unroll
        for (unsigned i = 0; i < BATCH; i++) {
            const unsigned item = first + i * Config::THREADS;
            if (item < end)
                store_four(call, range.row + item / fours, range.column + item % fours * 4, sum[i],
                           aligned);
        }
    }
}

template <typename Config>
static __device__ void multiply_range(const struct gemm &call, const struct maps &maps,
                                      unsigned splits, unsigned kept_steps)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[Config::STAGES], free[Config::STAGES];
    const typename Config::ring ring = {tiles, full, free, 0, 0};
    const unsigned rank = rank_in_cluster();
    const struct k_range range = range_of<Config>(call, rank, splits);
    const bool is_direct = Config::IS_DIRECT && splits == 1;
    float *const tile = (float *)tiles;

    if (threadIdx.x == 0)
        ring.create_barriers(Config::CONSUMERS / 32);
    if (threadIdx.x == Config::CONSUMERS)
        prefetch_maps(maps, false);
    __syncthreads();
    overlap_launches();

    if (threadIdx.x >= Config::CONSUMERS) {
        if (threadIdx.x == Config::CONSUMERS)
            produce<Config>(ring, call, maps, range, kept_steps);
        __syncwarp();
        if (is_direct)
            return;
    } else {
        typename Config::sums sum = {};
        consume<Config>(ring, range, sum);
        if (is_direct) {
            store_sums(call, range.row + threadIdx.x / WARPGROUP * 64, range.column, sum[0]);
            return;
        }
        asm volatile("bar.sync 1, %0;" ::"n"(Config::CONSUMERS)
                     : "memory"); /* the tiles are free */
        keep_sums<Config>(tile, sum);
    }
    cluster_barrier();
    add_splits<Config>(call, tile, range, rank, splits);
    cluster_barrier(); /* no block may end while others read its memory */
}

typedef void thin_kernel(const struct gemm, const struct maps, const unsigned, const unsigned);

#define CONFIG(few, wide, many) tile_##few##_of_##many##_##wide
#define KERNEL(few, wide, many) thin_##few##_of_##many##_##wide

#define DEFINE(...)                                                                                \
    typedef config<__VA_ARGS__> CONFIG(__VA_ARGS__);                                               \
    static __global__ void __launch_bounds__(CONFIG(__VA_ARGS__)::THREADS, 1)                      \
        KERNEL(__VA_ARGS__)(const struct gemm call, const __grid_constant__ struct maps maps,      \
                            const unsigned splits, const unsigned kept)                            \
    {                                                                                              \
        multiply_range<CONFIG(__VA_ARGS__)>(call, maps, splits, kept);                             \
    }

BF16_THIN_TILES(DEFINE)

/* ---- launch ---------------------------------------------------------------------------------- */

/* One tile answers for all: the others also use nearly all shared memory of a block. */
extern "C" const unsigned *bf16_clusters(void)
{
    typedef config<128, true, 128> widest;
    static unsigned of_gpus[MOST_GPUS][BF16_MOST_CLUSTER + 1];
    unsigned *const clusters = of_gpus[gpu_index()];

    if (clusters[1] == 0) {
        cudaFuncSetAttribute(thin_128_of_128_true, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)widest::SHARED_BYTES);
        for (unsigned size = 1; size <= BF16_MOST_CLUSTER; size++)
            clusters[size] = max(
                most_clusters(thin_128_of_128_true, size, widest::THREADS, widest::SHARED_BYTES),
                1U);
    }
    return clusters;
}

template <typename Config>
static void launch(thin_kernel *kernel, const struct gemm *call, const struct bf16_plan *plan)
{
    const unsigned splits = plan->splits;
    const size_t tiles = ((call->m + Config::ROWS - 1) / Config::ROWS) *
                         ((call->n + Config::COLUMNS - 1) / Config::COLUMNS);
    const size_t step_bytes = max(call->m, call->n) * STEP_K * sizeof(uint16_t);
    const size_t steps = steps_along_k(call); /* the next product does not read the same copy: */
    const bool is_copied = call->m > call->n ? plan->copies_a : plan->copies_b;
    const size_t kept = is_copied ? steps : count_kept_in_l2(steps, step_bytes);
    const struct maps maps = {map_a(call, Config::ROWS),
                              map_a(call, rows_of_last_tile(call, Config::ROWS)), map_b(call),
                              CUtensorMap{}};

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)Config::SHARED_BYTES);
    launch_dependent_clusters(kernel, splits, (unsigned)tiles * splits, Config::THREADS,
                              Config::SHARED_BYTES, *call, maps, splits,
                              (unsigned)((kept + splits - 1) / splits));
}

/* Launches this kernel if the plan has its tile. */
#define LAUNCH_IF(...)                                                                             \
    if (plan->rows == CONFIG(__VA_ARGS__)::ROWS && plan->columns == CONFIG(__VA_ARGS__)::COLUMNS)  \
        launch<CONFIG(__VA_ARGS__)>(KERNEL(__VA_ARGS__), call, plan);

extern "C" void launch_thin_tiles(const struct gemm *call, const struct bf16_plan *plan)
{
    BF16_THIN_TILES(LAUNCH_IF)
}
/* SPDX-License-Identifier: MIT */
