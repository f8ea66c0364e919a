/* Step 07: small products, where the launch and the first loads take longest. Blocks are many, load
 * at once what they need for 128 values of p, and do not wait for one another. */
#include "kernel/dependent_launch.cuh"
#include "kernel/mbarrier.cuh"
#include "plan.h"
#include "shared_memory.cuh"
#include "splits.cuh"

/* A block computes M x N elements of C. Its 8 warps each take an eighth of the values of p in a
 * stage, K; a lane has M / 4 x N / 8 elements: rows 4 apart, and fours of columns 32 apart. */
template <unsigned M_, unsigned N_, unsigned K_, unsigned STAGES_>
struct Small {
    static const unsigned M = M_, N = N_, K = K_, STAGES = STAGES_, SHARE = K / SPLIT_WARPS;
    static const unsigned ROWS = M / 4, COLUMNS = N / 8;
    static const unsigned PADDED_K = K + 4; /* A is [row][p], padded to avoid bank conflicts */
    static const unsigned A = M * PADDED_K, STAGE = A + K * N;
    static const unsigned SUMS = SPLIT_WARPS * M * N;
    static const unsigned SHARED_BYTES =
        (STAGES * STAGE > SUMS ? STAGES * STAGE : SUMS) * (unsigned)sizeof(float);
};

/* Copies COUNT floats asynchronously, or zeros if they are not `inside` the matrix. */
template <unsigned COUNT>
static __device__ void copy_floats(float *to, const float *matrix, size_t offset, bool inside)
{
    const unsigned bytes = COUNT * (unsigned)sizeof(float);

    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                 "l"(inside ? matrix + offset : matrix), "n"(bytes), "r"(inside ? bytes : 0)
                 : "memory");
}

/* Starts the copies of DOWN x ACROSS elements of a matrix from (row, column) on, COUNT at a time;
 * what is outside `rows` x `columns` becomes 0. */
template <unsigned DOWN, unsigned ACROSS, unsigned PADDED, unsigned COUNT>
static __device__ void copy_part(float *to, const float *matrix, size_t leading, size_t rows,
                                 size_t columns, size_t row, size_t column)
{
    for (unsigned i = threadIdx.x; i < DOWN * ACROSS / COUNT; i += SPLIT_THREADS) {
        const unsigned down = i / (ACROSS / COUNT), across = i % (ACROSS / COUNT) * COUNT;
        copy_floats<COUNT>(to + down * PADDED + across, matrix,
                           (row + down) * leading + column + across,
                           row + down < rows && column + across < columns);
    }
}

/* Starts the copies of a stage, from value `first` of p on. */
template <typename T>
static __device__ void start_stage(const struct gemm &call, const struct portion &portion,
                                   size_t row, size_t column, size_t first, float *stage)
{
    float *const a = stage, *const b = stage + T::A;

    if (first < portion.end) {
        if (has_aligned_rows(call.a, call.lda) && portion.end % 4 == 0)
            copy_part<T::M, T::K, T::PADDED_K, 4>(a, call.a, call.lda, call.m, portion.end, row,
                                                  first);
        else
            copy_part<T::M, T::K, T::PADDED_K, 1>(a, call.a, call.lda, call.m, portion.end, row,
                                                  first);
        if (has_aligned_rows(call.b, call.ldb) && call.n % 4 == 0)
            copy_part<T::K, T::N, T::N, 4>(b, call.b, call.ldb, portion.end, call.n, first, column);
        else
            copy_part<T::K, T::N, T::N, 1>(b, call.b, call.ldb, portion.end, call.n, first, column);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <typename T>
static __device__ void multiply_stage(const float *stage, float sum[T::ROWS][T::COLUMNS])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *const a = stage + lane / 8 * T::PADDED_K + warp * T::SHARE;
    const float *const b = stage + T::A + warp * T::SHARE * T::N + lane % 8 * 4;

#pragma unroll
    for (unsigned p = 0; p < T::SHARE; p += 4) {
        float of_a[T::ROWS][4];
#pragma unroll
        for (unsigned i = 0; i < T::ROWS; i++)
            *(float4 *)of_a[i] = *(const float4 *)(a + i * 4 * T::PADDED_K + p);
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

/* Adds up the warps' sums: total[i] is that of element threadIdx.x + i * SPLIT_THREADS. */
template <typename T, unsigned COUNT>
static __device__ void add_warps(const float sum[T::ROWS][T::COLUMNS], float *sums,
                                 float total[COUNT])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

#pragma unroll
    for (unsigned i = 0; i < T::ROWS; i++)
#pragma unroll
        for (unsigned j = 0; j < T::COLUMNS; j += 4)
            *(float4 *)(sums + (warp * T::M + lane / 8 + i * 4) * T::N + lane % 8 * 4 + j * 8) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    __syncthreads();
    add_parts_of_block<SPLIT_WARPS, COUNT>(sums, total);
}

template <typename T>
static __global__ void __launch_bounds__(SPLIT_THREADS)
    small_tiles(const struct gemm call, const struct division division)
{
    extern __shared__ __align__(16) float memory[];
    const unsigned COUNT = T::M * T::N / SPLIT_THREADS;
    const unsigned across = (unsigned)((call.n + T::N - 1) / T::N);
    const struct portion portion = portion_of_block(division, call.k, 4);
    const size_t row = (size_t)(portion.tile / across) * T::M;
    const size_t column = (size_t)(portion.tile % across) * T::N;
    float sum[T::ROWS][T::COLUMNS] = {}, total[COUNT];
    unsigned stage = 0;

    overlap_launches();
#pragma unroll
    for (unsigned ahead = 0; ahead < T::STAGES - 1; ahead++)
        start_stage<T>(call, portion, row, column, portion.begin + ahead * T::K,
                       memory + ahead * T::STAGE);
    for (size_t first = portion.begin; first < portion.end; first += T::K) {
        const unsigned free_stage = (stage + T::STAGES - 1) % T::STAGES;

        start_stage<T>(call, portion, row, column, first + (T::STAGES - 1) * T::K,
                       memory + free_stage * T::STAGE);
        asm volatile("cp.async.wait_group %0;" ::"n"(T::STAGES - 1) : "memory");
        __syncthreads();
        multiply_stage<T>(memory + stage * T::STAGE, sum);
        __syncthreads();
        stage = (stage + 1) % T::STAGES;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    add_warps<T, COUNT>(sum, memory, total);
    if (!add_splits<COUNT>(division, portion, T::M * T::N, total))
        return;
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned element = threadIdx.x + i * SPLIT_THREADS;
        store(call, row + element / T::N, column + element % T::N, total[i]);
    }
}

template <typename T>
static void launch_small_tiles(const struct gemm *call, unsigned splits)
{
    static bool allowed[MOST_GPUS];
    const size_t tiles = (call->m + T::M - 1) / T::M * ((call->n + T::N - 1) / T::N);

    allow_shared_memory(small_tiles<T>, T::SHARED_BYTES, allowed);
    launch_dependent(small_tiles<T>, (unsigned)tiles * splits, SPLIT_THREADS, T::SHARED_BYTES,
                     *call, division_into(splits));
}

void run_small_tiles(const struct gemm *call, const struct plan *plan)
{
    static void (*const launches[SMALL_SHAPES])(const struct gemm *, unsigned) = {
        launch_small_tiles<Small<16, 32, 128, 2>>,
        launch_small_tiles<Small<32, 32, 128, 2>>,
        launch_small_tiles<Small<32, 64, 128, 2>>,
        launch_small_tiles<Small<16, 64, 64, 4>>,
    };
    launches[plan->shape](call, plan->splits);
}
