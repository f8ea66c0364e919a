/* Step 07, bfloat16: C has a few rows, a vector times a matrix among them. Each element of B is
 * used only once for each of them, so that the time is the time to read B.
 *
 * Better: nothing waits for barriers or a ring. A lane loads 8 neighbours of each of 8 rows of B,
 * straight to registers, and has its part of the second operand of 16 mma.sync: instruction j of 8
 * takes column j of every lane's 8, and computes those columns of C. The terms are in the order in
 * which the lanes hold them, and A's are loaded in the same order.
 * Still bad: blocks of the last wave leave multiprocessors idle, and with many rows registers do
 * not hold the sums. */
#include "bf16.cuh"
#include "kernel/cluster.cuh"
#include "kernel/dependent_launch.cuh"

static const unsigned COLUMNS = 64, TERMS = 32, MOST_SPLITS = 8;

/* For 16 rows of C, or 32. Each warp has BATCH times 32 terms on their way. */
template <unsigned TILES_OF_16, unsigned BLOCK_WARPS, unsigned LOADS>
struct plan {
    static const unsigned TILES = TILES_OF_16, WARPS = BLOCK_WARPS, BATCH = LOADS;
    static const unsigned ROWS = TILES * 16, THREADS = WARPS * 32;
    static const unsigned PITCH = COLUMNS + 8; /* of sums in shared memory: no bank conflicts */
    static const unsigned SHARED_BYTES = WARPS * ROWS * PITCH * sizeof(float);
    typedef float sums[TILES][CHUNK][4];
};

/* What a lane has of 32 terms. Lane 4 g + t: terms 8 t to 8 t + 7, of B columns 8 g to 8 g + 7, of
 * A rows g and g + 8 of each 16. */
template <unsigned TILES>
struct fragments {
    uint4 b[8], a[TILES][2];
};

template <bool WHOLE, unsigned TILES>
static __device__ void load_fragments(struct fragments<TILES> &part, const struct gemm &call,
                                      size_t term, size_t column)
{
    const unsigned g = threadIdx.x % 32 / 4;

    term += threadIdx.x % 4 * 8;
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        part.b[i] = make_uint4(0, 0, 0, 0);
        if (WHOLE || term + i < call.k)
            part.b[i] = load_chunk<WHOLE>(call.b_bf16 + (term + i) * call.ldb, column, call.n);
    }
#pragma unroll
    for (unsigned i = 0; i < TILES * 2; i++) {
        const size_t row = i * 8 + g;
        part.a[i / 2][i % 2] = make_uint4(0, 0, 0, 0);
        if (row < call.m)
            part.a[i / 2][i % 2] = load_chunk<WHOLE>(call.a_bf16 + row * call.lda, term, call.k);
    }
}

/* 16 rows, 16 terms, 8 columns. */
static __device__ void multiply_16(float (&sum)[4], const uint4 (&a)[2], unsigned half,
                                   const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(word(a[0], 2 * half)), "r"(word(a[1], 2 * half)),
                   "r"(word(a[0], 2 * half + 1)), "r"(word(a[1], 2 * half + 1)), "r"(b[0]),
                   "r"(b[1]));
}

/* Of 8 terms a lane gives four to each half. Two terms of a column, one below the other in B, are a
 * register's two halves. */
template <unsigned TILES>
static __device__ void multiply_fragments(float (&sum)[TILES][CHUNK][4],
                                          const struct fragments<TILES> &part)
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
#pragma unroll
            for (unsigned tile = 0; tile < TILES; tile++)
                multiply_16(sum[tile][j], part.a[tile], half, b);
        }
}

/* The warp's products: every WARPS-th 32 terms from `begin` on, all chunks aligned and whole before
 * `whole_end`. */
template <typename Plan>
static __device__ void multiply_terms(typename Plan::sums &sum, const struct gemm &call,
                                      size_t column, size_t begin, size_t whole_end, size_t end)
{
    const size_t stride = Plan::WARPS * TERMS;
    size_t term = begin + threadIdx.x / 32 * TERMS;

    for (; term + (Plan::BATCH - 1) * stride < whole_end; term += Plan::BATCH * stride) {
        struct fragments<Plan::TILES> part[Plan::BATCH];
#pragma unroll
        for (unsigned i = 0; i < Plan::BATCH; i++)
            load_fragments<true>(part[i], call, term + i * stride, column);
#pragma unroll
        for (unsigned i = 0; i < Plan::BATCH; i++)
            multiply_fragments(sum, part[i]);
    }
    for (; term < end; term += stride) {
        struct fragments<Plan::TILES> part;
        if (term < whole_end)
            load_fragments<true>(part, call, term, column);
        else
            load_fragments<false>(part, call, term, column);
        multiply_fragments(sum, part);
    }
}

/* Puts the warp's sums into shared memory, a row's columns 8 g + j at j * 8 + g. */
template <typename Plan>
static __device__ void keep_sums(float *sums, const typename Plan::sums &sum)
{
    const unsigned lane = threadIdx.x % 32;
    float *const first = sums + (threadIdx.x / 32 * Plan::ROWS + lane / 4) * Plan::PITCH;

#pragma unroll
    for (unsigned i = 0; i < Plan::TILES * 16; i++) {
        const float *const two = sum[i / 16][i % 16 / 2] + i % 2 * 2;
        float *const to = first + (i / 16 * 16 + i % 2 * 8) * Plan::PITCH;
        *(float2 *)(to + i % 16 / 2 * 8 + lane % 4 * 2) = make_float2(two[0], two[1]);
    }
}

/* Adds up the warps' sums, into those of the first. */
template <typename Plan>
static __device__ void add_warps(float *sums, unsigned rows)
{
    for (unsigned i = threadIdx.x; i < rows * COLUMNS; i += Plan::THREADS) {
        float *const first = sums + i / COLUMNS * Plan::PITCH + i % COLUMNS;
        float all = *first;
        for (unsigned warp = 1; warp < Plan::WARPS; warp++)
            all += first[warp * Plan::ROWS * Plan::PITCH];
        *first = all;
    }
}

/* Adds up the blocks' sums, and stores the block's part of the rows. */
template <typename Plan>
static __device__ void add_blocks(const struct gemm &call, const float *sums, unsigned rows,
                                  size_t column, unsigned rank, unsigned splits)
{
    const unsigned pairs = COLUMNS / 2;
    const bool even = has_even_columns(call);

    for (unsigned i = rank * Plan::THREADS + threadIdx.x; i < rows * pairs;
         i += splits * Plan::THREADS) {
        const unsigned row = i / pairs, of_row = i % pairs * 2;
        const float *const one = sums + row * Plan::PITCH + of_row % 8 * 8 + of_row / 8;
        float first = 0, second = 0;
        for (unsigned block = 0; block < splits; block++) {
            first += load_from_block(one, block);
            second += load_from_block(one + 8, block);
        }
        store_pair(call, row, column + of_row, first, second, even);
    }
}

/* A block has 64 columns of C; the blocks of a cluster share the terms. */
template <typename Plan>
static __device__ void multiply_rows(const struct gemm &call, unsigned splits)
{
    extern __shared__ float sums[]; /* of each warp, ROWS rows */
    const unsigned rank = rank_in_cluster(), rows = (unsigned)call.m;
    const size_t first = (size_t)(blockIdx.x / splits) * COLUMNS;
    size_t column = first + threadIdx.x % 32 / 4 * CHUNK;
    const size_t parts = (call.k + TERMS - 1) / TERMS;
    const size_t begin = parts * rank / splits * TERMS, end = parts * (rank + 1) / splits * TERMS;
    const bool whole = has_aligned_chunks(call.a_bf16, call.lda) &&
                       has_aligned_chunks(call.b_bf16, call.ldb) &&
                       (call.n % CHUNK == 0 || first + COLUMNS <= call.n);
    typename Plan::sums sum = {};

    overlap_launches();
    if (column >= call.n)
        column = 0; /* any that exists: these sums are not stored */
    multiply_terms<Plan>(sum, call, column, begin, whole ? min(end, call.k / TERMS * TERMS) : begin,
                         end);
    keep_sums<Plan>(sums, sum);
    __syncthreads();
    add_warps<Plan>(sums, rows);
    cluster_barrier();
    add_blocks<Plan>(call, sums, rows, first, rank, splits);
    cluster_barrier(); /* nobody may end while others read its memory */
}

typedef plan<1, 16, 1> rows_16;
typedef plan<2, 8, 3> rows_32;

static __global__ void __launch_bounds__(rows_16::THREADS, 1)
    few_rows_16(const struct gemm call, const unsigned splits)
{
    multiply_rows<rows_16>(call, splits);
}

static __global__ void __launch_bounds__(rows_32::THREADS, 1)
    few_rows_32(const struct gemm call, const unsigned splits)
{
    multiply_rows<rows_32>(call, splits);
}

/* ---- launch ---------------------------------------------------------------------------------- */

/* As many blocks as run at the same time. */
template <typename Plan>
static unsigned splits_of(const struct gemm *call, size_t tiles)
{
    unsigned splits = 1;

    while (splits < MOST_SPLITS && call->k >= splits * 2 * Plan::WARPS * TERMS &&
           tiles * splits * 2 <= (size_t)call->multiprocessors)
        splits *= 2;
    return splits;
}

#define LAUNCH(kernel, plan)                                                                       \
    do {                                                                                           \
        const size_t tiles = (call->n + COLUMNS - 1) / COLUMNS;                                    \
        const unsigned splits = splits_of<plan>(call, tiles);                                      \
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,                  \
                             (int)plan::SHARED_BYTES);                                             \
        launch_dependent_clusters(kernel, splits, (unsigned)(tiles * splits), plan::THREADS,       \
                                  plan::SHARED_BYTES, *call, splits);                              \
    } while (false)

extern "C" void launch_thin_bf16(const struct gemm *call);

extern "C" void launch_few_rows_bf16(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    if (call->m <= 16)
        LAUNCH(few_rows_16, rows_16);
    else if (call->m <= 32)
        LAUNCH(few_rows_32, rows_32);
    else
        launch_thin_bf16(call);
}
