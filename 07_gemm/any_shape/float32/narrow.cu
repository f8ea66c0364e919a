/* Step 07, rung `narrow`: tiles of 32 or 16 columns, with A as it lies, on Hopper (sm_90a). */
#include "any_shape/float32/map_a.cuh"
#include "any_shape/float32/planned_work.cuh"
#include "kernel/tma.cuh"
#include "parts/shared_memory.cuh"

/* A stage's tile of A has a row of 128 bytes for each row of C; its chunks of 16 bytes lie where
 * the TMA's 128-byte swizzle puts them. A thread's rows are 8 apart, so that a warp's 8 rows of
 * threads read 8 neighbouring rows, whose chunks are in different banks. */
template <unsigned COLUMNS, unsigned DOWN_, unsigned SLICES_, unsigned STAGES_>
struct Narrow : Tile<DOWN_, 1, SLICES_, 32, STAGES_, COLUMNS, 1> {
    typedef Tile<DOWN_, 1, SLICES_, 32, STAGES_, COLUMNS, 1> Base;
    static const unsigned BOX_ROWS = Base::M < 256 ? Base::M : 256; /* at most, for the TMA */
    static const unsigned A_FLOATS = Base::M * Base::DEPTH;
    static const unsigned STAGE_BYTES = (A_FLOATS + Base::B_FLOATS) * (unsigned)sizeof(float);
    static const unsigned SHARED_BYTES =
        Base::STAGES * STAGE_BYTES + Base::C_FLOATS * (unsigned)sizeof(float);
    static_assert(Base::DEPTH * sizeof(float) == 128, "a row of the swizzle");
};

static const unsigned PRODUCER_WARP = 32;

template <typename T>
static __device__ struct ring make_narrow_ring(phase_barrier full[], phase_barrier free[])
{
    extern __shared__ __align__(1024) float narrow_memory[];
    float *const b = narrow_memory + T::STAGES * T::A_FLOATS;

    return start_ring<T>(narrow_memory, b, b + T::STAGES * T::B_FLOATS, full, free, 1);
}

/* One thread brings both operands. */
template <typename T>
static __device__ void produce_narrow(const CUtensorMap *a, const CUtensorMap *b,
                                      const struct work &work, const struct ring &ring)
{
    struct slot slot = {0, 1};

    for (struct share share = first_share(work); share.steps > 0; share = next_share(work, share)) {
        const struct place tile = tile_at<T>(work, share.tile);

        for (unsigned step = share.first; step < share.first + share.steps; step++) {
            const size_t p = (size_t)step * T::DEPTH;
            phase_barrier *const full = &ring.full[slot.stage];

            barrier_wait(&ring.free[slot.stage], slot.parity);
            barrier_arrive_expecting(full, T::STAGE_BYTES);
            for (unsigned row = 0; row < T::M; row += T::BOX_ROWS)
                copy_tile(ring.a + slot.stage * T::A_FLOATS + row * T::DEPTH, a, tile.row + row, p,
                          full);
            copy_tile(ring.b + slot.stage * T::B_FLOATS, b, p, tile.column, full);
            advance<T>(&slot);
        }
    }
}

static __device__ float element_of(float4 four, unsigned i)
{
    return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

/* A thread's products for four values of p, of which it has a chunk of each of its rows of A. */
template <typename T>
static __device__ void multiply_chunks(const float *tile_a, const float *tile_b, unsigned chunk,
                                       struct within at, float sum[THREAD_M][T::THREAD_N])
{
    float4 chunks[THREAD_M];

#pragma unroll
    for (unsigned i = 0; i < THREAD_M; i++)
        chunks[i] = *(const float4 *)(tile_a + i * 8 * T::DEPTH + (chunk ^ at.row % 8) * 4);
#pragma unroll
    for (unsigned p = 0; p < 4; p++) {
        float a[THREAD_M], b[T::THREAD_N];
#pragma unroll
        for (unsigned i = 0; i < THREAD_M; i++)
            a[i] = element_of(chunks[i], p);
#pragma unroll
        for (unsigned j = 0; j < T::THREAD_N / 4; j++)
            *(float4 *)&b[4 * j] = *(const float4 *)(tile_b + (chunk * 4 + p) * T::N + j * 16);
        add_products<T, TO_AND_FRO>(a, b, sum);
    }
}

/* A slice's share of each stage. */
template <typename T>
static __device__ void multiply_as_it_lies(const struct ring &ring, struct within at,
                                           unsigned steps, unsigned, struct slot *slot,
                                           float sum[THREAD_M][T::THREAD_N])
{
    static const unsigned CHUNKS = T::SHARE / 4;

#pragma unroll 1
    for (unsigned step = 0; step < steps; step++) {
        const float *const tile_a = ring.a + slot->stage * T::A_FLOATS + at.row * T::DEPTH;
        const float *const tile_b = ring.b + slot->stage * T::B_FLOATS + at.column;

        barrier_wait(&ring.full[slot->stage], slot->parity);
#pragma unroll(CHUNKS < 2 ? CHUNKS : 2)
        for (unsigned q = 0; q < CHUNKS; q++)
            multiply_chunks<T>(tile_a, tile_b, at.slice * CHUNKS + q, at, sum);
        barrier_arrive(&ring.free[slot->stage]);
        advance<T>(slot);
    }
}

template <typename T>
static __global__ void __launch_bounds__(T::CONSUMERS + PRODUCER_WARP, 1)
    narrow_tiles(const struct gemm call, const __grid_constant__ CUtensorMap a,
                 const __grid_constant__ CUtensorMap b, const struct work work)
{
    __shared__ phase_barrier full[T::STAGES], free[T::STAGES];
    const struct ring ring = make_narrow_ring<T>(full, free);

    if (threadIdx.x == T::CONSUMERS) {
        prefetch_map(&a);
        prefetch_map(&b);
    }
    overlap_launches();
    if (threadIdx.x < T::CONSUMERS)
        consume<T, false, multiply_as_it_lies<T>>(call, work, ring);
    else if (threadIdx.x == T::CONSUMERS)
        produce_narrow<T>(&a, &b, work, ring);
}

template <typename T>
static void launch(const struct gemm *call, const struct plan *plan)
{
    static bool allowed[MOST_GPUS];
    const struct work work = planned_work<T>(call, plan);

    allow_shared_memory(narrow_tiles<T>, T::SHARED_BYTES, allowed);
    launch_dependent(narrow_tiles<T>, work.blocks, T::CONSUMERS + PRODUCER_WARP, T::SHARED_BYTES,
                     *call, describe_a(call, T::BOX_ROWS), describe_b(call, T::DEPTH, T::N), work);
    launch_add_parts<T>(call, work);
}

void launch_narrow_tiles(const struct gemm *call, const struct plan *plan)
{
    if (plan->shape == TILE_512X32)
        launch<Narrow<32, 8, 1, 3>>(call, plan);
    else if (plan->shape == TILE_128X16)
        launch<Narrow<16, 2, 8, 8>>(call, plan);
    else
        launch<Narrow<32, 2, 4, 8>>(call, plan);
}
/* SPDX-License-Identifier: MIT */
