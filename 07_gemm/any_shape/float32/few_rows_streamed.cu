/* Step 07: products with up to 32 rows of C, for which B comes through a ring in
 * shared memory, by the TMA, on Hopper (sm_90a). */
#include "any_shape/float32/plan.h"
#include "any_shape/float32/split_k_ticket.cuh"
#include "float32/parts/producers.cuh"
#include "float32/parts/ring.cuh"
#include "kernel/l2_hints.cuh"
#include "kernel/overlap.cuh"
#include "kernel/tma.cuh"
#include "parts/shared_memory.cuh"

/* As copy_tile, with a hint to L2 (kernel/l2_hints.cuh). */
static __device__ void copy_tile_hinted(void *to, const CUtensorMap *map, int row, int column,
                                        phase_barrier *barrier, uint64_t hint)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 ".L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
                 "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier)), "l"(hint)
                 : "memory");
}

/* A block computes ROWS x N elements of C: DOWN warps below one another, each with TALL rows, and
 * SLICES of them, each for another part of a stage's values of p. A lane has FOURS fours of
 * columns, 128 apart. RESIDENT blocks run on a multiprocessor. */
template <unsigned DOWN_, unsigned FOURS_, unsigned STAGES_, unsigned RESIDENT_>
struct Streamed {
    static const unsigned TALL = 16, DOWN = DOWN_, ROWS = TALL * DOWN;
    static const unsigned WIDE = 4 * FOURS_, N = 32 * WIDE;
    static const unsigned SLICES = SPLIT_WARPS / DOWN, DEPTH = 32, CHUNKS = DEPTH / 4 / SLICES;
    static const unsigned STAGES = STAGES_, RESIDENT = RESIDENT_, CONSUMERS = SPLIT_THREADS;
    static const unsigned A_FLOATS = ROWS * DEPTH, B_FLOATS = DEPTH * N;
    static const unsigned STAGE_BYTES = (A_FLOATS + B_FLOATS) * (unsigned)sizeof(float);
    static const unsigned SHARED_BYTES = STAGES * STAGE_BYTES;
    static const unsigned COUNT = ROWS * N / SPLIT_THREADS; /* of a thread in the end */
    static_assert(TALL % 8 == 0, "the TMA's swizzle repeats after 8 rows of A");
    static_assert(SLICES * ROWS * N * sizeof(float) <= SHARED_BYTES, "the slices' sums fit");
};

/* Brings a stage, once all warps have read what is there. */
template <typename T>
static __device__ void start_stage(const CUtensorMap *a, const CUtensorMap *b, size_t p,
                                   unsigned tile, uint64_t hint, const struct ring &ring,
                                   struct slot *slot)
{
    phase_barrier *const full = &ring.full[slot->stage];

    barrier_wait(&ring.free[slot->stage], slot->parity);
    barrier_arrive_expecting(full, T::STAGE_BYTES);
    copy_tile(ring.a + slot->stage * T::A_FLOATS, a, 0, p, full);
    copy_tile_hinted(ring.b + slot->stage * T::B_FLOATS, b, (int)p, (int)(tile * T::N), full, hint);
    advance<T>(slot);
}

/* Adds a warp's products of a stage, four values of p at a time: a chunk of 16 bytes of a row of A,
 * which the swizzle has moved. */
template <typename T>
static __device__ void multiply_stage(const float *stage_a, const float *stage_b,
                                      float sum[T::TALL][T::WIDE])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *const a = stage_a + warp % T::DOWN * T::TALL * T::DEPTH;

#pragma unroll
    for (unsigned c = 0; c < T::CHUNKS; c++) {
        const unsigned chunk = warp / T::DOWN * T::CHUNKS + c;
        float of_b[4][T::WIDE];

#pragma unroll
        for (unsigned p = 0; p < 4; p++)
#pragma unroll
            for (unsigned j = 0; j < T::WIDE; j += 4)
                *(float4 *)&of_b[p][j] =
                    *(const float4 *)(stage_b + (chunk * 4 + p) * T::N + lane * 4 + j * 32);
#pragma unroll
        for (unsigned i = 0; i < T::TALL; i++) {
            float of_a[4];
            *(float4 *)of_a = *(const float4 *)(a + i * T::DEPTH + (chunk ^ i % 8) * 4);
#pragma unroll
            for (unsigned p = 0; p < 4; p++)
#pragma unroll
                for (unsigned j = 0; j < T::WIDE; j++)
                    sum[i][j] += of_a[p] * of_b[p][j];
        }
    }
}

/* Adds up the slices' sums: total[i] is that of element threadIdx.x + i * SPLIT_THREADS. */
template <typename T>
static __device__ void add_slices(float *sums, const float sum[T::TALL][T::WIDE],
                                  float total[T::COUNT])
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float *const mine = sums + (warp / T::DOWN * T::ROWS + warp % T::DOWN * T::TALL) * T::N;

    __syncthreads(); /* all have read the last stage, where the sums go */
#pragma unroll
    for (unsigned i = 0; i < T::TALL; i++)
#pragma unroll
        for (unsigned j = 0; j < T::WIDE; j += 4)
            *(float4 *)(mine + i * T::N + lane * 4 + j * 32) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    __syncthreads();
    add_parts_of_block<T::SLICES, T::COUNT>(sums, total);
}

template <typename T>
static __global__ void __launch_bounds__(SPLIT_THREADS, T::RESIDENT)
    streamed_rows(const struct gemm call, const __grid_constant__ CUtensorMap a,
                  const __grid_constant__ CUtensorMap b, const struct split_work work,
                  size_t kept_rows)
{
    extern __shared__ __align__(1024) float streamed_memory[];
    __shared__ phase_barrier full[T::STAGES], free[T::STAGES];
    const struct ring ring = start_ring<T>(
        streamed_memory, streamed_memory + T::STAGES * T::A_FLOATS, NULL, full, free, 1);
    const struct k_range range = range_of_block(work, call.k, T::DEPTH);
    const unsigned steps = (unsigned)((range.end - range.begin + T::DEPTH - 1) / T::DEPTH);
    const uint64_t keep = hint_to_keep(), evict = hint_to_evict();
    struct slot slot = {0, 0}, ahead = {0, 1};
    float sum[T::TALL][T::WIDE] = {}, total[T::COUNT];
    unsigned started = 0;

    if (threadIdx.x == 0) {
        prefetch_map(&a);
        prefetch_map(&b);
    }
    overlap_launches();
    for (unsigned step = 0; step < steps; step++) {
        /* Not yet into the stage that was read last: other warps may still be at it. */
        if (threadIdx.x == 0)
            for (; started < steps && started < max(step + T::STAGES - 1, T::STAGES); started++) {
                const size_t p = range.begin + started * T::DEPTH;
                start_stage<T>(&a, &b, p, range.tile, p < kept_rows ? keep : evict, ring, &ahead);
            }
        barrier_wait(&ring.full[slot.stage], slot.parity);
        multiply_stage<T>(ring.a + slot.stage * T::A_FLOATS, ring.b + slot.stage * T::B_FLOATS,
                          sum);
        barrier_arrive(&ring.free[slot.stage]);
        advance<T>(&slot);
    }
    add_slices<T>(streamed_memory, sum, total);
    if (!add_splits<T::COUNT>(work, range, T::ROWS * T::N, total))
        return;
#pragma unroll
    for (unsigned i = 0; i < T::COUNT; i++) {
        const unsigned element = threadIdx.x + i * SPLIT_THREADS;
        store(call, element / T::N, (size_t)range.tile * T::N + element % T::N, total[i]);
    }
}

/* A as it lies, in tiles of 32 floats by so many rows, with the 128-byte swizzle. */
static inline CUtensorMap describe_a(const struct gemm *call, unsigned rows)
{
    const struct mapped_matrix a = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                    sizeof(float),
                                    call->a,
                                    call->m,
                                    call->k,
                                    call->lda,
                                    rows,
                                    32};

    return map_matrix(&a);
}

template <typename T>
static void launch(const struct gemm *call, unsigned splits, size_t kept)
{
    static bool allowed[MOST_GPUS];
    const unsigned blocks = (unsigned)((call->n + T::N - 1) / T::N) * splits;

    allow_shared_memory(streamed_rows<T>, T::SHARED_BYTES, allowed);
    launch_dependent(streamed_rows<T>, blocks, SPLIT_THREADS, T::SHARED_BYTES, *call,
                     describe_a(call, T::ROWS), describe_b(call, T::DEPTH, T::N),
                     split_into(splits), kept / call->ldb);
}

void run_streamed(const struct gemm *call, unsigned splits, size_t kept)
{
    if (call->m <= 16)
        launch<Streamed<1, 1, 5, 2>>(call, splits, kept);
    else
        launch<Streamed<2, 2, 6, 1>>(call, splits, kept);
}
/* SPDX-License-Identifier: MIT */
