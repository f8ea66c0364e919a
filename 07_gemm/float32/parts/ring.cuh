/* Shared by step 07's kernels with producer and consumer warps: the shape of a block's tile, and
 * the ring buffer of tiles in shared memory. */
#ifndef RUNGS_07_RING_CUH
#define RUNGS_07_RING_CUH

#include "kernel/mbarrier.cuh"
#include "parts/matrix.cuh"

static const unsigned PRODUCERS = 128;

/* A consumer warp computes WARP_M rows of C. Each of its threads computes 8 of them. */
static const unsigned THREAD_M = 8, WARP_M = 64;

/* A block's tile. DOWN x ACROSS warps compute it in each of SLICES slices, which divide a stage's
 * values of p. A stage has DEPTH values of p, and the ring has STAGES stages. A warp computes
 * WARP_N columns, and each of its threads 1/4 of them. NEIGHBOURS of a thread's rows are
 * adjacent. */
template <unsigned DOWN_, unsigned ACROSS_, unsigned SLICES_, unsigned DEPTH_, unsigned STAGES_,
          unsigned WARP_N_ = 64, unsigned NEIGHBOURS_ = 4>
struct Tile {
    static const unsigned DOWN = DOWN_, ACROSS = ACROSS_, SLICES = SLICES_;
    static const unsigned DEPTH = DEPTH_, STAGES = STAGES_;
    static const unsigned WARP_N = WARP_N_, THREAD_N = WARP_N / 4, NEIGHBOURS = NEIGHBOURS_;
    static const unsigned FOURS = THREAD_N / 4 * 4; /* in groups of four; the rest is a pair */
    static_assert(THREAD_N % 2 == 0, "no element is by itself");
    static const unsigned M = DOWN * WARP_M, N = ACROSS * WARP_N;
    static const unsigned CONSUMERS = DOWN * ACROSS * SLICES * 32;

    /* A tile of A is [p][row], padded to avoid bank conflicts when producers store it. A tile of B
     * is [p][column]. */
    static const unsigned PADDED_M = M + 4;
    static const unsigned A_FLOATS = DEPTH * PADDED_M, B_FLOATS = DEPTH * N;

    /* How many of a stage's values of p a slice multiplies, and how many of these per loop
     * iteration. A longer loop would not fit in the instruction cache. */
    static const unsigned SLICE_DEPTH = DEPTH / SLICES, UNROLL = SLICE_DEPTH < 8 ? SLICE_DEPTH : 8;

    /* How many of a thread's rows of sums it stores. The slices divide the rows among them. */
    static const unsigned ROWS = THREAD_M / SLICES;
    /* For the exchange of sums between slices, and between the lanes of a warp (store_rows). There
     * a row has 16 floats more than a multiple of 32, so neighbouring rows start 16 banks apart. */
    static const unsigned PADDED_ROW = (WARP_N + 15) / 32 * 32 + 16;
    static const unsigned EXCHANGE = (THREAD_M - ROWS) * THREAD_N * CONSUMERS;
    static const unsigned ROWS_FLOATS = CONSUMERS / 32 * 8 * PADDED_ROW;
    static const unsigned C_FLOATS = EXCHANGE > ROWS_FLOATS ? EXCHANGE : ROWS_FLOATS;
    static const unsigned SHARED_BYTES =
        (STAGES * (A_FLOATS + B_FLOATS) + C_FLOATS) * (unsigned)sizeof(float);
};

/* The tile of the rungs up to stream_k. */
typedef Tile<2, 4, 1, 32, 4> Large;

/* Each stage has two barriers, which signal that it is full or free. */
struct ring {
    float *a, *b;
    float *exchange; /* T::C_FLOATS for the consumers */
    phase_barrier *full, *free;
};

/* Creates the ring in this memory. A full barrier expects `arrivals`. All threads call it. */
template <typename T>
static __device__ struct ring start_ring(float *a, float *b, float *exchange, phase_barrier full[],
                                         phase_barrier free[], unsigned arrivals)
{
    if (threadIdx.x == 0) {
        for (unsigned s = 0; s < T::STAGES; s++) {
            barrier_create(&full[s], arrivals);
            barrier_create(&free[s], T::CONSUMERS);
        }
        barriers_created();
    }
    __syncthreads();
    return {a, b, exchange, full, free};
}

/* Creates the block's ring of tiles in its dynamic shared memory. */
template <typename T>
static __device__ struct ring make_ring(phase_barrier full[], phase_barrier free[],
                                        unsigned arrivals)
{
    extern __shared__ __align__(128) float ring_memory[];
    float *const a = ring_memory + T::STAGES * T::B_FLOATS;

    return start_ring<T>(a, ring_memory, a + T::STAGES * T::A_FLOATS, full, free, arrivals);
}

/* The current stage of the ring, and the parity of the phase to wait for. The stages start free, as
 * if a phase of parity 1 had ended. */
struct slot {
    unsigned stage, parity;
};

template <typename T>
static __device__ void advance(struct slot *slot)
{
    if (++slot->stage == T::STAGES) {
        slot->stage = 0;
        slot->parity ^= 1;
    }
}

/* The number of k-steps of a tile. */
template <typename T>
static inline __host__ __device__ unsigned steps_along(const struct gemm &call)
{
    return (unsigned)((call.k + T::DEPTH - 1) / T::DEPTH);
}

/* The first row and column of a tile of C. */
struct tile_coord {
    size_t row, column;
};

#endif
/* SPDX-License-Identifier: MIT */
