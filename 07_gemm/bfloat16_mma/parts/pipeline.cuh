/* Step 07, bfloat16 without wgmma: what a block does in each stage. A tile inside C takes fewer
 * instructions than one at an edge: copy addresses only advance, and stores are whole sectors. */
#ifndef RUNGS_07_MMA_PIPELINE_CUH
#define RUNGS_07_MMA_PIPELINE_CUH

#include "bfloat16_mma/parts/block_tile.cuh"
#include "kernel/launch_limits.cuh"

/* From long_stages on: a block uses 144 KiB of shared memory, or 96 KiB if the GPU has less. */
typedef block_tile<128, 256, 64, 3> tile_of_three_stages;
typedef block_tile<128, 256, 64, 2> tile_of_two_stages;

static inline bool has_three_stages(void)
{
    return block_may_have(tile_of_three_stages::SHARED_BYTES);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static __device__ void copy_16_bytes(unsigned to, const uint16_t *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

/* The thread's copies for a tile of C. Those from k to before `end` have not started yet. */
template <typename T>
struct copies {
    size_t row, column, k, end;
    bool is_whole;         /* all elements of the tile exist, and rows are aligned */
    const uint16_t *a, *b; /* if so: the thread's first chunks of the next stage, */
    unsigned to_a, to_b;   /* and where they go, in bytes from the start of the stage */

    __device__ void begin(const struct gemm &call, size_t tile_row, size_t tile_column,
                          size_t first_k, size_t end_k)
    {
        const unsigned thread = threadIdx.x, bytes = sizeof(uint16_t);
        const unsigned row_of_a = thread / T::CHUNKS_A, chunk_of_a = thread % T::CHUNKS_A;
        const unsigned row_of_b = thread / T::CHUNKS_B, chunk_of_b = thread % T::CHUNKS_B;

        row = tile_row;
        column = tile_column;
        k = first_k;
        end = end_k;
        is_whole = row + T::M <= call.m && column + T::N <= call.n &&
                   has_aligned_chunks(call.a_bf16, call.lda) &&
                   has_aligned_chunks(call.b_bf16, call.ldb);
        a = call.a_bf16 + (row + row_of_a) * call.lda + k + chunk_of_a * CHUNK;
        b = call.b_bf16 + (k + row_of_b % T::K) * call.ldb + column + row_of_b / T::K * GROUP_N +
            chunk_of_b * CHUNK;
        to_a = bytes * offset_of_a<T>(row_of_a, chunk_of_a);
        to_b = bytes * offset_of_b<T>(row_of_b, chunk_of_b * CHUNK);
    }

    /* How many of the next stages are whole. */
    __device__ size_t whole_stages() const
    {
        return is_whole && k < end ? (end - k) / T::K : 0;
    }

    /* Starts the copies of the next stage, to the stage at that address. Commits them, even if
     * there are none. */
    __device__ void start(const struct gemm &call, uint16_t *stage)
    {
        if (whole_stages() > 0)
            start_part(call, (unsigned)__cvta_generic_to_shared(stage), 0, 1);
        else if (k < end)
            copy_edge<T>(call, stage, row, column, k);
        advance(call);
    }

    /* Starts one of `parts` parts of the copies of a whole stage. All chunks of a thread have the
     * same position in their rows. These rows are multiples of 8 apart, so their swizzles are
     * equal. */
    __device__ void start_part(const struct gemm &call, unsigned stage, unsigned part,
                               unsigned parts) const
    {
        const unsigned bytes = sizeof(uint16_t), of_a = T::M / T::COPIED_A;
        const unsigned all = of_a + T::N / GROUP_N * T::K / T::COPIED_B;

#pragma unroll
        for (unsigned i = 0; i < all; i++) {
            const unsigned row_a = i * T::COPIED_A, row_b = (i - of_a) * T::COPIED_B;
            if (i * parts / all != part)
                continue;
            if (i < of_a)
                copy_16_bytes(stage + to_a + row_a * T::K * bytes, a + row_a * call.lda);
            else
                copy_16_bytes(stage + to_b + row_b * GROUP_N * bytes,
                              b + row_b % T::K * call.ldb + row_b / T::K * GROUP_N);
        }
    }

    /* Goes on to the next stage, and commits the copies. */
    __device__ void advance(const struct gemm &call)
    {
        k += T::K;
        a += T::K;
        b += T::K * call.ldb;
        __pipeline_commit();
    }
};

/* ---- stages ---------------------------------------------------------------------------------- */

/* The stages in shared memory, and the number of the one that is multiplied. */
struct ring {
    uint16_t *stages;
    unsigned address; /* of the first stage */
    unsigned stage;
};

static __device__ struct ring ring_in(uint16_t *stages)
{
    return {stages, (unsigned)__cvta_generic_to_shared(stages), 0};
}

/* Waits until the first stage is full, and loads its first fragments. */
template <typename T>
static __device__ void begin_ring(struct fragments<T> &of, const struct ring &ring,
                                  struct lane_offsets lane)
{
    __pipeline_wait_prior(T::STAGES - 2);
    __syncthreads();
    load_fragments<T>(of, ring.address, lane, 0);
}

/* Does the MMAs of a stage, and starts the next copies. of[0] has the stage's first fragments.
 * Advances the ring; then of[0] has the next stage's first fragments if there are `more`. WHOLE:
 * the next copies are of a whole stage. The code then has no branches, so the compiler can move
 * copies between MMAs. */
template <bool WHOLE, typename T>
static __device__ void multiply_stage_ahead(float (&sum)[ROWS_A][T::COLUMNS_B][4],
                                            struct fragments<T> (&of)[2], const struct gemm &call,
                                            struct copies<T> &copies, struct ring &ring,
                                            struct lane_offsets lane, bool more)
{
    const unsigned free_stage = (ring.stage + T::STAGES - 1) % T::STAGES;

#pragma unroll
    for (unsigned step = 0; step < T::STEPS; step++) {
        if (step == T::STEPS - 1) { /* what is loaded next is in the next stage */
            __pipeline_wait_prior(T::STAGES - 2);
            __syncthreads(); /* its copies have arrived; this stage's fragments are loaded */
            ring.stage = (ring.stage + 1) % T::STAGES;
        }
        if (step < T::STEPS - 1 || more)
            load_fragments<T>(of[(step + 1) % 2], ring.address + ring.stage * T::STAGE_BYTES, lane,
                              (step + 1) % T::STEPS);
        if (WHOLE && step < T::STEPS - 1)
            copies.start_part(call, ring.address + free_stage * T::STAGE_BYTES, step, T::STEPS - 1);
        if (WHOLE && step == T::STEPS - 2)
            copies.advance(call);
        if (!WHOLE && step == 0)
            copies.start(call, ring.stages + free_stage * T::STAGE_ELEMENTS);
        multiply_fragments<T>(sum, of[step % 2]);
    }
}

/* The same for the stages from k to before `end` as long as the next copies are of whole stages.
 * Returns the k of the stage after them. */
template <typename T>
static __device__ size_t multiply_whole_stages(float (&sum)[ROWS_A][T::COLUMNS_B][4],
                                               struct fragments<T> (&of)[2],
                                               const struct gemm &call, struct copies<T> &copies,
                                               struct ring &ring, struct lane_offsets lane,
                                               size_t k, size_t end)
{
    const size_t stages = min(copies.whole_stages(), (end - k + T::K - 1) / T::K);

    for (size_t i = 0; i < stages; i++)
        multiply_stage_ahead<true>(sum, of, call, copies, ring, lane, true);
    return k + stages * T::K;
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* Four neighbouring lanes exchange words: lane i gets word i of each of them, in the lanes' order.
 * Masks select words, because branches would diverge. */
static __device__ void transpose_words(unsigned (&words)[4])
{
#pragma unroll
    for (unsigned distance = 1; distance <= 2; distance *= 2) {
        const unsigned upper = 0 - threadIdx.x / distance % 2; /* all bits set in the upper lanes */
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            if ((i & distance) == 0) {
                unsigned &low = words[i], &high = words[i + distance];
                const unsigned got =
                    __shfl_xor_sync(0xffffffff, (low & upper) | (high & ~upper), distance);
                low = (got & upper) | (low & ~upper);
                high = (high & upper) | (got & ~upper);
            }
    }
}

/* Stores the warp's accumulators, from (row, column) of C on. In a whole tile with beta = 0, a lane
 * stores 16 bytes at once. Four lanes have 8 columns of a row from each MMA. After an exchange,
 * each of them has all 8 columns of one of four MMAs. */
template <unsigned COLUMNS_B>
static __device__ void store_warp(const struct gemm &call, size_t row, size_t column,
                                  const float (&sum)[ROWS_A][COLUMNS_B][4])
{
    const unsigned lane = threadIdx.x % 32;

    if (call.beta != 0 || row + WARP_M > call.m || column + COLUMNS_B * 8 > call.n ||
        !has_aligned_chunks(call.c_bf16, call.ldc)) {
        store_pairs(call, row, column, sum);
        return;
    }
    row += lane / 4;
    column += lane % 4 * CHUNK;
#pragma unroll
    for (unsigned i = 0; i < ROWS_A * 2; i++)
#pragma unroll
        for (unsigned j = 0; j < COLUMNS_B; j += 4) {
            unsigned words[4];
#pragma unroll
            for (unsigned w = 0; w < 4; w++) {
                const float *const two = sum[i / 2][j + w] + i % 2 * 2;
                words[w] = bf16_pair(call.alpha * two[0], call.alpha * two[1]);
            }
            transpose_words(words);
            *(uint4 *)(call.c_bf16 + (row + i * 8) * call.ldc + column + j * 8) =
                make_uint4(words[0], words[1], words[2], words[3]);
        }
}

/* ---- a block --------------------------------------------------------------------------------- */

/* Does the MMAs of a stage, with fragments that are loaded right before them, and starts the next
 * copies. WHOLE: as above. */
template <bool WHOLE, typename T>
static __device__ void multiply_stage(float (&sum)[ROWS_A][T::COLUMNS_B][4],
                                      const struct gemm &call, struct copies<T> &copies,
                                      struct ring &ring, struct lane_offsets lane)
{
    const unsigned free_stage = (ring.stage + T::STAGES - 1) % T::STAGES;

    __pipeline_wait_prior(T::STAGES - 2);
    __syncthreads(); /* all copies have arrived, and no thread reads the previous stage */
    if (WHOLE) {
        copies.start_part(call, ring.address + free_stage * T::STAGE_BYTES, 0, 1);
        copies.advance(call);
    } else {
        copies.start(call, ring.stages + free_stage * T::STAGE_ELEMENTS);
    }
#pragma unroll
    for (unsigned step = 0; step < T::STEPS; step++) {
        struct fragments<T> of;
        load_fragments<T>(of, ring.address + ring.stage * T::STAGE_BYTES, lane, step);
        multiply_fragments<T>(sum, of);
    }
    ring.stage = (ring.stage + 1) % T::STAGES;
}

/* A block that computes one tile of C. It loads the fragments of a k-step right before its MMAs. */
template <typename T>
static __device__ void multiply_block(const struct gemm &call)
{
    extern __shared__ __align__(128) uint16_t stages[];
    const size_t row = first_row_of_tile(call.n, T::M, T::N);
    const size_t column = first_column_of_tile(call.n, T::N);
    const struct warp_coord warp = coord_in_tile<T>();
    struct ring ring = ring_in(stages);
    float sum[ROWS_A][T::COLUMNS_B][4] = {};
    struct copies<T> copies;
    size_t k = 0;

    copies.begin(call, row, column, 0, call.k);
    for (unsigned ahead = 0; ahead < T::STAGES - 1; ahead++)
        copies.start(call, stages + ahead * T::STAGE_ELEMENTS);
    for (size_t whole = copies.whole_stages(); whole > 0; whole--, k += T::K)
        multiply_stage<true>(sum, call, copies, ring, warp.lane);
    for (; k < call.k; k += T::K)
        multiply_stage<false>(sum, call, copies, ring, warp.lane);
    store_warp(call, row + warp.row, column + warp.column, sum);
}

/* The same with fragments that are loaded a k-step ahead. */
template <typename T>
static __device__ void multiply_block_ahead(const struct gemm &call)
{
    extern __shared__ __align__(128) uint16_t stages[];
    const size_t row = first_row_of_tile(call.n, T::M, T::N);
    const size_t column = first_column_of_tile(call.n, T::N);
    const struct warp_coord warp = coord_in_tile<T>();
    struct ring ring = ring_in(stages);
    float sum[ROWS_A][T::COLUMNS_B][4] = {};
    struct fragments<T> of[2];
    struct copies<T> copies;

    copies.begin(call, row, column, 0, call.k);
    for (unsigned ahead = 0; ahead < T::STAGES - 1; ahead++)
        copies.start(call, stages + ahead * T::STAGE_ELEMENTS);
    if (call.k > 0)
        begin_ring<T>(of[0], ring, warp.lane);
    size_t k = multiply_whole_stages(sum, of, call, copies, ring, warp.lane, 0, call.k);
    for (; k < call.k; k += T::K)
        multiply_stage_ahead<false>(sum, of, call, copies, ring, warp.lane, k + T::K < call.k);
    store_warp(call, row + warp.row, column + warp.column, sum);
}

#endif
/* SPDX-License-Identifier: MIT */
