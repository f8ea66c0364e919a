/* Step 07, bfloat16 without wgmma: a block's tile of C, 64 x 32 or 64 x 64 elements per warp, and
 * the stages in shared memory for its operands. */
#ifndef RUNGS_07_MMA_BLOCK_TILE_CUH
#define RUNGS_07_MMA_BLOCK_TILE_CUH

#include "bfloat16/parts/fragments.cuh"
#include "parts/matrix.cuh"

static const unsigned WARP_M = 64, STEP_K = 16; /* per warp; per MMA */
static const unsigned ROWS_A = WARP_M / 16;     /* of MMAs per warp */
static const unsigned GROUP_N = 64; /* columns of B that lie together in shared memory */

/* A stage has BLOCK_K elements of A's rows and of B's columns. */
template <unsigned BLOCK_M, unsigned BLOCK_N, unsigned BLOCK_K, unsigned RING,
          unsigned WARP_COLUMNS = 64>
struct block_tile {
    static const unsigned M = BLOCK_M, N = BLOCK_N, K = BLOCK_K, STAGES = RING;
    static const unsigned WARP_N = WARP_COLUMNS, COLUMNS_B = WARP_N / 8; /* of MMAs per warp */
    static const unsigned WARPS_N = N / WARP_N, THREADS = M / WARP_M * WARPS_N * 32;
    static const unsigned A_ELEMENTS = M * K, STAGE_ELEMENTS = (M + N) * K;
    static const unsigned STAGE_BYTES = STAGE_ELEMENTS * sizeof(uint16_t);
    static const unsigned SHARED_BYTES = STAGES * STAGE_BYTES;
    static const unsigned STEPS = K / STEP_K;
    /* How many rows the block copies at once, one chunk per thread. */
    static const unsigned CHUNKS_A = K / CHUNK, COPIED_A = THREADS / CHUNKS_A;
    static const unsigned CHUNKS_B = GROUP_N / CHUNK, COPIED_B = THREADS / CHUNKS_B;
    static_assert(STEPS % 2 == 0, "a stage begins with the first of two sets of fragments");
    static_assert(COPIED_A % 8 == 0 && COPIED_B % 8 == 0, "rows that are swizzled alike");
    static_assert(M % COPIED_A == 0 && N / GROUP_N * K % COPIED_B == 0, "no copies are left over");
};

/* ---- a stage --------------------------------------------------------------------------------- */

/* Where a chunk is, in elements from the stage's start. The tile of A has rows of K elements, 64 or
 * 128 bytes. The tile of B has groups of 64 columns, with rows of 128 bytes. The chunks are
 * swizzled: chunks with the same number lie in different banks in each of eight rows. */
template <typename T>
static __device__ unsigned offset_of_a(unsigned row, unsigned chunk)
{
    return row * T::K + (chunk ^ row / (8 / T::CHUNKS_A) % T::CHUNKS_A) * CHUNK;
}

template <typename T>
static __device__ unsigned offset_of_b(unsigned row, unsigned column)
{
    const unsigned chunk = column % GROUP_N / CHUNK;

    return T::A_ELEMENTS + (column / GROUP_N * T::K + row) * GROUP_N + (chunk ^ row % 8) * CHUNK;
}

/* Starts the thread's copies to a stage: the tile of A from (row, k) on, and that of B from (k,
 * column) on. Elements outside the matrices become 0. */
template <typename T>
static __device__ void copy_edge(const struct gemm &call, uint16_t *stage, size_t row,
                                 size_t column, size_t k)
{
    const bool a_aligned = has_aligned_chunks(call.a_bf16, call.lda);
    const bool b_aligned = has_aligned_chunks(call.b_bf16, call.ldb);

#pragma unroll 1
    for (unsigned i = threadIdx.x; i < T::M * T::CHUNKS_A; i += T::THREADS) {
        const unsigned a_row = i / T::CHUNKS_A, chunk = i % T::CHUNKS_A;
        copy_chunk(stage + offset_of_a<T>(a_row, chunk), call.a_bf16, call.lda, call.m, call.k,
                   row + a_row, k + chunk * CHUNK, a_aligned);
    }
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < T::N / CHUNK * T::K; i += T::THREADS) {
        const unsigned chunk = i % T::CHUNKS_B, b_row = i / T::CHUNKS_B % T::K;
        const unsigned b_column = i / T::CHUNKS_B / T::K * GROUP_N + chunk * CHUNK;
        copy_chunk(stage + offset_of_b<T>(b_row, b_column), call.b_bf16, call.ldb, call.k, call.n,
                   k + b_row, column + b_column, b_aligned);
    }
}

/* ---- a warp ---------------------------------------------------------------------------------- */

/* The rows of A and B whose addresses the lane gives to the first ldmatrix of a stage, in bytes
 * from the start of that stage. */
struct lane_offsets {
    unsigned a, b;
};

template <typename T>
static __device__ struct lane_offsets offsets_of_lane(unsigned warp_row, unsigned warp_column)
{
    const unsigned lane = threadIdx.x % 32, bytes = sizeof(uint16_t);

    return {bytes * offset_of_a<T>(warp_row + lane % 16, lane / 16),
            bytes * offset_of_b<T>(lane % 16, warp_column + lane / 16 * CHUNK)};
}

/* Where a warp, and its lanes, are in the block's tile of C. */
struct warp_coord {
    unsigned row, column;
    struct lane_offsets lane;
};

template <typename T>
static __device__ struct warp_coord coord_in_tile(void)
{
    const unsigned warp_row = threadIdx.x / 32 / T::WARPS_N * WARP_M;
    const unsigned warp_column = threadIdx.x / 32 % T::WARPS_N * T::WARP_N;

    return {warp_row, warp_column, offsets_of_lane<T>(warp_row, warp_column)};
}

/* What a warp multiplies in one k-step. */
template <typename T>
struct fragments {
    unsigned a[ROWS_A][4], b[T::COLUMNS_B / 2][4];
};

/* Loads the fragments of a k-step of the stage at that address. In later k-steps of A, and later 16
 * columns of B, a lane's chunk number differs only in bits that are 0 at first. So one XOR with a
 * constant gives its address. All else is constant. */
template <typename T>
static __device__ void load_fragments(struct fragments<T> &to, unsigned stage,
                                      struct lane_offsets lane, unsigned step)
{
    const unsigned STEP_BYTES = STEP_K * sizeof(uint16_t), ROW_BYTES = T::K * sizeof(uint16_t);
    const unsigned GROUP_BYTES = GROUP_N * sizeof(uint16_t);

#pragma unroll
    for (unsigned i = 0; i < ROWS_A; i++)
        load_tiles_at(to.a[i], stage + (lane.a ^ step * STEP_BYTES) + i * 16 * ROW_BYTES);
#pragma unroll
    for (unsigned j = 0; j < T::COLUMNS_B / 2; j++)
        load_transposed_at(to.b[j], stage + (lane.b ^ j * 32) + step * STEP_K * GROUP_BYTES);
}

template <typename T>
static __device__ void multiply_fragments(float (&sum)[ROWS_A][T::COLUMNS_B][4],
                                          const struct fragments<T> &of)
{
#pragma unroll
    for (unsigned i = 0; i < ROWS_A; i++)
#pragma unroll
        for (unsigned j = 0; j < T::COLUMNS_B; j++)
            multiply(sum[i][j], of.a[i], of.b[j / 2][j % 2 * 2], of.b[j / 2][j % 2 * 2 + 1]);
}

/* Stores the warp's accumulators, two at a time, from (row, column) of C on. */
template <unsigned COLUMNS_B>
static __device__ void store_pairs(const struct gemm &call, size_t row, size_t column,
                                   const float (&sum)[ROWS_A][COLUMNS_B][4])
{
    const bool even = has_even_columns(call);

    row += threadIdx.x % 32 / 4;
    column += threadIdx.x % 4 * 2;
#pragma unroll
    for (unsigned i = 0; i < ROWS_A; i++)
#pragma unroll
        for (unsigned j = 0; j < COLUMNS_B; j++) {
            const float *const four = sum[i][j];
            store_pair(call, row + i * 16, column + j * 8, four[0], four[1], even);
            store_pair(call, row + i * 16 + 8, column + j * 8, four[2], four[3], even);
        }
}

#endif
/* SPDX-License-Identifier: MIT */
