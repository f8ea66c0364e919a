/* Step 07: small and medium products, for which the launch, the first loads and the last wave take
 * long. Tiles are small, there are many blocks, and rows need not be aligned. */
#include "any_shape/float32/plan.h"
#include "any_shape/float32/small_copies.cuh"
#include "any_shape/float32/split_k_ticket.cuh"
#include "kernel/overlap.cuh"
#include "parts/shared_memory.cuh"
#include "parts/workspace.h"

/* A block's warps are SLICES groups of DOWN x ACROSS. Each group computes all M x N elements of the
 * tile, for every SLICES-th chunk of DEPTH values of p. It has its own ring, with a chunk per
 * stage. A warp has LANES_DOWN rows of LANES_ACROSS lanes. Each lane has four columns of ROWS rows,
 * which are LANES_DOWN apart. */
template <unsigned DOWN_, unsigned ACROSS_, unsigned SLICES_, unsigned ROWS_, unsigned STAGES_,
          unsigned RESIDENT_, unsigned LANES_ACROSS_ = 8, unsigned DEPTH_ = 16>
struct Small {
    static const unsigned DOWN = DOWN_, ACROSS = ACROSS_, SLICES = SLICES_, ROWS = ROWS_;
    static const unsigned DEPTH = DEPTH_, STAGES = STAGES_, RESIDENT = RESIDENT_;
    static const unsigned LANES_ACROSS = LANES_ACROSS_, LANES_DOWN = 32 / LANES_ACROSS;
    static const unsigned M = DOWN * ROWS * LANES_DOWN, N = ACROSS * LANES_ACROSS * 4;
    static const unsigned GROUP = DOWN * ACROSS * 32, THREADS = GROUP * SLICES;
    static const unsigned COUNT = M * N / THREADS; /* per thread at the end */

    /* A's part of a stage is [row][p], padded to avoid bank conflicts. */
    static const unsigned PADDED = DEPTH + 4, A = M * PADDED, STAGE = A + DEPTH * N;
    static const unsigned RINGS = SLICES * STAGES * STAGE, SUMS = SLICES * M * N;
    static const unsigned NEEDED = (RINGS > SUMS ? RINGS : SUMS) * (unsigned)sizeof(float);
};

template <typename T>
static __device__ void group_sync()
{
    if (T::GROUP == 32)
        __syncwarp();
    else
        asm volatile("bar.sync %0, %1;" ::"r"(1 + threadIdx.x / T::GROUP), "n"(T::GROUP)
                     : "memory");
}

/* Where a lane's elements begin in the tile. Lanes 2i and 2i + 1 have the same columns, so a warp's
 * loads of B take fewer wavefronts. */
template <typename T>
static __device__ struct tile_of_c first_of_lane()
{
    const unsigned warp = threadIdx.x % T::GROUP / 32, lane = threadIdx.x % 32;

    return {warp / T::ACROSS * T::ROWS * T::LANES_DOWN + lane / (2 * T::LANES_ACROSS) * 2 +
                lane % 2,
            (warp % T::ACROSS * T::LANES_ACROSS + lane / 2 % T::LANES_ACROSS) * 4};
}

/* a and b: the lane's first elements of the stage's parts. */
template <typename T>
static __device__ void multiply_stage(const float *a, const float *b, float sum[T::ROWS][4])
{
#pragma unroll
    for (unsigned p = 0; p < T::DEPTH; p += 4) {
        float of_a[T::ROWS][4];
#pragma unroll
        for (unsigned i = 0; i < T::ROWS; i++)
            *(float4 *)of_a[i] = *(const float4 *)(a + i * T::LANES_DOWN * T::PADDED + p);
#pragma unroll
        for (unsigned q = 0; q < 4; q++) {
            float of_b[4];
            *(float4 *)of_b = *(const float4 *)(b + (p + q) * T::N);
#pragma unroll
            for (unsigned i = 0; i < T::ROWS; i++)
#pragma unroll
                for (unsigned j = 0; j < 4; j++) { /* to and fro: see consumers.cuh */
                    const unsigned column = i % 2 == 0 ? j : 3 - j;
                    sum[i][column] += of_a[i][q] * of_b[column];
                }
        }
    }
}

/* Multiplies the group's chunks of the range, for the tile that begins at (row, column). The loop
 * advances pointers, because the compiler would otherwise compute them anew in each stage. */
template <typename T>
static __device__ void multiply_chunks(const struct gemm &call, const struct k_range &range,
                                       size_t row, size_t column, float *ring,
                                       float sum[T::ROWS][4])
{
    const unsigned group = threadIdx.x / T::GROUP;
    const int all_but_one = T::STAGES - 1, copied_ahead = all_but_one * T::SLICES * T::DEPTH;
    const int forward = T::STAGE, back = -all_but_one * forward;
    const size_t first = range.begin + group * T::DEPTH;
    const int left = (int)(range.end - first);
    struct copies next = {
        share_of<T::DEPTH, T::PADDED, T::GROUP>(call.a, call.lda, call.m, range.end, row, first),
        share_of<T::N, T::N, T::GROUP>(call.b, call.ldb, range.end, call.n, first, column), left,
        row + T::M <= call.m ? left : 0, column + T::N <= call.n ? left : 0};
    const struct tile_of_c of_lane = first_of_lane<T>();
    const float *a = ring + of_lane.row * T::PADDED, *b = ring + T::A + of_lane.column;
    int stage = 0, step = back;

#pragma unroll 1
    for (int ahead = 0; ahead < all_but_one; ahead++, ring += forward)
        start_stage<T>(&next, ring);
#pragma unroll 1
    while (next.left + copied_ahead > 0) {
        asm volatile("cp.async.wait_group %0;" ::"n"(T::STAGES - 2) : "memory");
        group_sync<T>(); /* all copies to this stage have arrived, and the one before is free */
        start_stage<T>(&next, ring);
        ring += step;
        multiply_stage<T>(a, b, sum);
        step = stage == all_but_one ? back : forward;
        stage = stage == all_but_one ? 0 : stage + 1;
        a += step;
        b += step;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    if (T::GROUP > 32 && next.left + copied_ahead + (int)(group * T::DEPTH) > 0)
        group_sync<T>(); /* the first group had a chunk more; racecheck needs equal counts */
}

/* The element of a thread's total i: in fours, for accesses of 16 bytes, or one by one. */
template <typename T>
static __device__ unsigned element_of(unsigned i, bool by_fours)
{
    return by_fours ? (i / 4 * T::THREADS + threadIdx.x) * 4 + i % 4 : i * T::THREADS + threadIdx.x;
}

/* Adds the groups' partial sums. */
template <typename T>
static __device__ void add_groups(const float sum[T::ROWS][4], float *sums, bool by_fours,
                                  float total[T::COUNT])
{
    const struct tile_of_c first = first_of_lane<T>();
    const unsigned row = threadIdx.x / T::GROUP * T::M + first.row;

    __syncthreads(); /* the sums lie where the rings were */
#pragma unroll
    for (unsigned i = 0; i < T::ROWS; i++)
        *(float4 *)(sums + (row + i * T::LANES_DOWN) * T::N + first.column) =
            make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    __syncthreads();
    if (!by_fours) {
        add_parts_of_block<T::SLICES, T::COUNT, T::THREADS>(sums, total);
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < T::COUNT; i += 4) {
        float4 all = make_float4(0, 0, 0, 0);
#pragma unroll
        for (unsigned s = 0; s < T::SLICES; s++) {
            const float4 one = *(const float4 *)(sums + s * T::M * T::N + element_of<T>(i, true));
            all = make_float4(all.x + one.x, all.y + one.y, all.z + one.z, all.w + one.w);
        }
        *(float4 *)&total[i] = all;
    }
}

template <typename T>
static __global__ void __launch_bounds__(T::THREADS, T::RESIDENT)
    small_tiles(const struct gemm call, const struct split_work work)
{
    extern __shared__ __align__(128) float memory[]; /* a bool is also in shared memory */
    const unsigned across = (unsigned)((call.n + T::N - 1) / T::N);
    const struct k_range range = range_of_block(work, call.k, 4);
    const size_t first_row = (size_t)(range.tile / across) * T::M;
    const size_t first_column = (size_t)(range.tile % across) * T::N;

    /* The last tiles of C begin earlier, if they can, so that they lie inside it. */
    const bool by_fours = T::COUNT % 4 == 0 && has_aligned_rows(call.c, call.ldc);
    const bool even = call.n % (by_fours ? 4 : alignment_of(call.b, call.ldb)) == 0;
    const size_t row = call.m < T::M ? 0 : min(first_row, call.m - T::M);
    const size_t column = call.n < T::N || !even ? first_column : min(first_column, call.n - T::N);
    float sum[T::ROWS][4] = {}, total[T::COUNT];

    overlap_launches();
    multiply_chunks<T>(call, range, row, column,
                       memory + threadIdx.x / T::GROUP * T::STAGES * T::STAGE, sum);
    add_groups<T>(sum, memory, by_fours, total);
    if (!add_splits<T::COUNT, T::THREADS>(work, range, T::M * T::N, total))
        return;
#pragma unroll
    for (unsigned i = 0; i < T::COUNT; i++) {
        const unsigned element = element_of<T>(i, by_fours);
        const size_t down = row + element / T::N, beside = column + element % T::N;

        if (down < first_row || beside < first_column)
            continue; /* another block stores it */
        if (!by_fours)
            store(call, down, beside, total[i]);
        else if (i % 4 == 0)
            store_4(call, down, beside, &total[i / 4 * 4], true);
    }
}

/* Takes so much shared memory that at most `resident` blocks fit on an SM. Blocks of the next
 * launch may come early. They would go to SMs where a block has just ended, and leave others
 * idle. */
template <typename T>
static void launch_small_tiles(const struct gemm *call, unsigned splits)
{
    static bool allowed[MOST_GPUS];
    const unsigned all = 227 << 10, blocks = tile_count(call, T::M, T::N) * splits;
    const unsigned processors = (unsigned)call->multiprocessors;
    const unsigned resident = min((unsigned)T::RESIDENT, (blocks + processors - 1) / processors);

    allow_shared_memory(small_tiles<T>, max((unsigned)T::NEEDED, all / 2), allowed);
    launch_dependent(small_tiles<T>, blocks, T::THREADS,
                     max((unsigned)T::NEEDED, all / (resident + 1) / 16 * 16), *call,
                     split_into(splits));
}

/* In the order of plan_small_tiles (any_shape/float32/times.c). Equal sizes differ in how many of
 * their blocks fit on an SM. */
void run_small_tiles(const struct gemm *call, const struct plan *plan)
{
    static void (*const launches[SMALL_SHAPES])(const struct gemm *, unsigned) = {
        launch_small_tiles<Small<1, 1, 8, 4, 3, 2>>,
        launch_small_tiles<Small<1, 1, 8, 4, 2, 3>>,
        launch_small_tiles<Small<1, 1, 4, 6, 3, 4>>,
        launch_small_tiles<Small<1, 1, 8, 6, 3, 2>>,
        launch_small_tiles<Small<1, 1, 4, 8, 3, 4>>,
        launch_small_tiles<Small<1, 1, 8, 4, 3, 2, 4>>,
        launch_small_tiles<Small<2, 1, 4, 8, 2, 2, 4>>,
        launch_small_tiles<Small<1, 2, 4, 5, 3, 3>>,
        launch_small_tiles<Small<1, 2, 4, 6, 3, 3>>,
        launch_small_tiles<Small<1, 2, 4, 7, 3, 2>>,
        launch_small_tiles<Small<1, 2, 4, 8, 3, 2>>,
        launch_small_tiles<Small<1, 2, 4, 9, 3, 2>>,
        launch_small_tiles<Small<1, 2, 4, 10, 3, 2>>,
        launch_small_tiles<Small<2, 2, 2, 6, 3, 2>>,
        launch_small_tiles<Small<2, 2, 2, 7, 3, 2>>,
        launch_small_tiles<Small<2, 2, 2, 9, 2, 2, 8, 32>>,
    };

    launches[plan->shape](call, plan->splits);
}
/* SPDX-License-Identifier: MIT */
