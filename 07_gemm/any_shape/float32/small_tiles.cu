/* Step 07: small products, where the launch and the first loads take longest. Blocks are many, and
 * their warps, which share the values of p, wait for nobody until the end. */
#include "any_shape/float32/plan.h"
#include "any_shape/float32/split_k_ticket.cuh"
#include "kernel/mbarrier.cuh"
#include "kernel/overlap.cuh"
#include "parts/shared_memory.cuh"
#include "parts/workspace.h"

/* A block computes M x N elements of C, each of its warps all of them, for every WARPS-th chunk of
 * CHUNK values of p. A warp has a ring of its own, with a chunk a stage. A lane has M / 4 x N / 8
 * elements: rows 4 apart, and fours of columns 32 apart. */
template <unsigned M_, unsigned N_, unsigned WARPS_, unsigned CHUNK_, unsigned RESIDENT_>
struct Small {
    static const unsigned M = M_, N = N_, WARPS = WARPS_, CHUNK = CHUNK_, RESIDENT = RESIDENT_;
    static const unsigned STAGES = 2;
    static const unsigned THREADS = WARPS * 32, ROWS = M / 4, COLUMNS = N / 8;
    static const unsigned COUNT = M * N / THREADS; /* of a thread in the end */

    /* A's part of a stage is [row][p], padded to avoid bank conflicts. */
    static const unsigned PADDED = CHUNK + 4, A = M * PADDED, STAGE = A + CHUNK * N;
    static const unsigned RINGS = WARPS * STAGES * STAGE, SUMS = WARPS * M * N;
    static const unsigned NEEDED = (RINGS > SUMS ? RINGS : SUMS) * (unsigned)sizeof(float);

    /* So much that no more than RESIDENT blocks fit on a multiprocessor. Those of the next launch,
     * which may come early, would go where one has just ended, and leave others idle. */
    static const unsigned TOO_MUCH = (227 << 10) / (RESIDENT + 1);
    static const unsigned SHARED_BYTES = NEEDED > TOO_MUCH ? NEEDED : TOO_MUCH / 16 * 16;
};

/* Copies COUNT floats asynchronously, of which the first `inside` exist; the others become 0. */
template <unsigned COUNT>
static __device__ void copy_floats(float *to, const float *from, unsigned inside)
{
    if (COUNT == 4) /* past L1, which is small beside this much shared memory */
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(inside * (unsigned)sizeof(float))
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(inside * (unsigned)sizeof(float))
                     : "memory");
}

/* A part of a matrix: from (row, column) on, what is in its first rows and columns. */
struct part {
    const float *matrix;
    size_t leading, rows, columns, row, column;
};

/* The warp starts the copies of DOWN x ACROSS elements, COUNT at a time. What is outside becomes
 * 0; WHOLE: nothing is. */
template <unsigned DOWN, unsigned ACROSS, unsigned PADDED, unsigned COUNT, bool WHOLE>
static __device__ void copy_part(float *to, const struct part &part)
{
    const float *const first = part.matrix + part.row * part.leading + part.column;
    const unsigned turns = DOWN * ACROSS / COUNT / 32;

#pragma unroll(WHOLE ? turns : 4)
    for (unsigned i = 0; i < turns; i++) {
        const unsigned number = i * 32 + threadIdx.x % 32;
        const unsigned down = number / (ACROSS / COUNT), across = number % (ACROSS / COUNT) * COUNT;
        const bool inside =
            WHOLE || (part.row + down < part.rows && part.column + across < part.columns);
        const unsigned count =
            WHOLE ? COUNT : (unsigned)min((size_t)COUNT, part.columns - part.column - across);

        copy_floats<COUNT>(to + down * PADDED + across,
                           inside ? first + down * part.leading + across : part.matrix,
                           inside ? count : 0);
    }
}

template <unsigned DOWN, unsigned ACROSS, unsigned PADDED>
static __device__ void copy_any_part(float *to, const struct part &part)
{
    const bool aligned = has_aligned_rows(part.matrix, part.leading);

    if (aligned && part.row + DOWN <= part.rows && part.column + ACROSS <= part.columns)
        copy_part<DOWN, ACROSS, PADDED, 4, true>(to, part);
    else if (aligned)
        copy_part<DOWN, ACROSS, PADDED, 4, false>(to, part);
    else
        copy_part<DOWN, ACROSS, PADDED, 1, false>(to, part);
}

/* Starts the copies of a chunk, from value `first` of p on. */
template <typename T>
static __device__ void start_stage(const struct gemm &call, const struct k_range &range, size_t row,
                                   size_t column, size_t first, float *stage)
{
    if (first < range.end) {
        copy_any_part<T::M, T::CHUNK, T::PADDED>(stage,
                                                 {call.a, call.lda, call.m, range.end, row, first});
        copy_any_part<T::CHUNK, T::N, T::N>(stage + T::A,
                                            {call.b, call.ldb, range.end, call.n, first, column});
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <typename T>
static __device__ void multiply_stage(const float *stage, float sum[T::ROWS][T::COLUMNS])
{
    const unsigned lane = threadIdx.x % 32;
    const float *const a = stage + lane / 8 * T::PADDED, *const b = stage + T::A + lane % 8 * 4;

#pragma unroll
    for (unsigned p = 0; p < T::CHUNK; p += 4) {
        float of_a[T::ROWS][4];
#pragma unroll
        for (unsigned i = 0; i < T::ROWS; i++)
            *(float4 *)of_a[i] = *(const float4 *)(a + i * 4 * T::PADDED + p);
#pragma unroll
        for (unsigned q = 0; q < 4; q++) {
            float of_b[T::COLUMNS];
#pragma unroll
            for (unsigned j = 0; j < T::COLUMNS; j += 4)
                *(float4 *)&of_b[j] = *(const float4 *)(b + (p + q) * T::N + j * 8);
#pragma unroll
            for (unsigned i = 0; i < T::ROWS; i++)
#pragma unroll
                for (unsigned j = 0; j < T::COLUMNS; j++)
                    sum[i][j] += of_a[i][q] * of_b[j];
        }
    }
}

/* The warp's chunks of the range. A stage's copies are the warp's own, so that the warp waits for
 * these only, and no other warp for it. */
template <typename T>
static __device__ void multiply_chunks(const struct gemm &call, const struct k_range &range,
                                       size_t row, size_t column, float *ring,
                                       float sum[T::ROWS][T::COLUMNS])
{
    const unsigned apart = T::WARPS * T::CHUNK;
    unsigned stage = 0;
    size_t first = range.begin + threadIdx.x / 32 * T::CHUNK;

#pragma unroll
    for (unsigned ahead = 0; ahead < T::STAGES - 1; ahead++)
        start_stage<T>(call, range, row, column, first + ahead * apart, ring + ahead * T::STAGE);
    for (; first < range.end; first += apart) {
        const unsigned free_stage = (stage + T::STAGES - 1) % T::STAGES;

        start_stage<T>(call, range, row, column, first + (T::STAGES - 1) * apart,
                       ring + free_stage * T::STAGE);
        asm volatile("cp.async.wait_group %0;" ::"n"(T::STAGES - 1) : "memory");
        __syncwarp(); /* the other lanes have waited for theirs */
        multiply_stage<T>(ring + stage * T::STAGE, sum);
        __syncwarp();
        stage = (stage + 1) % T::STAGES;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
}

/* Adds up the warps' sums: total[i] is that of element threadIdx.x + i * THREADS. */
template <typename T>
static __device__ void add_warps(const float sum[T::ROWS][T::COLUMNS], float *sums,
                                 float total[T::COUNT])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    __syncthreads(); /* the sums lie where the rings were */
#pragma unroll
    for (unsigned i = 0; i < T::ROWS; i++)
#pragma unroll
        for (unsigned j = 0; j < T::COLUMNS; j += 4)
            *(float4 *)(sums + (warp * T::M + lane / 8 + i * 4) * T::N + lane % 8 * 4 + j * 8) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    __syncthreads();
    add_parts_of_block<T::WARPS, T::COUNT, T::THREADS>(sums, total);
}

template <typename T>
static __global__ void __launch_bounds__(T::THREADS, T::RESIDENT)
    small_tiles(const struct gemm call, const struct split_work work)
{
    extern __shared__ __align__(128) float memory[]; /* beside a variable of 1 byte: see docs */
    const unsigned across = (unsigned)((call.n + T::N - 1) / T::N);
    const struct k_range range = range_of_block(work, call.k, 4);
    const size_t row = (size_t)(range.tile / across) * T::M;
    const size_t column = (size_t)(range.tile % across) * T::N;
    float sum[T::ROWS][T::COLUMNS] = {}, total[T::COUNT];

    overlap_launches();
    multiply_chunks<T>(call, range, row, column, memory + threadIdx.x / 32 * T::STAGES * T::STAGE,
                       sum);
    add_warps<T>(sum, memory, total);
    if (!add_splits<T::COUNT, T::THREADS>(work, range, T::M * T::N, total))
        return;
#pragma unroll
    for (unsigned i = 0; i < T::COUNT; i++) {
        const unsigned element = threadIdx.x + i * T::THREADS;
        store(call, row + element / T::N, column + element % T::N, total[i]);
    }
}

template <typename T>
static void launch_small_tiles(const struct gemm *call, unsigned splits)
{
    static bool allowed[MOST_GPUS];

    allow_shared_memory(small_tiles<T>, T::SHARED_BYTES, allowed);
    launch_dependent(small_tiles<T>, tile_count(call, T::M, T::N) * splits, T::THREADS,
                     T::SHARED_BYTES, *call, split_into(splits));
}

void run_small_tiles(const struct gemm *call, const struct plan *plan)
{
    static void (*const launches[SMALL_SHAPES])(const struct gemm *, unsigned) = {
        launch_small_tiles<Small<16, 32, 16, 8, 1>>, launch_small_tiles<Small<16, 32, 8, 16, 3>>,
        launch_small_tiles<Small<32, 32, 8, 16, 1>>, launch_small_tiles<Small<32, 32, 8, 16, 2>>,
        launch_small_tiles<Small<32, 64, 8, 16, 1>>,
    };
    const struct gemm aligned = with_aligned_rows(call, plan->copies_a, plan->copies_b);

    launches[plan->shape](&aligned, plan->splits);
}
/* SPDX-License-Identifier: MIT */
