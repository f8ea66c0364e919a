/* Step 07, bfloat16: products in which the large matrix is read once, for a vector or a few rows. The
 * tensor cores have little to do; what counts is bytes in flight. */
#include "bf16.cuh"
#include "bf16_fragments.cuh"
#include "kernel/dependent_launch.cuh"

/* ---- one column: n = 1 ----------------------------------------------------------------------- */

/* 8 elements of a row from `first` on, in one access if they are aligned and all there; 0 past its
 * end. */
static __device__ void load_chunk(uint16_t (&chunk)[CHUNK], const uint16_t *row, size_t first,
                                  size_t columns, bool aligned)
{
    if (aligned && first + CHUNK <= columns) {
        const uint4 four = *(const uint4 *)(row + first);
        const unsigned words[] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (unsigned i = 0; i < CHUNK; i++)
            chunk[i] = (uint16_t)(words[i / 2] >> i % 2 * 16);
        return;
    }
#pragma unroll
    for (unsigned i = 0; i < CHUNK; i++)
        chunk[i] = first + i < columns ? row[first + i] : 0;
}

/* n = 1: a warp for each row of A. */
static __global__ void __launch_bounds__(256) times_vector(const struct gemm call)
{
    const size_t row = (size_t)blockIdx.x * 8 + threadIdx.x / 32;
    const bool a_aligned = has_aligned_chunks(call.a_bf16, call.lda);
    const bool b_aligned = (uintptr_t)call.b_bf16 % 16 == 0;
    float sum = 0;

    overlap_launches();
    if (row >= call.m)
        return;
#pragma unroll 4
    for (size_t p = threadIdx.x % 32 * CHUNK; p < call.k; p += 32 * CHUNK) {
        uint16_t a[CHUNK], b[CHUNK];
        load_chunk(a, call.a_bf16 + row * call.lda, p, call.k, a_aligned);
        if (call.ldb == 1)
            load_chunk(b, call.b_bf16, p, call.k, b_aligned);
        else
#pragma unroll
            for (unsigned i = 0; i < CHUNK; i++)
                b[i] = p + i < call.k ? call.b_bf16[(p + i) * call.ldb] : 0;
#pragma unroll
        for (unsigned i = 0; i < CHUNK; i++)
            if (p + i < call.k)
                sum += bf16_value(a[i]) * bf16_value(b[i]);
    }
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0U, sum, distance);
    if (threadIdx.x % 32 == 0)
        call.c_bf16[row * call.ldc] = bf16_bits(blend_bf16(call, row, 0, sum));
}

/* ---- up to 16 rows ---------------------------------------------------------------------------- */

/* A block computes 32 columns of C: one instruction's rows, all steps along k. Its warps take every
 * eighth step of 16 terms, each with a ring of its own, which needs no barrier; in the end their sums
 * are added up. */
static const unsigned MOST_ROWS = 16, COLUMNS = 32, TERMS = 16, WARPS = 8, AHEAD = 8;
static const unsigned A_ELEMENTS = MOST_ROWS * TERMS, B_ELEMENTS = TERMS * COLUMNS;
static const unsigned RING_ELEMENTS = AHEAD * (A_ELEMENTS + B_ELEMENTS); /* of a warp */
static const unsigned SKINNY_BYTES = WARPS * RING_ELEMENTS * sizeof(uint16_t);

/* Swizzled: eight rows of 32 or of 64 bytes in different banks. */
static __device__ unsigned place_of_a(unsigned row, unsigned chunk)
{
    return row * TERMS + (chunk ^ row / 4 % 2) * CHUNK;
}

static __device__ unsigned place_of_b(unsigned row, unsigned chunk)
{
    return row * COLUMNS + (chunk ^ row / 2 % 4) * CHUNK;
}

static __device__ void start_copies(const struct gemm &call, size_t column, size_t term,
                                    uint16_t *a, uint16_t *b)
{
    const unsigned lane = threadIdx.x % 32;
    const bool a_aligned = has_aligned_chunks(call.a_bf16, call.lda);
    const bool b_aligned = has_aligned_chunks(call.b_bf16, call.ldb);

    copy_chunk(a + place_of_a(lane / 2, lane % 2), call.a_bf16, call.lda, call.m, call.k, lane / 2,
               term + lane % 2 * CHUNK, a_aligned);
#pragma unroll
    for (unsigned i = lane; i < TERMS * COLUMNS / CHUNK; i += 32)
        copy_chunk(b + place_of_b(i / 4, i % 4), call.b_bf16, call.ldb, call.k, call.n,
                   term + i / 4, column + i % 4 * CHUNK, b_aligned);
}

static __global__ void __launch_bounds__(WARPS * 32) few_rows(const struct gemm call)
{
    extern __shared__ __align__(128) uint16_t rings[];
    __shared__ float sums[WARPS][MOST_ROWS][COLUMNS];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const size_t column = (size_t)blockIdx.x * COLUMNS;
    uint16_t *const tile_a = rings + warp * RING_ELEMENTS;
    uint16_t *const tile_b = tile_a + AHEAD * A_ELEMENTS;
    float sum[COLUMNS / 8][4] = {};
    unsigned stage = 0;

    overlap_launches();
    for (unsigned ahead = 0; ahead < AHEAD - 1; ahead++) {
        start_copies(call, column, ((size_t)ahead * WARPS + warp) * TERMS,
                     tile_a + ahead * A_ELEMENTS, tile_b + ahead * B_ELEMENTS);
        __pipeline_commit();
    }
    for (size_t term = warp * TERMS; term < call.k; term += WARPS * TERMS) {
        unsigned a[4], b[2][4];
        __pipeline_wait_prior(AHEAD - 2);
        __syncwarp(); /* all lanes' copies are complete, and nobody reads the step before */
        const unsigned free_stage = (stage + AHEAD - 1) % AHEAD;
        start_copies(call, column, term + (AHEAD - 1) * WARPS * TERMS,
                     tile_a + free_stage * A_ELEMENTS, tile_b + free_stage * B_ELEMENTS);
        __pipeline_commit();
        load_tiles(a, tile_a + stage * A_ELEMENTS + place_of_a(lane % 16, lane / 16));
#pragma unroll
        for (unsigned j = 0; j < 2; j++)
            load_transposed(b[j],
                            tile_b + stage * B_ELEMENTS + place_of_b(lane % 16, j * 2 + lane / 16));
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            multiply(sum[j], a, b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
        stage = (stage + 1) % AHEAD;
    }
    __pipeline_wait_prior(0);
#pragma unroll
    for (unsigned j = 0; j < 4; j++)
#pragma unroll
        for (unsigned i = 0; i < 4; i++)
            sums[warp][lane / 4 + i / 2 * 8][j * 8 + lane % 4 * 2 + i % 2] = sum[j][i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < MOST_ROWS * COLUMNS; i += WARPS * 32) {
        const size_t row = i / COLUMNS, of_c = column + i % COLUMNS;
        float all = 0;
        for (unsigned w = 0; w < WARPS; w++)
            all += sums[w][row][i % COLUMNS];
        if (row < call.m && of_c < call.n)
            call.c_bf16[row * call.ldc + of_c] = bf16_bits(blend_bf16(call, row, of_c, all));
    }
}

/* ---- launch ---------------------------------------------------------------------------------- */

/* Returns false if the call is not skinny. */
extern "C" bool launch_skinny(const struct gemm *call)
{
    const size_t row_blocks = (call->m + 7) / 8, column_blocks = (call->n + COLUMNS - 1) / COLUMNS;

    if (call->k > 0 && call->n == 1 && row_blocks <= INT32_MAX) {
        launch_dependent(times_vector, (unsigned)row_blocks, 256, 0, *call);
        return true;
    }
    /* Of a long k and few columns, only a few multiprocessors would read. */
    if (call->k > 0 && call->m <= MOST_ROWS && column_blocks <= INT32_MAX &&
        column_blocks * 8192 >= call->k) {
        cudaFuncSetAttribute(few_rows, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)SKINNY_BYTES);
        launch_dependent(few_rows, (unsigned)column_blocks, WARPS * 32, SKINNY_BYTES, *call);
        return true;
    }
    return false;
}
