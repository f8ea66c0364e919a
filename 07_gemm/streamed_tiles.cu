/* Step 07, rung `any_shape`: small tiles whose operands both come by the TMA, on Hopper
 * (sm_90a). */
#include "in_shares.cuh"
#include "kernel/dependent_launch.cuh"
#include "kernel/tensor_map.cuh"
#include "kernel/tma.cuh"
#include "plan.h"
#include "ring.cuh"
#include "shared_memory.cuh"
#include "splits.cuh"
#include "tensor_a.cuh"
#include "tensor_b.cuh"

/* A block computes M x N elements of C, each of its 8 warps for CHUNKS times four of a stage's
 * values of p. A lane has TALL rows, 4 apart, and fours of columns, 32 apart. RESIDENT blocks run
 * on a multiprocessor. */
template <unsigned TALL_, unsigned WIDE_, unsigned CHUNKS_, unsigned STAGES_, unsigned RESIDENT_>
struct StreamedTile {
    static const unsigned TALL = TALL_, WIDE = WIDE_, M = 4 * TALL, N = 8 * WIDE;
    static const unsigned CHUNKS = CHUNKS_, DEPTH = 32 * CHUNKS, STAGES = STAGES_;
    static const unsigned RESIDENT = RESIDENT_, CONSUMERS = SPLIT_THREADS;
    static const unsigned A_FLOATS = M * DEPTH, B_FLOATS = DEPTH * N;
    static const unsigned STAGE_BYTES = (A_FLOATS + B_FLOATS) * (unsigned)sizeof(float);
    static const unsigned SUMS_BYTES = SPLIT_WARPS * M * N * (unsigned)sizeof(float);
    static const unsigned SHARED_BYTES =
        STAGES * STAGE_BYTES > SUMS_BYTES ? STAGES *STAGE_BYTES : SUMS_BYTES;
    static const unsigned COUNT = M * N / SPLIT_THREADS; /* of a thread in the end */
    static_assert(SPLIT_WARPS == 8, "a warp for each chunk of a row of the swizzle");
};

/* Brings a stage, once all warps have read what is there. */
template <typename T>
static __device__ void start_stage(const CUtensorMap *a, const CUtensorMap *b, size_t p,
                                   struct place tile, const struct ring &ring, struct slot *slot)
{
    phase_barrier *const full = &ring.full[slot->stage];
    float *const to_a = ring.a + slot->stage * T::A_FLOATS;

    barrier_wait(&ring.free[slot->stage], slot->parity);
    barrier_arrive_expecting(full, T::STAGE_BYTES);
#pragma unroll
    for (unsigned c = 0; c < T::CHUNKS; c++)
        copy_tile(to_a + c * T::M * 32, a, tile.row, p + c * 32, full);
    copy_box(ring.b + slot->stage * T::B_FLOATS, b, (int)tile.column, (int)p, full);
    advance<T>(slot);
}

/* Adds a warp's products of a stage, four values of p at a time: a chunk of 16 bytes of each row of
 * A, which the swizzle has moved. */
template <typename T>
static __device__ void multiply_stage(const float *stage_a, const float *stage_b,
                                      float sum[T::TALL][T::WIDE])
{
    const unsigned warp = threadIdx.x / 32, row = threadIdx.x % 32 / 8,
                   column = threadIdx.x % 8 * 4;

#pragma unroll
    for (unsigned c = 0; c < T::CHUNKS; c++) {
        const float *const a = stage_a + c * T::M * 32 + row * 32;
        const float *const b = stage_b + (c * 32 + warp * 4) * T::N + column;
        float of_b[4][T::WIDE];

#pragma unroll
        for (unsigned p = 0; p < 4; p++)
#pragma unroll
            for (unsigned j = 0; j < T::WIDE; j += 4)
                *(float4 *)&of_b[p][j] = *(const float4 *)(b + p * T::N + j * 8);
#pragma unroll
        for (unsigned i = 0; i < T::TALL; i++) {
            float of_a[4];
            *(float4 *)of_a = *(const float4 *)(a + i * 4 * 32 + (warp ^ (row + i % 2 * 4)) * 4);
#pragma unroll
            for (unsigned p = 0; p < 4; p++)
#pragma unroll
                for (unsigned j = 0; j < T::WIDE; j++)
                    sum[i][j] += of_a[p] * of_b[p][j];
        }
    }
}

/* Adds up the warps' sums: total[i] is that of element threadIdx.x + i * SPLIT_THREADS. */
template <typename T>
static __device__ void add_warps(float *sums, const float sum[T::TALL][T::WIDE],
                                 float total[T::COUNT])
{
    const unsigned warp = threadIdx.x / 32, row = threadIdx.x % 32 / 8,
                   column = threadIdx.x % 8 * 4;
    float *const mine = sums + (warp * T::M + row) * T::N + column;

    __syncthreads(); /* all have read the last stage, where the sums go */
#pragma unroll
    for (unsigned i = 0; i < T::TALL; i++)
#pragma unroll
        for (unsigned j = 0; j < T::WIDE; j += 4)
            *(float4 *)(mine + i * 4 * T::N + j * 8) =
                make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    __syncthreads();
    add_parts_of_block<SPLIT_WARPS, T::COUNT>(sums, total);
}

/* Leaves the block's sums, waits for those of the tile's other blocks, and stores a share. */
template <typename T>
static __device__ void add_in_shares(const struct gemm &call, const struct division &division,
                                     const struct portion &portion, struct place tile,
                                     const float total[T::COUNT])
{
    extern __shared__ __align__(1024) float streamed_memory[];
    float *const parts = division.parts + (size_t)portion.tile * division.splits * T::M * T::N;

#pragma unroll
    for (unsigned i = 0; i < T::COUNT; i++)
        parts[portion.split * T::M * T::N + threadIdx.x + i * SPLIT_THREADS] =
            call.alpha * total[i];
    wait_for_parts<T>(&division.tickets[portion.tile], division.splits);
    store_share<T>(call, {parts, T::M * T::N, division.splits}, portion.split, tile,
                   (float4 *)streamed_memory);
}

template <typename T>
static __global__ void __launch_bounds__(SPLIT_THREADS, T::RESIDENT)
    streamed_tiles(const struct gemm call, const __grid_constant__ CUtensorMap a,
                   const __grid_constant__ CUtensorMap b, const struct division division,
                   unsigned across, bool in_shares)
{
    extern __shared__ __align__(1024) float streamed_memory[];
    __shared__ phase_barrier full[T::STAGES], free[T::STAGES];
    const struct ring ring = start_ring<T>(
        streamed_memory, streamed_memory + T::STAGES * T::A_FLOATS, NULL, full, free, 1);
    const struct portion portion = portion_of_block(division, call.k, T::DEPTH);
    const unsigned steps = (unsigned)((portion.end - portion.begin + T::DEPTH - 1) / T::DEPTH);
    const struct place tile = {(size_t)(portion.tile / across) * T::M,
                               (size_t)(portion.tile % across) * T::N};
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
            for (; started < steps && started < max(step + T::STAGES - 1, T::STAGES); started++)
                start_stage<T>(&a, &b, portion.begin + started * T::DEPTH, tile, ring, &ahead);
        barrier_wait(&ring.full[slot.stage], slot.parity);
        multiply_stage<T>(ring.a + slot.stage * T::A_FLOATS, ring.b + slot.stage * T::B_FLOATS,
                          sum);
        if (step + T::STAGES < steps) /* it will be filled again */
            barrier_arrive(&ring.free[slot.stage]);
        advance<T>(&slot);
    }
    add_warps<T>(streamed_memory, sum, total);
    if (in_shares) {
        add_in_shares<T>(call, division, portion, tile, total);
        return;
    }
    if (!add_splits<T::COUNT>(division, portion, T::M * T::N, total))
        return;
#pragma unroll
    for (unsigned i = 0; i < T::COUNT; i++) {
        const unsigned element = threadIdx.x + i * SPLIT_THREADS;
        store(call, tile.row + element / T::N, tile.column + element % T::N, total[i]);
    }
}

template <typename T>
static void launch(const struct gemm *call, const struct plan *plan)
{
    static bool allowed[MOST_GPUS];
    const unsigned across = (unsigned)((call->n + T::N - 1) / T::N);

    const unsigned blocks = tile_count(call, T::M, T::N) * plan->splits;

    allow_shared_memory(streamed_tiles<T>, T::SHARED_BYTES, allowed);
    if (plan->in_shares)
        launch_dependent_together(streamed_tiles<T>, blocks, SPLIT_THREADS, T::SHARED_BYTES, *call,
                                  describe_a(call, T::M), describe_b(call, T::DEPTH, T::N),
                                  division_into(plan->splits), across, true);
    else
        launch_dependent(streamed_tiles<T>, blocks, SPLIT_THREADS, T::SHARED_BYTES, *call,
                         describe_a(call, T::M), describe_b(call, T::DEPTH, T::N),
                         division_into(plan->splits), across, false);
}

void run_streamed_tiles(const struct gemm *call, const struct plan *plan)
{
    static void (*const launches[STREAMED_SHAPES])(const struct gemm *, const struct plan *) = {
        launch<StreamedTile<4, 4, 2, 4, 4>>,
        launch<StreamedTile<8, 4, 2, 4, 3>>,
        launch<StreamedTile<8, 8, 2, 4, 2>>,
        launch<StreamedTile<16, 8, 2, 6, 1>>,
    };
    launches[plan->shape](call, plan);
}
