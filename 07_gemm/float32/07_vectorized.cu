/* Step 07, rungs that load the tiles of A and B with fewer and better instructions: as before, a
 * block of 256 threads computes 128 x 128 elements of C, a thread 8 x 8 of them, in steps of 8
 * along k. */
#include <cuda_pipeline_primitives.h>

#include "rungs.h"
#include "parts/matrix.cuh"

static const unsigned BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 8;
static const unsigned THREAD_M = 8, THREAD_N = 8, THREADS = 256;
static const unsigned PADDED_M = BLOCK_M + 4; /* the padding keeps rows 16-byte aligned */

/* ---- four floats at a time ------------------------------------------------------------------- */

/* In each step, a thread loads four neighbours of A and four of B. */
static const unsigned A_FOURS = BLOCK_K / 4, B_FOURS = BLOCK_N / 4;

static __device__ float4 fetch_a(const struct gemm &call, size_t tile_row, size_t first,
                                 bool aligned)
{
    return load_4(call.a, call.lda, call.m, call.k, tile_row + threadIdx.x / A_FOURS,
                  first + threadIdx.x % A_FOURS * 4, aligned);
}

static __device__ float4 fetch_b(const struct gemm &call, size_t tile_column, size_t first,
                                 bool aligned)
{
    return load_4(call.b, call.ldb, call.k, call.n, first + threadIdx.x / B_FOURS,
                  tile_column + threadIdx.x % B_FOURS * 4, aligned);
}

static __device__ void put_a(float tile_a[BLOCK_K][PADDED_M], float4 four)
{
    const unsigned row = threadIdx.x / A_FOURS, p = threadIdx.x % A_FOURS * 4;

    tile_a[p][row] = four.x;
    tile_a[p + 1][row] = four.y;
    tile_a[p + 2][row] = four.z;
    tile_a[p + 3][row] = four.w;
}

static __device__ void put_b(float tile_b[BLOCK_K][BLOCK_N], float4 four)
{
    *(float4 *)&tile_b[threadIdx.x / B_FOURS][threadIdx.x % B_FOURS * 4] = four;
}

/* The rows and columns of a thread in the block's tile: two groups of four neighbours each, the
 * second group `skip` after the first. */
struct place {
    unsigned row, row_skip, column, column_skip;
};

/* Adds the products of one pair of tiles to a thread's sums. */
static __device__ void multiply_tiles(const float tile_a[BLOCK_K][PADDED_M],
                                      const float tile_b[BLOCK_K][BLOCK_N], struct place at,
                                      float sum[THREAD_M][THREAD_N])
{
#pragma unroll
    for (unsigned p = 0; p < BLOCK_K; p++) {
        float a[THREAD_M], b[THREAD_N];
        *(float4 *)&a[0] = *(const float4 *)&tile_a[p][at.row];
        *(float4 *)&a[4] = *(const float4 *)&tile_a[p][at.row + at.row_skip];
        *(float4 *)&b[0] = *(const float4 *)&tile_b[p][at.column];
        *(float4 *)&b[4] = *(const float4 *)&tile_b[p][at.column + at.column_skip];
#pragma unroll
        for (unsigned i = 0; i < THREAD_M; i++)
#pragma unroll
            for (unsigned j = 0; j < THREAD_N; j++)
                sum[i][j] += a[i] * b[j];
    }
}

static __device__ void store_tile(const struct gemm &call, size_t tile_row, size_t tile_column,
                                  struct place at, const float sum[THREAD_M][THREAD_N])
{
    const bool aligned = has_aligned_rows(call.c, call.ldc);

#pragma unroll
    for (unsigned i = 0; i < THREAD_M; i++) {
        const size_t row = tile_row + at.row + i / 4 * at.row_skip + i % 4;
        store_4(call, row, tile_column + at.column, &sum[i][0], aligned);
        store_4(call, row, tile_column + at.column + at.column_skip, &sum[i][4], aligned);
    }
}

/* A contiguous 8 x 8 square, as in register_tile. */
static __device__ struct place place_in_square()
{
    struct place at;

    at.row = threadIdx.x / (BLOCK_N / THREAD_N) * THREAD_M;
    at.column = threadIdx.x % (BLOCK_N / THREAD_N) * THREAD_N;
    at.row_skip = at.column_skip = 4;
    return at;
}

/* Computes a block's tile of C, the thread the elements at `at`. */
static __device__ void multiply_block(const struct gemm &call, struct place at)
{
    __shared__ __align__(16) float tile_a[BLOCK_K][PADDED_M];
    __shared__ __align__(16) float tile_b[BLOCK_K][BLOCK_N];
    const bool a_aligned = has_aligned_rows(call.a, call.lda);
    const bool b_aligned = has_aligned_rows(call.b, call.ldb);
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);

    float sum[THREAD_M][THREAD_N] = {};
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        put_a(tile_a, fetch_a(call, tile_row, first, a_aligned));
        put_b(tile_b, fetch_b(call, tile_column, first, b_aligned));
        __syncthreads();
        multiply_tiles(tile_a, tile_b, at, sum);
        __syncthreads();
    }
    store_tile(call, tile_row, tile_column, at, sum);
}

/* Better: a quarter of the load and store instructions, of 16 bytes each. Still bad: bank
 * conflicts. Neighbouring lanes load 16 bytes of B at a distance of 32, so that two of the eight
 * lanes in each quarter of a warp access the same banks. */
static __global__ void __launch_bounds__(THREADS) vectorized(const struct gemm call)
{
    multiply_block(call, place_in_square());
}

extern "C" void launch_vectorized(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        vectorized<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}

/* ---- a tile per warp ------------------------------------------------------------------------- */

/* A warp computes 32 x 64 elements of the block's tile, with its lanes in 4 rows of 8. A lane's 8 x
 * 8 elements are four squares of 4 x 4, so that the 16-byte loads of neighbouring lanes are
 * contiguous. */
static __device__ struct place place_in_warp()
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    struct place at;

    at.row = warp / 2 * 32 + lane / 8 * 4;
    at.column = warp % 2 * 64 + lane % 8 * 4;
    at.row_skip = 16;
    at.column_skip = 32;
    return at;
}

/* Better: no bank conflicts in the inner loop, and for each p a warp loads 32 + 64 different floats
 * instead of 16 + 128. Still bad: load, wait, compute, wait. While a block loads, it does not
 * compute. */
static __global__ void __launch_bounds__(THREADS) warp_tile(const struct gemm call)
{
    multiply_block(call, place_in_warp());
}

extern "C" void launch_warp_tile(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        warp_tile<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}

/* ---- two buffers ----------------------------------------------------------------------------- */

/* While one pair of tiles is multiplied, the next is loaded into registers, then stored in the
 * other half of shared memory.
 *
 * Better: the multiplications hide the latency of global memory, and a step needs only one barrier,
 * since the half that is written was last read before the previous barrier. Still bad: each thread
 * needs 8 registers and 5 store instructions only to pass the data on. */
static __global__ void __launch_bounds__(THREADS) double_buffered(const struct gemm call)
{
    __shared__ __align__(16) float tile_a[2][BLOCK_K][PADDED_M];
    __shared__ __align__(16) float tile_b[2][BLOCK_K][BLOCK_N];
    const bool a_aligned = has_aligned_rows(call.a, call.lda);
    const bool b_aligned = has_aligned_rows(call.b, call.ldb);
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);
    const struct place at = place_in_warp();
    unsigned half = 0;

    put_a(tile_a[0], fetch_a(call, tile_row, 0, a_aligned));
    put_b(tile_b[0], fetch_b(call, tile_column, 0, b_aligned));
    __syncthreads();

    float sum[THREAD_M][THREAD_N] = {};
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        const float4 next_a = fetch_a(call, tile_row, first + BLOCK_K, a_aligned);
        const float4 next_b = fetch_b(call, tile_column, first + BLOCK_K, b_aligned);
        multiply_tiles(tile_a[half], tile_b[half], at, sum);
        half ^= 1;
        put_a(tile_a[half], next_a);
        put_b(tile_b[half], next_b);
        __syncthreads();
    }
    store_tile(call, tile_row, tile_column, at, sum);
}

extern "C" void launch_double_buffered(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        double_buffered<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}

/* ---- several tiles in flight ----------------------------------------------------------------- */

static const unsigned STAGES = 4;

/* Copies `bytes` bytes (4 or 16) to shared memory, or zeros if not `inside`. The source address is
 * valid in either case. */
static __device__ void copy_or_zero(float *to, const float *matrix, size_t offset, unsigned bytes,
                                    bool inside)
{
    __pipeline_memcpy_async(to, inside ? matrix + offset : matrix, bytes, inside ? 0 : bytes);
}

/* Starts the copies of one pair of tiles: A float by float, since it is transposed, B 16 bytes at a
 * time if it is aligned. */
static __device__ void start_copies(const struct gemm &call, size_t tile_row, size_t tile_column,
                                    size_t first, float tile_a[BLOCK_K][PADDED_M],
                                    float tile_b[BLOCK_K][BLOCK_N], bool b_aligned)
{
    const size_t p = first + threadIdx.x % BLOCK_K;
    for (unsigned i = threadIdx.x / BLOCK_K; i < BLOCK_M; i += THREADS / BLOCK_K)
        copy_or_zero(&tile_a[threadIdx.x % BLOCK_K][i], call.a, (tile_row + i) * call.lda + p,
                     sizeof(float), tile_row + i < call.m && p < call.k);

    const size_t row = first + threadIdx.x / B_FOURS;
    const size_t column = tile_column + threadIdx.x % B_FOURS * 4;
    float *const to = &tile_b[threadIdx.x / B_FOURS][threadIdx.x % B_FOURS * 4];
    if (b_aligned && column + 4 <= call.n)
        copy_or_zero(to, call.b, row * call.ldb + column, sizeof(float4), row < call.k);
    else
        for (unsigned j = 0; j < 4; j++)
            copy_or_zero(to + j, call.b, row * call.ldb + column + j, sizeof(float),
                         row < call.k && column + j < call.n);
}

/* Asynchronous copies (cp.async) from global directly to shared memory, STAGES - 1 steps ahead.
 *
 * Better: data in flight takes no registers and no store instructions, and has more time to arrive.
 * Still bad: the threads that should multiply spend instructions on addresses and on copies of 4
 * bytes. */
static __global__ void __launch_bounds__(THREADS) async_copies(const struct gemm call)
{
    __shared__ __align__(16) float tile_a[STAGES][BLOCK_K][PADDED_M];
    __shared__ __align__(16) float tile_b[STAGES][BLOCK_K][BLOCK_N];
    const bool b_aligned = has_aligned_rows(call.b, call.ldb);
    const size_t tile_row = first_row_of_tile(call.n, BLOCK_M, BLOCK_N);
    const size_t tile_column = first_column_of_tile(call.n, BLOCK_N);
    const struct place at = place_in_warp();
    unsigned stage = 0;

    for (unsigned ahead = 0; ahead < STAGES - 1; ahead++) {
        start_copies(call, tile_row, tile_column, (size_t)ahead * BLOCK_K, tile_a[ahead],
                     tile_b[ahead], b_aligned);
        __pipeline_commit();
    }
    float sum[THREAD_M][THREAD_N] = {};
    for (size_t first = 0; first < call.k; first += BLOCK_K) {
        __pipeline_wait_prior(STAGES - 2); /* this thread's copies to this stage are complete */
        __syncthreads(); /* all threads' copies are, and nobody still reads the previous stage */

        const unsigned free_stage = (stage + STAGES - 1) % STAGES;
        start_copies(call, tile_row, tile_column, first + (STAGES - 1) * BLOCK_K,
                     tile_a[free_stage], tile_b[free_stage], b_aligned);
        __pipeline_commit();
        multiply_tiles(tile_a[stage], tile_b[stage], at, sum);
        stage = (stage + 1) % STAGES;
    }
    __pipeline_wait_prior(0);
    store_tile(call, tile_row, tile_column, at, sum);
}

extern "C" void launch_async_copies(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        async_copies<<<tile_count(call, BLOCK_M, BLOCK_N), THREADS>>>(*call);
}
