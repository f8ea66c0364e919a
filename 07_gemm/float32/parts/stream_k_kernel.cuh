/* Step 07's kernel that divides the k-steps of all tiles of C among blocks, and the host code for
 * it. */
#ifndef RUNGS_07_TILES_OF_C_CUH
#define RUNGS_07_TILES_OF_C_CUH

#include "float32/parts/producers.cuh"
#include "float32/parts/stream_k_work.cuh"
#include "kernel/overlap.cuh"

/* Registers per thread, as in specialized. */
static const unsigned CONSUMER_REGISTERS = 216, PRODUCER_REGISTERS = 72;

template <typename T>
static __device__ void produce(const struct gemm &call, const struct tma_b &b,
                               const struct work &work, const struct ring &ring)
{
    struct slot slot = {0, 1};

    for (struct k_range range = first_range(work); range.steps > 0; range = next_range(work, range))
        produce_tile<T>(call, b, tile_at<T>(work, range.tile), range.first, range.steps, ring,
                        &slot);
}

/* MULTIPLY adds the products of some stages to the sums. If IS_SHORT, it multiplies only
 * `work.last` values of p of a tile's last stage. */
template <typename T, bool IS_SHORT,
          void MULTIPLY(const struct ring &, struct thread_coord, unsigned, unsigned, struct slot *,
                        float[THREAD_M][T::THREAD_N])>
static __device__ void consume(const struct gemm &call, const struct work &work,
                               const struct ring &ring)
{
    const struct thread_coord at = coord_in_tile<T>();
    struct slot slot = {0, 0};

    for (struct k_range range = first_range(work); range.steps > 0;
         range = next_range(work, range)) {
        float sum[THREAD_M][T::THREAD_N] = {}, rows[T::ROWS][T::THREAD_N];
        struct gemm scaled = call;

        MULTIPLY(ring, at, range.steps, IS_SHORT ? last_values<T>(work, range) : T::SLICE_DEPTH,
                 &slot, sum);
        add_slices<T>(at, ring.exchange, sum, rows);
        if (is_sent(work, range)) {
            send_part<T>(call, work, range, at, rows);
            continue;
        }
        if (range.steps < work.k_steps) {
            collect_parts<T>(call, work, range, at, rows);
            scaled.alpha = 1;
        }
        store_tile<T>(scaled, tile_at<T>(work, range.tile), at, ring.exchange, rows);
    }
}

template <typename T, bool IS_SHORT>
static __global__ void __launch_bounds__(T::CONSUMERS + PRODUCERS, 1)
    tiles_of_c(const struct gemm call, const __grid_constant__ CUtensorMap b,
               const struct work work)
{
    __shared__ phase_barrier full[T::STAGES], free[T::STAGES];
    const struct ring ring = make_ring<T>(full, free, tma_b::ARRIVALS);

    if (threadIdx.x == T::CONSUMERS)
        prefetch_map(&b);
    overlap_launches();
    if (threadIdx.x >= T::CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce<T>(call, {&b}, work, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume<T, IS_SHORT, multiply<T, BETTER_ORDER<T>>>(call, work, ring);
    }
}

/* The numbers of tiles and k-steps of a product. The caller sets the rest of `work`. */
template <typename T>
static inline struct work work_for(const struct gemm *call)
{
    struct work work = {};

    work.row_tiles = (unsigned)((call->m + T::M - 1) / T::M);
    work.column_tiles = (unsigned)((call->n + T::N - 1) / T::N);
    work.k_steps = steps_along<T>(*call);
    return work;
}

#endif
/* SPDX-License-Identifier: MIT */
