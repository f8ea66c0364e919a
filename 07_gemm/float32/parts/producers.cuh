/* Step 07's producer warps: they copy tiles of A and B to the ring. */
#ifndef RUNGS_07_PRODUCERS_CUH
#define RUNGS_07_PRODUCERS_CUH

#include "float32/parts/ring.cuh"
#include "kernel/tma.cuh"

/* The 16-byte loads of A per thread and stage. All producers together load 16 rows of 32 floats,
 * then the next 16 rows. If a stage is deeper than 32, they then load the next 32 floats of all
 * rows. A thread has at most 8 loads in flight. */
template <typename T>
struct Loads {
    static const unsigned DOWN = T::M / 16, COUNT = DOWN * (T::DEPTH / 32);
    static const unsigned BATCH = COUNT < 8 ? COUNT : 8;
};

/* The row of the tile of A, and the value of p, for load number i of a thread. 8 lanes load 32
 * floats of a row, so a warp loads from 4 rows. */
template <typename T>
static __device__ unsigned row_of_load(unsigned i)
{
    return threadIdx.x % PRODUCERS / 8 + i % Loads<T>::DOWN * 16;
}

template <typename T>
static __device__ unsigned p_of_load(unsigned i)
{
    return threadIdx.x % 8 * 4 + i / Loads<T>::DOWN * 32;
}

/* Loads a batch of a k-step, whose first value of p is `first`. Past the end of a row it sets 0. */
template <typename T>
static __device__ void fetch_a(const struct gemm &call, const float *tile_a,
                               const unsigned offset[Loads<T>::COUNT], size_t first, unsigned batch,
                               bool aligned, float4 fours[Loads<T>::BATCH])
{
    typedef Loads<T> L;
    const char *const from = (const char *)(tile_a + first);
    const bool inside = first + p_of_load<T>(batch * L::BATCH + L::BATCH - 1) + 4 <= call.k;

    if (aligned && inside) {
#pragma unroll
        for (unsigned i = 0; i < L::BATCH; i++)
            fours[i] = *(const float4 *)(from + offset[batch * L::BATCH + i]);
    } else if (inside) {
#pragma unroll
        for (unsigned i = 0; i < L::BATCH; i++) {
            const float *const row = (const float *)(from + offset[batch * L::BATCH + i]);
            fours[i] = make_float4(row[0], row[1], row[2], row[3]);
        }
    } else {
#pragma unroll
        for (unsigned i = 0; i < L::BATCH; i++) {
            const float *const row = (const float *)(from + offset[batch * L::BATCH + i]);
            const size_t p = first + p_of_load<T>(batch * L::BATCH + i);
            fours[i] = make_float4(p < call.k ? row[0] : 0, p + 1 < call.k ? row[1] : 0,
                                   p + 2 < call.k ? row[2] : 0, p + 3 < call.k ? row[3] : 0);
        }
    }
}

template <typename T>
static __device__ void put_a(float *tile_a, unsigned batch, const float4 fours[Loads<T>::BATCH])
{
#pragma unroll
    for (unsigned i = 0; i < Loads<T>::BATCH; i++) {
        const unsigned load = batch * Loads<T>::BATCH + i;
        float *const to = tile_a + p_of_load<T>(load) * T::PADDED_M + row_of_load<T>(load);
        to[0] = fours[i].x;
        to[T::PADDED_M] = fours[i].y;
        to[2 * T::PADDED_M] = fours[i].z;
        to[3 * T::PADDED_M] = fours[i].w;
    }
}

/* B copied by all producer threads, because it needs no transposition. The copies are asynchronous,
 * of 16 bytes if B's rows are aligned, else of 4. Outside B they read nothing and write zeros. */
struct copied_b {
    const float *b;
    size_t ldb, k, n;

    /* Arrivals per stage at its full barrier: each thread arrives, and so do its copies later. */
    static const unsigned ARRIVALS = 2 * PRODUCERS;

    template <typename T>
    __device__ void copy(float *to, size_t column, size_t row, unsigned thread,
                         phase_barrier *full) const
    {
        const bool aligned = has_aligned_rows(b, ldb);

        for (unsigned i = thread; i < T::B_FLOATS / 4; i += PRODUCERS) {
            const size_t at_row = row + i / (T::N / 4);
            const size_t at_column = column + i % (T::N / 4) * 4;
            const float *const from = b + at_row * ldb + at_column;
            if (aligned && at_column + 4 <= n) {
                copy_floats<4>(to + i * 4, from, at_row < k);
            } else {
                for (unsigned j = 0; j < 4; j++)
                    copy_floats<1>(to + i * 4 + j, from + j, at_row < k && at_column + j < n);
            }
        }
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(full))
                     : "memory");
    }

    template <unsigned COUNT>
    __device__ void copy_floats(float *to, const float *from, bool inside) const
    {
        const unsigned bytes = COUNT * (unsigned)sizeof(float);

        asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                     "l"(inside ? from : b), "n"(bytes), "r"(inside ? bytes : 0)
                     : "memory");
    }
};

/* A tile's offsets in the rows of A have 32 bits. These rungs decline products with longer rows. */
template <typename T>
static inline bool has_short_rows(const struct gemm *call)
{
    return call->lda <= (size_t)UINT32_MAX / sizeof(float) / T::M - T::DEPTH;
}

/* Whether the TMA can copy B. Its rows must begin at multiples of 16 bytes, and the TMA's
 * coordinates are signed 32-bit integers. */
static inline bool tma_takes_b(const struct gemm *call)
{
    return has_aligned_rows(call->b, call->ldb) && call->n <= INT32_MAX && call->k <= INT32_MAX;
}

/* The tensor map of B for tiles of depth x columns elements. The TMA fills elements outside B with
 * zeros. */
static inline CUtensorMap describe_b(const struct gemm *call, unsigned depth, unsigned columns)
{
    const struct mapped_matrix b = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                    sizeof(float),
                                    call->b,
                                    call->k,
                                    call->n,
                                    call->ldb,
                                    depth,
                                    columns};

    return map_matrix(&b, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
}

/* B copied by the TMA with one instruction of one thread. Its rows must be aligned. */
struct tma_b {
    const CUtensorMap *map;

    static const unsigned ARRIVALS = PRODUCERS + 1; /* one more arrives expecting B's bytes */

    template <typename T>
    __device__ void copy(float *to, size_t column, size_t row, unsigned thread,
                         phase_barrier *full) const
    {
        if (thread != 0)
            return;
        barrier_arrive_expecting(full, T::B_FLOATS * sizeof(float));
        copy_tile(to, map, row, column, full);
    }
};

/* Copies what a tile of C needs in `steps` k-steps from step `first` on. A must be transposed, so
 * it is loaded into registers and stored from there. */
template <typename T, typename B>
static __device__ void produce_tile(const struct gemm &call, const B &b, struct tile_coord tile,
                                    unsigned first, unsigned steps, const struct ring &ring,
                                    struct slot *slot)
{
    typedef Loads<T> L;
    const bool aligned = has_aligned_rows(call.a, call.lda);
    const float *const tile_a = call.a + tile.row * call.lda;
    const size_t last_row = call.m - 1 - tile.row;
    /* Offsets in bytes from the tile's first row; these take fewer instructions than pointers. For
     * a row outside A, the last row is loaded, because the results are not stored. */
    unsigned offset[L::COUNT];
    /* The next k-step's loads are also in flight if that takes few registers. */
    const bool ahead = L::COUNT <= 4;
    float4 next[L::BATCH];

#pragma unroll
    for (unsigned i = 0; i < L::COUNT; i++)
        offset[i] =
            (unsigned)((min((size_t)row_of_load<T>(i), last_row) * call.lda + p_of_load<T>(i)) *
                       sizeof(float));
    if (ahead)
        fetch_a<T>(call, tile_a, offset, (size_t)first * T::DEPTH, 0, aligned, next);
    for (unsigned step = first; step < first + steps; step++) {
        const size_t column = (size_t)step * T::DEPTH;
        float *const to = ring.a + slot->stage * T::A_FLOATS;
        float4 fours[L::BATCH];

        if (ahead) {
#pragma unroll
            for (unsigned i = 0; i < L::BATCH; i++)
                fours[i] = next[i];
            if (step + 1 < first + steps)
                fetch_a<T>(call, tile_a, offset, column + T::DEPTH, 0, aligned, next);
        } else {
            fetch_a<T>(call, tile_a, offset, column, 0, aligned, fours);
        }
        barrier_wait(&ring.free[slot->stage], slot->parity); /* with the loads in flight */
        b.template copy<T>(ring.b + slot->stage * T::B_FLOATS, tile.column, column,
                           threadIdx.x - T::CONSUMERS, &ring.full[slot->stage]);
        put_a<T>(to, 0, fours);
#pragma unroll
        for (unsigned batch = 1; batch < L::COUNT / L::BATCH; batch++) {
            fetch_a<T>(call, tile_a, offset, column, batch, aligned, fours);
            put_a<T>(to, batch, fours);
        }
        barrier_arrive(&ring.full[slot->stage]);
        advance<T>(slot);
    }
}

#endif
/* SPDX-License-Identifier: MIT */
