/* Step 07, bfloat16: C has few columns. Each element of A is used only once per column, so the time
 * is that of reading A.
 *
 * Better: A's rows run along k, as the first operand of mma.sync requires. So a lane loads 8
 * neighbours of a row directly to registers, and those of the next step while it multiplies. B is
 * small: each warp passes its terms through shared memory, and ldmatrix transposes them.
 * Still bad: each block reads all of B, which takes long if B has more than 8 columns. */
#include "bfloat16/parts/fragments.cuh"
#include "kernel/overlap.cuh"
#include "parts/chunks.cuh"
#include "parts/workspace.h"

static const unsigned PARTS = 2, TERMS = PARTS * 32; /* per step of a warp */

/* For TILES_OF_16 times 16 rows and TILES_OF_8 times 8 columns of C. The block's warps take turns
 * at its steps. IS_ALIGNED: rows of A start at multiples of 16 bytes. */
template <unsigned TILES_OF_16, unsigned TILES_OF_8, unsigned BLOCK_WARPS, bool IS_ALIGNED>
struct config {
    static const enum loads LOADS = IS_ALIGNED ? ALIGNED : SHIFTED;
    static const unsigned HIGH = TILES_OF_16, WIDE = TILES_OF_8, WARPS = BLOCK_WARPS;
    static const unsigned ROWS = 16 * HIGH, COLUMNS = 8 * WIDE;
    typedef float sums[HIGH][WIDE][4];

    /* A lane's elements of 32 terms. Lane 4 g + t has terms 8 t to 8 t + 7 of A's rows g and g + 8
     * of each 16, and all columns of one term of B. */
    struct part {
        uint4 a[HIGH][2], b[WIDE];
    };

    /* First B's terms, 16 bytes per term and 8 columns; then the warps' partial sums. */
    union shared {
        uint4 b[WARPS][WIDE][32];
        float sums[WARPS][ROWS][COLUMNS];
    };
};

/* For ldmatrix, 32 terms are four tiles of 8, one after the other. Tile q has terms 2 q and 2 q + 1
 * of each 8 that a lane has of A: position 8 q + 2 t + e is term 8 t + 2 q + e. */
static __device__ unsigned term_at(unsigned position)
{
    return position % 8 / 2 * 8 + position / 8 * 2 + position % 2;
}

template <typename Config>
static __device__ void load_part(typename Config::part &part, const struct gemm &call, size_t row,
                                 size_t term, const struct retention &hints)
{
    const uint64_t hint = hint_at(hints, term);
    const unsigned lane = threadIdx.x % 32;
    const size_t term_a = term + lane % 4 * CHUNK, term_b = term + term_at(lane);
    const bool aligned_b = has_aligned_chunks(call.b_bf16, call.ldb);

#pragma unroll
    for (unsigned i = 0; i < Config::HIGH * 2; i++) { /* rows outside repeat the last one */
        const size_t inside = min(row + i * 8 + lane / 4, call.m - 1);
        const uint16_t *const of_a = call.a_bf16 + inside * call.lda;
        const bool has_around = Config::LOADS == ALIGNED || (inside > 0 && inside + 1 < call.m);
        part.a[i / 2][i % 2] = has_around && term_a + CHUNK <= call.k
                                   ? load_chunk<Config::LOADS>(of_a, term_a, call.k, &hint)
                                   : load_chunk<SINGLE>(of_a, term_a, call.k);
    }
#pragma unroll
    for (unsigned j = 0; j < Config::WIDE; j++) {
        const uint16_t *const of_b = call.b_bf16 + term_b * call.ldb;
        part.b[j] = make_uint4(0, 0, 0, 0);
        if (term_b < call.k)
            part.b[j] = aligned_b && (j + 1) * CHUNK <= call.n
                            ? load_chunk<ALIGNED>(of_b, j * CHUNK, call.n)
                            : load_chunk<SINGLE>(of_b, j * CHUNK, call.n);
    }
}

template <typename Config>
static __device__ void multiply_part(typename Config::sums &sum, uint4 (&of_warp)[Config::WIDE][32],
                                     const typename Config::part &part)
{
    const unsigned lane = threadIdx.x % 32;

    __syncwarp(); /* all lanes have read the previous terms */
#pragma unroll
    for (unsigned j = 0; j < Config::WIDE; j++)
        of_warp[j][lane] = part.b[j];
    __syncwarp();
#pragma unroll
    for (unsigned j = 0; j < Config::WIDE; j++) {
        unsigned b[4];
        load_transposed(b, (const uint16_t *)&of_warp[j][lane]);
#pragma unroll
        for (unsigned i = 0; i < Config::HIGH; i++)
#pragma unroll
            for (unsigned half = 0; half < 2; half++) {
                const unsigned of_half[2] = {b[2 * half], b[2 * half + 1]};
                multiply_16(sum[i][j], part.a[i], half, of_half);
            }
    }
}

/* Adds the warps' partial sums in the order of the warps, and stores them. */
template <typename Config>
static __device__ void add_and_store(const struct gemm &call, typename Config::shared &shared,
                                     const typename Config::sums &sum, size_t first_row)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < Config::HIGH; i++)
#pragma unroll
        for (unsigned j = 0; j < Config::WIDE; j++)
#pragma unroll
            for (unsigned e = 0; e < 4; e++)
                shared.sums[warp][i * 16 + e / 2 * 8 + lane / 4][j * 8 + lane % 4 * 2 + e % 2] =
                    sum[i][j][e];
    __syncthreads();
    for (unsigned e = threadIdx.x; e < Config::ROWS * Config::COLUMNS; e += Config::WARPS * 32) {
        const unsigned row = e / Config::COLUMNS, column = e % Config::COLUMNS;
        float total = 0;
#pragma unroll
        for (unsigned w = 0; w < Config::WARPS; w++)
            total += shared.sums[w][row][column];
        if (first_row + row < call.m && column < call.n)
            call.c_bf16[(first_row + row) * call.ldc + column] =
                bf16_bits(blend_bf16(call, first_row + row, column, total));
    }
}

template <typename Config>
static __device__ void multiply_rows(const struct gemm &call, size_t kept_end)
{
    __shared__ typename Config::shared shared;
    const unsigned warp = threadIdx.x / 32;
    const size_t row = (size_t)blockIdx.x * Config::ROWS;
    typename Config::sums sum = {};
    typename Config::part next[PARTS];
    const struct retention hints = retention_until(kept_end);

    overlap_launches();
#pragma unroll
    for (unsigned p = 0; p < PARTS; p++)
        load_part<Config>(next[p], call, row, warp * TERMS + p * 32, hints);
    for (size_t term = warp * TERMS; term < call.k; term += Config::WARPS * TERMS) {
        typename Config::part now[PARTS];
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++) {
            now[p] = next[p];
            load_part<Config>(next[p], call, row, term + Config::WARPS * TERMS + p * 32, hints);
        }
#pragma unroll
        for (unsigned p = 0; p < PARTS; p++)
            multiply_part<Config>(sum, shared.b[warp], now[p]);
    }
    add_and_store<Config>(call, shared, sum, row);
}

#define KERNEL(name, ...)                                                                          \
    static __global__ void __launch_bounds__(config<__VA_ARGS__>::WARPS * 32)                      \
        name(const struct gemm call, const size_t kept_end)                                        \
    {                                                                                              \
        multiply_rows<config<__VA_ARGS__>>(call, kept_end);                                        \
    }
#define KERNELS(warps)                                                                             \
    KERNEL(columns_8_##warps, 2, 1, warps, true)                                                   \
    KERNEL(columns_8_low_##warps, 1, 1, warps, true)                                               \
    KERNEL(columns_8_shifted_##warps, 1, 1, warps, false)                                          \
    KERNEL(columns_16_##warps, 2, 2, warps, true)                                                  \
    KERNEL(columns_16_low_##warps, 1, 2, warps, true)                                              \
    KERNEL(columns_16_shifted_##warps, 1, 2, warps, false)

KERNELS(16)
KERNELS(8)
KERNELS(4)
KERNELS(2)

#define PICK(name, count)                                                                          \
    (!aligned ? name##_shifted_##count : low ? name##_low_##count : name##_##count)
#define LAUNCH(count)                                                                              \
    launch_dependent(call->n <= 8 ? PICK(columns_8, count) : PICK(columns_16, count), blocks,      \
                     count * 32, 0, *call, kept_end)

/* A block has 32 rows. It has 16 if there is an SM for each such block, or if unaligned rows need
 * the registers. The number of warps lets all blocks run at the same time. */
extern "C" void launch_few_columns_bf16(const struct gemm *call)
{
    const bool aligned = has_aligned_chunks(call->a_bf16, call->lda);
    const bool low = !aligned || call->m <= 16 * (size_t)call->multiprocessors;
    const unsigned rows = low ? 16 : 32, blocks = (unsigned)((call->m + rows - 1) / rows);
    const size_t kept_end = count_kept_in_l2(call->k, call->m * sizeof(uint16_t));
    const unsigned warps = 16 * (unsigned)call->multiprocessors / max(blocks, 1U);

    if (warps >= 16)
        LAUNCH(16);
    else if (warps >= 8)
        LAUNCH(8);
    else if (warps >= 4)
        LAUNCH(4);
    else
        LAUNCH(2);
}
/* SPDX-License-Identifier: MIT */
