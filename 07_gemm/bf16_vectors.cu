/* Step 07, bfloat16: a matrix and a vector. Each element of the matrix is used once: no matter for
 * tensor cores. */
#include "bf16.cuh"
#include "kernel/cluster.cuh"
#include "kernel/dependent_launch.cuh"

static const unsigned THREADS = 256, MOST_SPLITS = 8;

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
static __global__ void __launch_bounds__(THREADS) times_vector(const struct gemm call)
{
    const size_t row = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;
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

/* m = 1: a block adds up COLUMNS columns over its share of B's rows, LANES threads a row. The
 * cluster's blocks share the rows, and each stores its part of the columns. */
static const unsigned COLUMNS = 128, LANES = COLUMNS / CHUNK, ROWS = THREADS / LANES;

/* Adds up every ROWS-th row from `begin` on; eight of them are on their way at a time. */
template <bool WHOLE_CHUNKS>
static __device__ void add_rows(float (&sum)[CHUNK], const struct gemm &call, size_t column,
                                size_t begin, size_t end)
{
    const unsigned batch = 8;

    for (size_t p = begin; p < end; p += batch * ROWS) {
        uint16_t a[batch] = {}, b[batch][CHUNK] = {};
#pragma unroll
        for (unsigned i = 0; i < batch; i++) {
            const size_t row = p + i * ROWS;
            if (row >= end)
                continue;
            a[i] = call.a_bf16[row];
            load_chunk(b[i], call.b_bf16 + row * call.ldb, column, WHOLE_CHUNKS ? SIZE_MAX : call.n,
                       WHOLE_CHUNKS);
        }
#pragma unroll
        for (unsigned i = 0; i < batch * CHUNK; i++)
            sum[i % CHUNK] += bf16_value(a[i / CHUNK]) * bf16_value(b[i / CHUNK][i % CHUNK]);
    }
}

static __global__ void __launch_bounds__(THREADS)
    vector_times(const struct gemm call, const unsigned splits)
{
    __shared__ float sums[ROWS][COLUMNS], shares[COLUMNS];
    const unsigned rank = rank_in_cluster(), t = threadIdx.x, part = COLUMNS / splits;
    const size_t first = (size_t)(blockIdx.x / splits) * COLUMNS;
    const size_t column = first + t % LANES * CHUNK;
    const bool aligned = has_aligned_chunks(call.b_bf16, call.ldb);
    const size_t begin = call.k * rank / splits, end = call.k * (rank + 1) / splits;
    float sum[CHUNK] = {};

    overlap_launches();
    if (aligned && column + CHUNK <= call.n)
        add_rows<true>(sum, call, column, begin + t / LANES, end);
    else
        add_rows<false>(sum, call, column, begin + t / LANES, end);
#pragma unroll
    for (unsigned i = 0; i < CHUNK; i++)
        sums[t / LANES][t % LANES * CHUNK + i] = sum[i];
    __syncthreads();
    if (t < COLUMNS) {
        float all = 0;
        for (unsigned row = 0; row < ROWS; row++)
            all += sums[row][t];
        shares[t] = all;
    }
    cluster_barrier();
    const unsigned own = rank * part + t;
    if (t < part && first + own < call.n) {
        float all = 0;
        for (unsigned block = 0; block < splits; block++)
            all += load_from_block(&shares[own], block);
        call.c_bf16[first + own] = bf16_bits(blend_bf16(call, 0, first + own, all));
    }
    cluster_barrier(); /* nobody may end while others read its memory */
}

/* A power of two: its blocks divide the columns among themselves. */
static unsigned splits_of(const struct gemm *call, size_t tiles)
{
    unsigned splits = 1;

    while (splits < MOST_SPLITS && call->k >= splits * 2 * ROWS &&
           tiles * splits < (size_t)call->multiprocessors * 2)
        splits *= 2;
    return splits;
}

extern "C" void launch_vectors_bf16(const struct gemm *call)
{
    if (call->n == 1) {
        launch_dependent(times_vector, (unsigned)((call->m + 7) / 8), THREADS, 0, *call);
        return;
    }
    const size_t tiles = (call->n + COLUMNS - 1) / COLUMNS;
    const unsigned splits = splits_of(call, tiles);
    launch_dependent_clusters(vector_times, splits, (unsigned)(tiles * splits), THREADS, 0, *call,
                              splits);
}
