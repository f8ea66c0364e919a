/* Step 07, bfloat16: a block's tile of C by mma.sync, for the rungs mma_sync and swizzled. They
 * differ only in where the chunks of a tile lie. */
#ifndef RUNGS_07_MMA_TILE_CUH
#define RUNGS_07_MMA_TILE_CUH

#include "bfloat16/parts/fragments.cuh"
#include "parts/matrix.cuh"

static const unsigned BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 32, THREADS = 256, STAGES = 4;
static const unsigned WARP_M = 64, WARP_N = 32; /* 2 x 4 warps */
static const unsigned ROWS_A = WARP_M / 16, COLUMNS_B = WARP_N / 8;
static const unsigned A_ELEMENTS = BLOCK_M * BLOCK_K, B_ELEMENTS = BLOCK_K * BLOCK_N;
static const unsigned SHARED_BYTES = STAGES * (A_ELEMENTS + B_ELEMENTS) * sizeof(uint16_t);

/* Where a chunk of a tile lies. A row of A has 64 bytes, a row of B has 256. Of the eight rows that
 * ldmatrix reads at once, the same banks hold four rows of A, or all eight rows of B. SWIZZLED: a
 * chunk's position in its row depends on the row. Eight rows then use eight groups of four
 * banks. */
template <bool SWIZZLED>
static __device__ unsigned offset_of_a(unsigned row, unsigned chunk)
{
    return row * BLOCK_K + (SWIZZLED ? chunk ^ row / 2 % 4 : chunk) * CHUNK;
}

template <bool SWIZZLED>
static __device__ unsigned offset_of_b(unsigned row, unsigned chunk)
{
    return row * BLOCK_N + (SWIZZLED ? chunk ^ row % 8 : chunk) * CHUNK;
}

template <bool SWIZZLED>
static __device__ void start_copies(const struct gemm &call, size_t tile_row, size_t tile_column,
                                    size_t first, uint16_t *tile_a, uint16_t *tile_b)
{
    const bool a_aligned = has_aligned_chunks(call.a_bf16, call.lda);
    const bool b_aligned = has_aligned_chunks(call.b_bf16, call.ldb);

#pragma unroll
    for (unsigned i = threadIdx.x; i < A_ELEMENTS / CHUNK; i += THREADS) {
        const unsigned row = i / (BLOCK_K / CHUNK), chunk = i % (BLOCK_K / CHUNK);
        copy_chunk(tile_a + offset_of_a<SWIZZLED>(row, chunk), call.a_bf16, call.lda, call.m,
                   call.k, tile_row + row, first + chunk * CHUNK, a_aligned);
    }
#pragma unroll
    for (unsigned i = threadIdx.x; i < B_ELEMENTS / CHUNK; i += THREADS) {
        const unsigned row = i / (BLOCK_N / CHUNK), chunk = i % (BLOCK_N / CHUNK);
        copy_chunk(tile_b + offset_of_b<SWIZZLED>(row, chunk), call.b_bf16, call.ldb, call.k,
                   call.n, first + row, tile_column + chunk * CHUNK, b_aligned);
    }
}

template <bool SWIZZLED>
static __device__ void multiply_tiles(float (&sum)[ROWS_A][COLUMNS_B][4], const uint16_t *tile_a,
                                      const uint16_t *tile_b, unsigned warp_row,
                                      unsigned warp_column)
{
    const unsigned lane = threadIdx.x % 32;

#pragma unroll
    for (unsigned p = 0; p < BLOCK_K; p += 16) {
        unsigned a[ROWS_A][4], b[COLUMNS_B / 2][4];
#pragma unroll
        for (unsigned i = 0; i < ROWS_A; i++)
            load_tiles(a[i], tile_a + offset_of_a<SWIZZLED>(warp_row + i * 16 + lane % 16,
                                                            p / CHUNK + lane / 16));
#pragma unroll
        for (unsigned j = 0; j < COLUMNS_B / 2; j++)
            load_transposed(b[j],
                            tile_b + offset_of_b<SWIZZLED>(p + lane % 16, warp_column / CHUNK +
                                                                              j * 2 + lane / 16));
#pragma unroll
        for (unsigned i = 0; i < ROWS_A; i++)
#pragma unroll
            for (unsigned j = 0; j < COLUMNS_B; j++)
                multiply(sum[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
}

static __device__ void store_sums(const struct gemm &call, size_t row, size_t column,
                                  const float (&sum)[ROWS_A][COLUMNS_B][4])
{
    const bool even = has_even_columns(call);

#pragma unroll
    for (unsigned i = 0; i < ROWS_A; i++)
#pragma unroll
        for (unsigned j = 0; j < COLUMNS_B; j++) {
            const float *const four = sum[i][j];
            store_pair(call, row + i * 16, column + j * 8, four[0], four[1], even);
            store_pair(call, row + i * 16 + 8, column + j * 8, four[2], four[3], even);
        }
}

template <bool SWIZZLED>
static __device__ void multiply_block(const struct gemm &call)
{
    extern __shared__ __align__(128) uint16_t tiles[];
    uint16_t *const tile_a = tiles, *const tile_b = tiles + STAGES * A_ELEMENTS;
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned warp_row = warp / 4 * WARP_M, warp_column = warp % 4 * WARP_N;
    float sum[ROWS_A][COLUMNS_B][4] = {};
    unsigned stage = 0;

    for (unsigned ahead = 0; ahead < STAGES - 1; ahead++) {
        start_copies<SWIZZLED>(call, tile_row, tile_column, (size_t)ahead * BLOCK_K,
                               tile_a + ahead * A_ELEMENTS, tile_b + ahead * B_ELEMENTS);
        __pipeline_commit();
    }
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        __pipeline_wait_prior(STAGES - 2); /* this thread's copies to this stage are complete */
        __syncthreads(); /* all copies have arrived, and no thread reads the previous stage */

        const unsigned free_stage = (stage + STAGES - 1) % STAGES;
        start_copies<SWIZZLED>(call, tile_row, tile_column, first + (STAGES - 1) * BLOCK_K,
                               tile_a + free_stage * A_ELEMENTS, tile_b + free_stage * B_ELEMENTS);
        __pipeline_commit();
        multiply_tiles<SWIZZLED>(sum, tile_a + stage * A_ELEMENTS, tile_b + stage * B_ELEMENTS,
                                 warp_row, warp_column);
        stage = (stage + 1) % STAGES;
    }
    __pipeline_wait_prior(0);
    store_sums(call, tile_row + warp_row + lane / 4, tile_column + warp_column + lane % 4 * 2, sum);
}

#endif
/* SPDX-License-Identifier: MIT */
