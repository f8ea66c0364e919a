#ifndef RUNGS_07_ANY_SHAPE_CUH
#define RUNGS_07_ANY_SHAPE_CUH
#include "base/error.h"
#include "kernel/dependent_launch.cuh"
#include "producers.cuh"
#include "work.cuh"
#include <stdio.h>
#include <stdlib.h>

/* Registers per thread. At launch all threads have the same number; then the producers release
 * some, which the consumers take. Two blocks of half as many consumers run on a multiprocessor. */
template <typename T>
struct Registers {
    static const unsigned BLOCKS = 256 / T::CONSUMERS;
    static const unsigned CONSUMER = BLOCKS == 1 ? 216 : 200, PRODUCER = BLOCKS == 1 ? 72 : 56;
};

template <typename T>
static __device__ void produce(const struct gemm &call, const struct tensor_b &b,
                               const struct work &work, const struct ring &ring)
{
    struct slot slot = {0, 1}; /* the stages start free, as if a phase of parity 1 had ended */

    for (struct share share = first_share(work); share.steps > 0; share = next_share(work, share))
        produce_tile<T>(call, b, tile_at<T>(work, share.tile), share.first, share.steps, ring,
                        &slot);
}

template <typename T>
static __device__ void consume(const struct gemm &call, const struct work &work,
                               const struct ring &ring, float *exchange)
{
    const struct within at = place_in_tile<T>();
    struct slot slot = {0, 0};

    for (struct share share = first_share(work); share.steps > 0; share = next_share(work, share)) {
        float sum[THREAD_M][THREAD_N] = {}, rows[T::ROWS][THREAD_N];
        struct gemm scaled = call;

        multiply<T>(ring, at, share.steps, &slot, sum);
        add_slices<T>(at, exchange, sum, rows);
        const bool is_part = share.steps < work.k_steps;
        if (is_part && (work.added_later || share.first + share.steps < work.k_steps)) {
            send_part<T>(call, work, share, at, rows);
            continue;
        }
        if (is_part) {
            collect_parts<T>(call, work, share, at, rows);
            scaled.alpha = 1;
        }
        store_tile<T>(scaled, tile_at<T>(work, share.tile), at, exchange, rows);
    }
}

template <typename T>
static __global__ void __launch_bounds__(T::CONSUMERS + PRODUCERS, Registers<T>::BLOCKS)
    tiles_of_c(const struct gemm call, const __grid_constant__ CUtensorMap b,
               const struct work work)
{
    extern __shared__ __align__(128) float tiles[];
    __shared__ phase_barrier full[T::STAGES], free[T::STAGES];
    const struct ring ring = {tiles + T::STAGES * T::B_FLOATS, tiles, full, free};

    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < T::STAGES; s++) {
            barrier_create(&full[s], tensor_b::ARRIVALS);
            barrier_create(&free[s], T::CONSUMERS);
        }
        barriers_created();
    }
    __syncthreads();
    overlap_launches();

    if (threadIdx.x >= T::CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers<T>::PRODUCER));
        produce<T>(call, {&b}, work, ring);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers<T>::CONSUMER));
        consume<T>(call, work, ring, tiles + T::STAGES * (T::A_FLOATS + T::B_FLOATS));
    }
}
#endif
