#ifndef RUNGS_07_SMALL_CUH
#define RUNGS_07_SMALL_CUH
/* Step 07: small products, where a launch and the first loads take longest. */
#include "kernel/dependent_launch.cuh"
#include "kernel/mbarrier.cuh"
#include "skinny.cuh"

/* A block computes M x N elements of C. Its 8 warps each take an eighth of the values of p; a lane
 * has M / 4 x N / 8 elements: rows 4 apart, and fours of columns. */
template <unsigned M_, unsigned N_, unsigned K_, unsigned STAGES_>
struct Small {
    static const unsigned M = M_, N = N_, K = K_, STAGES = STAGES_;
    static const unsigned PADDED_K = K + 4; /* to avoid bank conflicts */
    static const unsigned A = M * PADDED_K, STAGE = A + K * N;
    static const unsigned FLOATS = STAGES * STAGE > 8 * M *N ? STAGES *STAGE : 8 * M *N;
    static const unsigned BYTES = FLOATS * (unsigned)sizeof(float);
};

static __device__ void copy_async(float *to, const float *from, unsigned bytes, unsigned valid)
{
    if (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(valid)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)),
                     "l"(from), "r"(valid)
                     : "memory");
}

template <typename T>
static __device__ void copy_small(const struct gemm &call, size_t row, size_t column, size_t first,
                                  size_t end, float *tile_a, float *tile_b, bool a_aligned,
                                  bool b_aligned)
{
    if (a_aligned && first % 4 == 0 && end % 4 == 0) {
        for (unsigned i = threadIdx.x; i < T::M * T::K / 4; i += SKINNY_THREADS) {
            const size_t r = row + i / (T::K / 4), p = first + i % (T::K / 4) * 4;
            const bool inside = r < call.m && p < end;
            copy_async(tile_a + i / (T::K / 4) * T::PADDED_K + i % (T::K / 4) * 4,
                       inside ? call.a + r * call.lda + p : call.a, 16, inside ? 16 : 0);
        }
    } else {
        for (unsigned i = threadIdx.x; i < T::M * T::K; i += SKINNY_THREADS) {
            const size_t r = row + i / T::K, p = first + i % T::K;
            const bool inside = r < call.m && p < end;
            copy_async(tile_a + i / T::K * T::PADDED_K + i % T::K,
                       inside ? call.a + r * call.lda + p : call.a, 4, inside ? 4 : 0);
        }
    }
    if (b_aligned && call.n % 4 == 0) {
        for (unsigned i = threadIdx.x; i < T::K * T::N / 4; i += SKINNY_THREADS) {
            const size_t p = first + i / (T::N / 4), c = column + i % (T::N / 4) * 4;
            const bool inside = p < end && c < call.n;
            copy_async(tile_b + i * 4, inside ? call.b + p * call.ldb + c : call.b, 16,
                       inside ? 16 : 0);
        }
    } else {
        for (unsigned i = threadIdx.x; i < T::K * T::N; i += SKINNY_THREADS) {
            const size_t p = first + i / T::N, c = column + i % T::N;
            const bool inside = p < end && c < call.n;
            copy_async(tile_b + i, inside ? call.b + p * call.ldb + c : call.b, 4, inside ? 4 : 0);
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <typename T>
static __global__ void __launch_bounds__(SKINNY_THREADS)
    small(const struct gemm call, const struct division division)
{
    extern __shared__ __align__(16) float memory[];
    const unsigned ROWS = T::M / 4, FOURS = T::N / 32;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned across = (unsigned)((call.n + T::N - 1) / T::N);
    const unsigned tile = blockIdx.x / division.splits, split = blockIdx.x % division.splits;
    const size_t row = (size_t)(tile / across) * T::M, column = (size_t)(tile % across) * T::N;
    const size_t quads = (call.k + 3) / 4;
    const size_t begin = quads * split / division.splits * 4;
    const size_t end = min(call.k, quads * (split + 1) / division.splits * 4);
    const bool a_aligned = has_aligned_rows(call.a, call.lda);
    const bool b_aligned = has_aligned_rows(call.b, call.ldb);
    float sum[ROWS][FOURS * 4] = {};
    unsigned stage = 0;

    overlap_launches();
#pragma unroll
    for (unsigned ahead = 0; ahead < T::STAGES - 1; ahead++)
        copy_small<T>(call, row, column, begin + ahead * T::K, end, memory + ahead * T::STAGE,
                      memory + ahead * T::STAGE + T::A, a_aligned, b_aligned);
    for (size_t first = begin; first < end; first += T::K) {
        const unsigned next = (stage + T::STAGES - 1) % T::STAGES;
        if (first + (T::STAGES - 1) * T::K < end)
            copy_small<T>(call, row, column, first + (T::STAGES - 1) * T::K, end,
                          memory + next * T::STAGE, memory + next * T::STAGE + T::A, a_aligned,
                          b_aligned);
        else
            asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group %0;" ::"n"(T::STAGES - 1) : "memory");
        __syncthreads();
        const unsigned SHARE = T::K / SKINNY_WARPS;
        const float *const tile_a =
            memory + stage * T::STAGE + lane / 8 * T::PADDED_K + warp * SHARE;
        const float *const tile_b =
            memory + stage * T::STAGE + T::A + warp * SHARE * T::N + lane % 8 * 4;
#pragma unroll
        for (unsigned p = 0; p < SHARE; p += 4) {
            float a[ROWS][4];
#pragma unroll
            for (unsigned i = 0; i < ROWS; i++)
                *(float4 *)a[i] = *(const float4 *)(tile_a + i * 4 * T::PADDED_K + p);
#pragma unroll
            for (unsigned q = 0; q < 4; q++) {
                float b[FOURS * 4];
#pragma unroll
                for (unsigned j = 0; j < FOURS; j++)
                    *(float4 *)&b[j * 4] = *(const float4 *)(tile_b + (p + q) * T::N + j * 32);
#pragma unroll
                for (unsigned i = 0; i < ROWS; i++)
#pragma unroll
                    for (unsigned j = 0; j < FOURS * 4; j++)
                        sum[i][j] += a[i][q] * b[j];
            }
        }
        __syncthreads();
        stage = (stage + 1) % T::STAGES;
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    /* memory is now [warp][row][column] */
#pragma unroll
    for (unsigned i = 0; i < ROWS; i++)
#pragma unroll
        for (unsigned j = 0; j < FOURS; j++)
            *(float4 *)(memory + (warp * T::M + lane / 8 + i * 4) * T::N + lane % 8 * 4 + j * 32) =
                make_float4(sum[i][j * 4], sum[i][j * 4 + 1], sum[i][j * 4 + 2], sum[i][j * 4 + 3]);
    __syncthreads();
    const unsigned COUNT = T::M * T::N / SKINNY_THREADS;
    float total[COUNT];
#pragma unroll
    for (unsigned i = 0; i < COUNT; i++) {
        total[i] = 0;
#pragma unroll
        for (unsigned w = 0; w < SKINNY_WARPS; w++)
            total[i] += memory[w * T::M * T::N + threadIdx.x + i * SKINNY_THREADS];
    }
    if (add_splits<COUNT>(division, tile, split, T::M * T::N, total))
#pragma unroll
        for (unsigned i = 0; i < COUNT; i++) {
            const unsigned e = threadIdx.x + i * SKINNY_THREADS;
            store(call, row + e / T::N, column + e % T::N, total[i]);
        }
}
#endif
