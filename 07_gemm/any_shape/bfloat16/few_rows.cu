/* Step 07, bfloat16: C has few rows, or one (a vector times a matrix). Each element of B is used
 * only once per row, so the time is that of reading B. L2 keeps a part of B for the next product.
 *
 * Better: no warp waits for a barrier or a ring. A lane loads 8 neighbours of each of 8 rows of B,
 * directly to registers. These are its part of the second operand of 16 mma.sync: instruction j of
 * 8 uses column j of every lane's 8, and computes those columns of C. The terms are in the order in
 * which the lanes hold them, and A's are loaded in the same order.
 * Still bad: a partial last wave leaves SMs idle, and registers do not hold the accumulators of
 * many rows. */
#include "bfloat16/parts/fragments.cuh"
#include "device/gpu.h"
#include "kernel/cluster_sums.cuh"
#include "kernel/overlap.cuh"
#include "parts/chunks.cuh"
#include "parts/workspace.h"

static const unsigned COLUMNS = 64, TERMS = 32, MOST_SPLITS = 8;
static const unsigned ROWS = 16, MOST_WARPS = 16;
static const unsigned PITCH = COLUMNS + 8; /* of sums in shared memory: no bank conflicts */
static const unsigned WARP_BYTES = ROWS * PITCH * sizeof(float);

/* A lane's elements of 32 terms. Lane 4 g + t has terms 8 t to 8 t + 7: of B, in columns 8 g to
 * 8 g + 7; of A, in rows g and g + 8. */
struct fragments {
    uint4 b[8], a[2];
};

template <enum loads LOADS>
static __device__ void load_fragments(struct fragments &part, const struct gemm &call, size_t term,
                                      size_t column, uint64_t hint)
{
    const unsigned g = threadIdx.x % 32 / 4;

    term += threadIdx.x % 4 * 8;
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        part.b[i] = make_uint4(0, 0, 0, 0);
        const uint16_t *const row = call.b_bf16 + (term + i) * call.ldb;
        if (LOADS != SINGLE || term + i < call.k)
            part.b[i] = load_chunk<LOADS>(row, column, call.n, &hint);
    }
#pragma unroll
    for (unsigned i = 0; i < 2; i++) {
        const size_t row = i * 8 + g;
        part.a[i] = make_uint4(0, 0, 0, 0);
        if (row < call.m)
            part.a[i] = load_chunk<LOADS>(call.a_bf16 + row * call.lda, term, call.k);
    }
}

/* Each half uses four of a lane's 8 terms. A register's two halves are two terms of a column, one
 * below the other in B. */
static __device__ void multiply_fragments(float (&sum)[CHUNK][4], const struct fragments &part)
{
#pragma unroll
    for (unsigned half = 0; half < 2; half++)
#pragma unroll
        for (unsigned j = 0; j < CHUNK; j++) {
            const unsigned bytes = j % 2 == 0 ? 0x5410 : 0x7632;
            unsigned b[2];
#pragma unroll
            for (unsigned i = 0; i < 2; i++)
                b[i] = __byte_perm(word(part.b[4 * half + 2 * i], j / 2),
                                   word(part.b[4 * half + 2 * i + 1], j / 2), bytes);
            multiply_16(sum[j], part.a, half, b);
        }
}

/* A block's terms. From easy_begin to easy_end, all chunks lie inside the matrices, and may be
 * loaded with the elements next to them. L2 keeps B's rows before kept_end for the next product. */
struct terms {
    size_t begin, easy_begin, easy_end, end, kept_end;
};

/* Multiplies every nth 32 terms, if the block has n warps. */
template <enum loads LOADS>
static __device__ void multiply_terms(float (&sum)[CHUNK][4], const struct gemm &call,
                                      size_t column, const struct terms &terms)
{
    const size_t stride = blockDim.x;
    const struct retention hints = retention_until(terms.kept_end);
    size_t term = terms.begin + threadIdx.x / 32 * TERMS;

    for (; term < terms.end; term += stride) {
        const uint64_t hint = hint_at(hints, term);
        struct fragments part;
        if (term >= terms.easy_begin && term < terms.easy_end)
            load_fragments<LOADS>(part, call, term, column, hint);
        else
            load_fragments<SINGLE>(part, call, term, column, hint);
        multiply_fragments(sum, part);
    }
}

/* Writes the warp's partial sums to shared memory: a row's column 8 g + j is at j * 8 + g. */
static __device__ void keep_sums(float *sums, const float (&sum)[CHUNK][4])
{
    const unsigned lane = threadIdx.x % 32;
    float *const first = sums + (threadIdx.x / 32 * ROWS + lane / 4) * PITCH;

#pragma unroll
    for (unsigned i = 0; i < 16; i++) {
        const float *const two = sum[i / 2] + i % 2 * 2;
        float *const to = first + i % 2 * 8 * PITCH;
        *(float2 *)(to + i / 2 * 8 + lane % 4 * 2) = make_float2(two[0], two[1]);
    }
}

/* Adds the warps' partial sums to those of the first warp. */
static __device__ void add_warps(float *sums, unsigned rows)
{
    for (unsigned i = threadIdx.x; i < rows * COLUMNS; i += blockDim.x) {
        float *const first = sums + i / COLUMNS * PITCH + i % COLUMNS;
        float all = *first;
        for (unsigned warp = 1; warp < blockDim.x / 32; warp++)
            all += first[warp * ROWS * PITCH];
        *first = all;
    }
}

/* The first column of the chunk of 8 that contains the column. If rows are unaligned anyway, the
 * last chunk is moved back so that it is whole. */
template <enum loads LOADS>
static __device__ size_t chunk_of(size_t column, size_t columns)
{
    column -= column % CHUNK;
    return LOADS == SHIFTED && columns >= CHUNK ? min(column, columns - CHUNK) : column;
}

/* Adds the blocks' partial sums, and stores the block's part of the rows. */
template <enum loads LOADS>
static __device__ void add_blocks(const struct gemm &call, const float *sums, unsigned rows,
                                  size_t first_column, unsigned rank, unsigned splits)
{
    const unsigned pairs = COLUMNS / 2;
    const bool even = has_even_columns(call);

    for (unsigned i = rank * blockDim.x + threadIdx.x; i < rows * pairs; i += splits * blockDim.x) {
        const unsigned row = i / pairs, chunk = i % pairs * 2 / CHUNK;
        const size_t column = first_column + i % pairs * 2;
        if (column >= call.n)
            continue;
        const unsigned j = (unsigned)(column - chunk_of<LOADS>(column, call.n));
        const float *const one = sums + row * PITCH + j * 8 + chunk;
        const float *const next = one + (j + 1 < CHUNK ? 8 : 0);
        float first = 0, second = 0;
        for (unsigned block = 0; block < splits; block++) {
            first += load_from_block(one, block);
            second += load_from_block(next, block);
        }
        store_pair(call, row, column, first, second, even);
    }
}

/* A SHIFTED load reads up to 14 bytes before and after a chunk. The easy terms exclude chunks for
 * which these bytes may be outside the matrix. */
template <enum loads LOADS>
static __device__ struct terms terms_of(const struct gemm &call, unsigned rank, unsigned splits,
                                        size_t kept_terms)
{
    const size_t parts = (call.k + TERMS - 1) / TERMS, begin = parts * rank / splits * TERMS;
    struct terms terms = {begin, 0, call.k / TERMS * TERMS,
                          min(parts * (rank + 1) / splits * TERMS, call.k), begin + kept_terms};

    if (LOADS == SHIFTED) {
        const bool starts_aligned = ((uintptr_t)call.a_bf16 | (uintptr_t)call.b_bf16) % 16 == 0;
        terms.easy_begin = starts_aligned ? 0 : TERMS;
        terms.easy_end = call.n < CHUNK || call.k < CHUNK ? 0 : (call.k - CHUNK) / TERMS * TERMS;
    }
    terms.easy_end = min(terms.easy_end, terms.end);
    return terms;
}

/* A block has 64 columns of C. The blocks of a cluster share the terms. */
template <enum loads LOADS>
static __global__ void __launch_bounds__(MOST_WARPS * 32, 1)
    few_rows(const struct gemm call, const unsigned splits, const size_t kept_terms)
{
    extern __shared__ float sums[]; /* ROWS rows per warp */
    const unsigned rank = rank_in_cluster(), rows = (unsigned)call.m;
    const size_t first = (size_t)(blockIdx.x / splits) * COLUMNS;
    size_t column = chunk_of<LOADS>(first + threadIdx.x % 32 / 4 * CHUNK, call.n);
    float sum[CHUNK][4] = {};

    overlap_launches();
    if (column >= call.n)
        column = 0; /* any that exists: these sums are not stored */
    multiply_terms<LOADS>(sum, call, column, terms_of<LOADS>(call, rank, splits, kept_terms));
    keep_sums(sums, sum);
    __syncthreads();
    add_warps(sums, rows);
    cluster_barrier();
    add_blocks<LOADS>(call, sums, rows, first, rank, splits);
    cluster_barrier(); /* no block may end while others read its memory */
}

/* ---- launch ---------------------------------------------------------------------------------- */

typedef void kernel_of_rows(const struct gemm, const unsigned, const size_t);

struct blocks {
    unsigned splits, warps;
};

/* How many clusters of that many such blocks run at the same time. */
static unsigned clusters_of(kernel_of_rows *kernel, const struct blocks &blocks)
{
    static unsigned found[MOST_GPUS][2][MOST_SPLITS + 1][MOST_WARPS + 1];
    unsigned &clusters =
        found[gpu_index()][kernel == few_rows<SHIFTED>][blocks.splits][blocks.warps];

    if (clusters == 0) {
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)(MOST_WARPS * WARP_BYTES));
        clusters = max(
            most_clusters(kernel, blocks.splits, blocks.warps * 32, blocks.warps * WARP_BYTES), 1U);
    }
    return clusters;
}

/* Chooses the fewest turns per warp. Starting a wave of blocks takes as long as two turns. */
static struct blocks choose_blocks(const struct gemm *call, kernel_of_rows *kernel, size_t tiles)
{
    const size_t parts = max((call->k + TERMS - 1) / TERMS, (size_t)1);
    struct blocks best = {1, MOST_WARPS};
    size_t fewest = SIZE_MAX;

    for (unsigned warps = MOST_WARPS; warps >= 4; warps /= 2)
        for (unsigned splits = 1; splits <= MOST_SPLITS && splits <= parts; splits++) {
            const size_t clusters = clusters_of(kernel, {splits, warps});
            const size_t waves = (tiles + clusters - 1) / clusters, all = (size_t)splits * warps;
            const size_t turns = waves * ((parts + all - 1) / all + 2);
            if (turns < fewest) {
                fewest = turns;
                best = {splits, warps};
            }
        }
    return best;
}

extern "C" void launch_few_rows_bf16(const struct gemm *call)
{
    const bool aligned = has_aligned_chunks(call->a_bf16, call->lda) &&
                         has_aligned_chunks(call->b_bf16, call->ldb) && call->n % CHUNK == 0;
    kernel_of_rows *const kernel = aligned ? few_rows<ALIGNED> : few_rows<SHIFTED>;
    const size_t tiles = (call->n + COLUMNS - 1) / COLUMNS;
    const struct blocks blocks = choose_blocks(call, kernel, tiles);
    const size_t kept = count_kept_in_l2(call->k, call->n * sizeof(uint16_t));

    launch_dependent_clusters(kernel, blocks.splits, (unsigned)(tiles * blocks.splits),
                              blocks.warps * 32, blocks.warps * WARP_BYTES, *call, blocks.splits,
                              kept < call->k ? kept / blocks.splits : call->k);
}
/* SPDX-License-Identifier: MIT */
