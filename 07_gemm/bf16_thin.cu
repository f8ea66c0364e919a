/* Step 07, bfloat16: C has few rows or few columns. One matrix is large, and each of its elements
 * is used for few products: what counts is how fast it comes.
 *
 * A tile has 128 or 256 of the large matrix's rows or columns and all of the small one's. There are
 * fewer tiles than multiprocessors, so the blocks of a cluster share the steps along k of a tile
 * (split-K). Their sums meet in shared memory: each block adds up its part of the tile, which it
 * reads from all of the cluster.
 *
 * Better: all multiprocessors bring data, with more than 200 KB on its way to each; partial sums
 * need neither device memory nor a second kernel. Still bad: the last of several waves of tiles may
 * leave multiprocessors idle. */
#include <float.h>

#include "bf16_hopper.cuh"
#include "device/gpu.h"
#include "kernel/cluster.cuh"
#include "kernel/dependent_launch.cuh"

static const unsigned CONSUMERS = 2 * WARPGROUP, THREADS = CONSUMERS + 32, MOST_SPLITS = 8;

/* WIDE: C has few rows, and wgmma computes it transposed: the instruction always has 64 rows, which
 * are columns of B here. Otherwise C has few columns, and the 64 rows are rows of A. */
template <unsigned FEW_ROWS_OR_COLUMNS, bool IS_WIDE, unsigned OF_THE_OTHERS>
struct plan {
    static const unsigned FEW = FEW_ROWS_OR_COLUMNS, MANY = OF_THE_OTHERS;
    static const bool WIDE = IS_WIDE;
    static const unsigned ROWS = WIDE ? FEW : MANY, COLUMNS = WIDE ? MANY : FEW;

    /* Each of the two warpgroups has as many times 64 of the many, and their sums. */
    static const unsigned TIMES = MANY / 128;
    typedef float sums[TIMES][FEW / 2];

    static const unsigned MOST_BYTES = 224 << 10;
    static const unsigned STAGES = MOST_BYTES / ((ROWS + COLUMNS) * ROW_BYTES);
    typedef tensor_ring<ROWS, COLUMNS, STAGES> ring;
    static const unsigned SHARED_BYTES = STAGES * ring::STAGE_BYTES;

    /* A row of sums in shared memory: such that a warp's stores have no bank conflicts. */
    static const unsigned PITCH = COLUMNS + (WIDE ? 4 : 8);
};

/* A block's tile and its steps along k. */
struct share {
    size_t row, column;
    unsigned first_step, end;
};

template <typename Plan>
static __device__ struct share share_of(const struct gemm &call, unsigned rank, unsigned splits)
{
    const unsigned steps = (unsigned)((call.k + STEP_K - 1) / STEP_K);
    const unsigned row_tiles = (unsigned)((call.m + Plan::ROWS - 1) / Plan::ROWS);
    const unsigned tile = blockIdx.x / splits;

    return {(size_t)(tile % row_tiles) * Plan::ROWS, (size_t)(tile / row_tiles) * Plan::COLUMNS,
            (unsigned)((unsigned long long)steps * rank / splits),
            (unsigned)((unsigned long long)steps * (rank + 1) / splits)};
}

template <typename Plan>
static __device__ void produce(typename Plan::ring ring, const CUtensorMap *a, const CUtensorMap *b,
                               const struct share &share)
{
    for (unsigned step = share.first_step; step < share.end; step++) {
        barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
        bring_tiles(ring, a, b, share.row, share.column, (size_t)step * STEP_K);
        ring.advance();
    }
}

/* 64 columns of B, and all rows of A: a step's products for C transposed. The caller starts and
 * commits them. */
template <unsigned SUMS>
static __device__ void multiply_transposed(float (&sum)[SUMS], const unsigned char *panel_of_b,
                                           const unsigned char *tile_a, bool is_first)
{
    const unsigned terms = 16;
    const uint64_t a = wgmma_tile(tile_a, 0), b = wgmma_tile(panel_of_b, PANEL_BYTES);

#pragma unroll
    for (unsigned i = 0; i < STEP_K / terms; i++)
        multiply_bf16<true>(sum, wgmma_further(b, i * terms * ROW_BYTES),
                            wgmma_further(a, i * terms * sizeof(uint16_t)), !is_first || i > 0);
}

/* A step's products of the warpgroup. */
template <typename Plan>
static __device__ void multiply_many(const typename Plan::ring &ring, typename Plan::sums &sum,
                                     unsigned warpgroup, bool is_first)
{
    const unsigned first = warpgroup * Plan::TIMES;

#pragma unroll
    for (unsigned i = 0; i < Plan::TIMES; i++) {
        if (!Plan::WIDE) {
            multiply_step(sum[i], ring.a() + (first + i) * 64 * ROW_BYTES, ring.b(), is_first);
            continue;
        }
        wgmma_start();
        multiply_transposed(sum[i], ring.b() + (first + i) * PANEL_BYTES, ring.a(), is_first);
        wgmma_commit();
    }
}

template <typename Plan>
static __device__ void consume(typename Plan::ring ring, const struct share &share,
                               typename Plan::sums &sum)
{
    const unsigned warpgroup = warpgroup_of_thread();

    for (unsigned step = share.first_step; step < share.end; step++) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_many<Plan>(ring, sum, warpgroup, step == share.first_step);
        wgmma_wait<Plan::TIMES>(); /* the step before has ended */
        if (step > share.first_step)
            release(&ring.free[(ring.stage + Plan::STAGES - 1) % Plan::STAGES]);
        ring.advance();
    }
#pragma unroll
    for (unsigned i = 0; i < Plan::TIMES; i++)
        wgmma_finish(sum[i]);
}

/* Puts the warpgroup's sums into the block's tile of sums. */
template <typename Plan>
static __device__ void keep_sums(float *tile, const typename Plan::sums &sum)
{
    const unsigned thread = threadIdx.x % WARPGROUP, first = threadIdx.x / WARPGROUP * Plan::TIMES;
    const unsigned along = first * 64 + thread / 32 * 16 + thread % 32 / 4;

#pragma unroll
    for (unsigned i = 0; i < Plan::TIMES * Plan::FEW / 2; i += 2) {
        const unsigned j = i % (Plan::FEW / 2), few = j / 4 * 8 + thread % 4 * 2;
        const unsigned large = along + i / (Plan::FEW / 2) * 64 + j / 2 % 2 * 8;
        const float *const two = &sum[i / (Plan::FEW / 2)][j];
        if (Plan::WIDE) {
            tile[few * Plan::PITCH + large] = two[0];
            tile[(few + 1) * Plan::PITCH + large] = two[1];
        } else {
            *(float2 *)(tile + large * Plan::PITCH + few) = make_float2(two[0], two[1]);
        }
    }
}

/* Adds up the block's part of the tile, four columns a thread, and stores it. */
template <typename Plan>
static __device__ void add_shares(const struct gemm &call, const float *tile,
                                  const struct share &share, unsigned rank, unsigned splits)
{
    const unsigned fours = Plan::COLUMNS / 4;
    const unsigned rows = (unsigned)min((size_t)Plan::ROWS, call.m - share.row);
    const bool even = has_even_columns(call);

    for (unsigned i = rank * THREADS + threadIdx.x; i < rows * fours; i += splits * THREADS) {
        const unsigned row = i / fours, column = i % fours * 4;
        const float4 *const here = (const float4 *)(tile + row * Plan::PITCH + column);
        float4 sum = load_from_block(here, 0);
        for (unsigned block = 1; block < splits; block++) {
            const float4 more = load_from_block(here, block);
            sum.x += more.x;
            sum.y += more.y;
            sum.z += more.z;
            sum.w += more.w;
        }
        store_pair(call, share.row + row, share.column + column, sum.x, sum.y, even);
        store_pair(call, share.row + row, share.column + column + 2, sum.z, sum.w, even);
    }
}

template <typename Plan>
static __device__ void multiply_share(const struct gemm &call, const CUtensorMap *a,
                                      const CUtensorMap *b, unsigned splits)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[Plan::STAGES], free[Plan::STAGES];
    const typename Plan::ring ring = {tiles, full, free, 0, 0};
    const unsigned rank = rank_in_cluster();
    const struct share share = share_of<Plan>(call, rank, splits);
    float *const tile = (float *)tiles;

    if (threadIdx.x == 0)
        ring.create_barriers(CONSUMERS / 32);
    __syncthreads();
    overlap_launches();

    if (threadIdx.x >= CONSUMERS) {
        if (threadIdx.x == CONSUMERS)
            produce<Plan>(ring, a, b, share);
        __syncwarp();
    } else {
        typename Plan::sums sum;
        consume<Plan>(ring, share, sum);
        asm volatile("bar.sync 1, %0;" ::"n"(CONSUMERS) : "memory"); /* the tiles are free */
        keep_sums<Plan>(tile, sum);
    }
    cluster_barrier();
    add_shares<Plan>(call, tile, share, rank, splits);
    cluster_barrier(); /* nobody may end while others read its memory */
}

typedef void kernel_of_share(const struct gemm, const CUtensorMap, const CUtensorMap,
                             const unsigned);

#define KERNEL(plan)                                                                               \
    static __global__ void __launch_bounds__(THREADS, 1)                                           \
        thin_##plan(const struct gemm call, const __grid_constant__ CUtensorMap a,                 \
                    const __grid_constant__ CUtensorMap b, const unsigned splits)                  \
    {                                                                                              \
        multiply_share<plan>(call, &a, &b, splits);                                                \
    }

typedef plan<64, true, 128> wide_64;
typedef plan<128, true, 128> wide_128;
typedef plan<64, false, 128> tall_64;
typedef plan<128, false, 128> tall_128;
typedef plan<64, true, 256> wide_64_of_256;
typedef plan<128, true, 256> wide_128_of_256;
typedef plan<64, false, 256> tall_64_of_256;
typedef plan<128, false, 256> tall_128_of_256;

KERNEL(wide_64)
KERNEL(wide_128)
KERNEL(tall_64)
KERNEL(tall_128)
KERNEL(wide_64_of_256)
KERNEL(wide_128_of_256)
KERNEL(tall_64_of_256)
KERNEL(tall_128_of_256)

/* ---- launch ---------------------------------------------------------------------------------- */

/* How many clusters of that many blocks run at the same time. A cluster lies within a group of
 * multiprocessors (GPC), and groups differ in size, so that the device must say. */
template <typename Plan>
static unsigned clusters_of(kernel_of_share *kernel, unsigned splits)
{
    static unsigned found[MOST_GPUS][MOST_SPLITS + 1];
    unsigned &clusters = found[gpu_place()][splits];

    if (clusters == 0) {
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)Plan::SHARED_BYTES);
        clusters = max(most_clusters(kernel, splits, THREADS, Plan::SHARED_BYTES), 1U);
    }
    return clusters;
}

/* A tile's kernel, how many blocks share a tile, and how long that would take, in units of 64 rows
 * of 128 bytes that a multiprocessor brings. */
struct choice {
    unsigned splits;
    double cost;
};

template <typename Plan>
static size_t tiles_of(const struct gemm *call)
{
    return ((call->m + Plan::ROWS - 1) / Plan::ROWS) *
           ((call->n + Plan::COLUMNS - 1) / Plan::COLUMNS);
}

/* As many as bring the most in the fewest steps. To start and end takes as long as some steps;
 * measured on an H200, of tiles of 256 columns longer, but not where rows of B begin within cache
 * lines. */
template <typename Plan>
static struct choice choose_splits(const struct gemm *call, kernel_of_share *kernel)
{
    const unsigned start = !Plan::WIDE || Plan::MANY == 128 ? 3 : call->ldb % 64 == 0 ? 6 : 0;
    const double of_step = (Plan::MANY + Plan::FEW) / 64.0;
    struct choice best = {1, DBL_MAX};

    for (unsigned splits = 1; splits <= min(MOST_SPLITS, steps_along_k(call)); splits++) {
        const size_t clusters = clusters_of<Plan>(kernel, splits);
        const size_t waves = (tiles_of<Plan>(call) + clusters - 1) / clusters;
        const size_t steps = waves * ((steps_along_k(call) + splits - 1) / splits + start);
        const double cost = (double)steps * of_step + splits;
        if (cost < best.cost)
            best = {splits, cost};
    }
    return best;
}

#define LAUNCH(plan, splits)                                                                       \
    do {                                                                                           \
        const CUtensorMap a = map_a(call, plan::ROWS), b = map_b(call);                            \
        launch_dependent_clusters(thin_##plan, splits, (unsigned)tiles_of<plan>(call) * (splits),  \
                                  THREADS, plan::SHARED_BYTES, *call, a, b, splits);               \
    } while (false)

/* Tiles of 128 or of 256. */
#define LAUNCH_FASTER(plan)                                                                        \
    do {                                                                                           \
        const struct choice small = choose_splits<plan>(call, thin_##plan);                        \
        const struct choice large = choose_splits<plan##_of_256>(call, thin_##plan##_of_256);      \
        if (small.cost <= large.cost)                                                              \
            LAUNCH(plan, small.splits);                                                            \
        else                                                                                       \
            LAUNCH(plan##_of_256, large.splits);                                                   \
    } while (false)

extern "C" void launch_tma_stores(const struct gemm *call);

extern "C" void launch_thin_bf16(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    if (!tma_can_load(call) || (call->m > 128 && call->n > 128)) {
        launch_tma_stores(call);
        return;
    }
    if (call->m <= call->n) {
        if (call->m <= 64)
            LAUNCH_FASTER(wide_64);
        else
            LAUNCH_FASTER(wide_128);
    } else if (call->n <= 64) {
        LAUNCH_FASTER(tall_64);
    } else {
        LAUNCH_FASTER(tall_128);
    }
}
