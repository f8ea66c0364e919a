/* Step 07: products of floats on Hopper's tensor cores (sm_90a), in TF32: a float with 10 of its
 * 23 bits of fraction.
 *
 * wgmma transposes elements of 16 bits, but not of 32: B's tile must have its rows along k. B's
 * rows run along n, so a kernel of its own transposes B in global memory first. */
#ifndef RUNGS_07_TF32_CUH
#define RUNGS_07_TF32_CUH

#include "kernel/dependent_launch.cuh"
#include "tensor_ring.cuh"
#include "tile.cuh"

static const unsigned STEP_K = 32, TILE_M = 128; /* a step's terms: 128 bytes */
static const unsigned CONSUMERS = 2 * WARPGROUP, THREADS = CONSUMERS + WARPGROUP;
static const unsigned CONSUMER_REGISTERS = 232, PRODUCER_REGISTERS = 40; /* of 168 at launch */

/* Operands are stored as the sum of PARTS numbers of TF32, in PARTS matrices below each other. */
template <unsigned PARTS, unsigned TILE_COLUMNS, unsigned RING_STAGES>
struct tf32_plan {
    static const unsigned OPERAND_PARTS = PARTS, TILE_N = TILE_COLUMNS, STAGES = RING_STAGES;
    typedef ::tensor_ring<PARTS * TILE_M, PARTS * TILE_N, STAGES> ring;
    static const unsigned SHARED_BYTES = STAGES * ring::STAGE_BYTES;
};

struct tf32_work {
    unsigned row_tiles, column_tiles, steps;
};

struct tf32_tile {
    size_t row, column;
};

/* Column by column within groups of 8 rows of tiles, which share L2. */
template <typename Plan>
static __device__ struct tf32_tile tile_at(const struct tf32_work &work, unsigned number)
{
    const unsigned height = 8, in_group = number % (height * work.column_tiles);
    const unsigned first = number / (height * work.column_tiles) * height;
    const unsigned rows = min(height, work.row_tiles - first);
    struct tf32_tile tile;

    tile.row = (size_t)(first + in_group % rows) * TILE_M;
    tile.column = (size_t)(in_group / rows) * Plan::TILE_N;
    return tile;
}

/* ---- operands -------------------------------------------------------------------------------- */

/* The nearest number of TF32. */
static __device__ float rounded_to_tf32(float x)
{
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}

/* Stores x, or the part of it that TF32 has and, `distance` further on, the rest. */
template <unsigned PARTS>
static __device__ void put_parts(float *to, size_t distance, float x)
{
    const float high = rounded_to_tf32(x);

    *to = high;
    if (PARTS == 2)
        to[distance] = rounded_to_tf32(x - high);
}

/* A's parts, in rows of `leading` floats: a warp for 256 elements of a row. */
template <unsigned PARTS>
static __device__ void split_rows(const struct gemm &call, float *to, size_t leading)
{
    const size_t pieces = (call.k + 255) / 256;
    const size_t piece = (size_t)blockIdx.x * 8 + threadIdx.x / 32, row = piece / pieces;

    if (row >= call.m)
        return;
#pragma unroll
    for (unsigned i = 0; i < 8; i++) {
        const size_t p = piece % pieces * 256 + i * 32 + threadIdx.x % 32;
        if (p < call.k)
            put_parts<PARTS>(to + row * leading + p, call.m * leading, call.a[row * call.lda + p]);
    }
}

/* The parts of B's transpose, a block 64 x 64 elements. A padded row keeps the columns that are
 * read in different banks. */
template <unsigned PARTS>
static __device__ void transpose(const struct gemm &call, float *to, size_t leading)
{
    __shared__ float tile[64][65];
    const size_t blocks_along_n = (call.n + 63) / 64;
    const size_t column = blockIdx.x % blocks_along_n * 64, term = blockIdx.x / blocks_along_n * 64;
    const unsigned x = threadIdx.x % 64, y = threadIdx.x / 64;

#pragma unroll
    for (unsigned i = y; i < 64; i += 4)
        if (term + i < call.k && column + x < call.n)
            tile[i][x] = call.b[(term + i) * call.ldb + column + x];
    __syncthreads();
#pragma unroll
    for (unsigned i = y; i < 64; i += 4)
        if (column + i < call.n && term + x < call.k)
            put_parts<PARTS>(to + (column + i) * leading + term + x, call.n * leading, tile[x][i]);
}

/* ---- products -------------------------------------------------------------------------------- */

template <typename Plan>
static __device__ void produce(const struct gemm &call, typename Plan::ring ring,
                               const CUtensorMap *a, const CUtensorMap *b,
                               const struct tf32_work &work)
{
    const unsigned tiles = work.row_tiles * work.column_tiles;

    for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
        const struct tf32_tile tile = tile_at<Plan>(work, t);
        for (unsigned step = 0; step < work.steps; step++, ring.advance()) {
            const size_t term = (size_t)step * STEP_K;
            phase_barrier *const full = &ring.full[ring.stage];
            barrier_wait(&ring.free[ring.stage], ring.parity ^ 1);
            barrier_arrive_expecting(full, ring.STAGE_BYTES);
#pragma unroll
            for (unsigned part = 0; part < Plan::OPERAND_PARTS; part++) {
                copy_tile(ring.a() + part * TILE_M * ROW_BYTES, a, part * call.m + tile.row, term,
                          full);
                copy_tile(ring.b() + part * Plan::TILE_N * ROW_BYTES, b,
                          part * call.n + tile.column, term, full);
            }
        }
    }
}

/* Starts the products of a step; the parts' small products first. The rest of A times the rest of B
 * is left out. */
template <typename Plan>
static __device__ void multiply_step(float (&sum)[Plan::TILE_N / 2], const unsigned char *a,
                                     const unsigned char *b, bool is_first)
{
    const unsigned char *const a_rest = a + TILE_M * ROW_BYTES;
    const unsigned char *const b_rest = b + Plan::TILE_N * ROW_BYTES;

    wgmma_start();
#pragma unroll
    for (unsigned i = 0; i < 4; i++) { /* 8 terms, 32 bytes of a row */
        const uint64_t tile_a = wgmma_tile(a + i * 32, 0), tile_b = wgmma_tile(b + i * 32, 0);
        const bool add = !is_first || i > 0;
        if (Plan::OPERAND_PARTS == 2) {
            multiply_tf32(sum, tile_a, wgmma_tile(b_rest + i * 32, 0), add);
            multiply_tf32(sum, wgmma_tile(a_rest + i * 32, 0), tile_b, true);
        }
        multiply_tf32(sum, tile_a, tile_b, add || Plan::OPERAND_PARTS == 2);
    }
    wgmma_commit();
}

template <unsigned SUMS>
static __device__ void store_floats(const struct gemm &call, size_t row, size_t column,
                                    const float (&sum)[SUMS])
{
    const unsigned thread = threadIdx.x % WARPGROUP;

    const bool even = (uintptr_t)call.c % sizeof(float2) == 0 && call.ldc % 2 == 0;
    row += thread / 32 * 16 + thread % 32 / 4;
    column += thread % 4 * 2;
#pragma unroll
    for (unsigned i = 0; i < SUMS; i += 2) {
        const size_t to_row = row + i / 2 % 2 * 8, to_column = column + i / 4 * 8;
        float2 *const to = (float2 *)(call.c + to_row * call.ldc + to_column);
        if (even && call.beta == 0 && to_row < call.m && to_column + 1 < call.n) {
            *to = make_float2(call.alpha * sum[i], call.alpha * sum[i + 1]);
        } else {
            store(call, to_row, to_column, sum[i]);
            store(call, to_row, to_column + 1, sum[i + 1]);
        }
    }
}

/* The sums of a tile in TF32: the tensor cores add to them from the first step to the last. */
template <typename Plan>
static __device__ void sum_in_tensor_cores(typename Plan::ring &ring, unsigned steps,
                                           float (&sum)[Plan::TILE_N / 2])
{
    const unsigned first_row = threadIdx.x / WARPGROUP * 64;

    for (unsigned step = 0; step < steps; step++, ring.advance()) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_step<Plan>(sum, ring.a() + first_row * ROW_BYTES, ring.b(), step == 0);
        wgmma_wait<1>();
        if (step > 0)
            release(&ring.free[(ring.stage + Plan::STAGES - 1) % Plan::STAGES]);
    }
    wgmma_finish(sum);
    release(&ring.free[(ring.stage + Plan::STAGES - 1) % Plan::STAGES]);
}

/* The same for float's precision. Tensor cores cut sums off where an addition rounds, so errors
 * add up: a sum of the tensor cores has the 32 terms of a step only, and the threads add up the
 * steps, rounded. While a warpgroup adds, the other one's products run. */
template <typename Plan>
static __device__ void sum_in_threads(typename Plan::ring &ring, unsigned steps,
                                      float (&sum)[Plan::TILE_N / 2])
{
    const unsigned first_row = threadIdx.x / WARPGROUP * 64;
    float part[Plan::TILE_N / 2];

#pragma unroll
    for (unsigned i = 0; i < Plan::TILE_N / 2; i++)
        sum[i] = 0;
    for (unsigned step = 0; step < steps; step++, ring.advance()) {
        barrier_wait(&ring.full[ring.stage], ring.parity);
        multiply_step<Plan>(part, ring.a() + first_row * ROW_BYTES, ring.b(), true);
        wgmma_finish(part);
        release(&ring.free[ring.stage]);
#pragma unroll
        for (unsigned i = 0; i < Plan::TILE_N / 2; i++)
            sum[i] += part[i];
    }
}

template <typename Plan>
static __device__ void multiply_tiles(const struct gemm &call, const CUtensorMap *a,
                                      const CUtensorMap *b, const struct tf32_work &work)
{
    extern __shared__ __align__(1024) unsigned char tiles[];
    __shared__ phase_barrier full[Plan::STAGES], free[Plan::STAGES];
    typename Plan::ring ring = {tiles, full, free, 0, 0};

    if (threadIdx.x == 0)
        ring.create_barriers(CONSUMERS / 32);
    __syncthreads();
    overlap_launches();
    if (threadIdx.x >= CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        if (threadIdx.x == CONSUMERS)
            produce<Plan>(call, ring, a, b, work);
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
    for (unsigned t = blockIdx.x; t < work.row_tiles * work.column_tiles; t += gridDim.x) {
        const struct tf32_tile tile = tile_at<Plan>(work, t);
        float sum[Plan::TILE_N / 2];
        if (Plan::OPERAND_PARTS == 2)
            sum_in_threads<Plan>(ring, work.steps, sum);
        else
            sum_in_tensor_cores<Plan>(ring, work.steps, sum);
        store_floats(call, tile.row + threadIdx.x / WARPGROUP * 64, tile.column, sum);
    }
}

/* ---- launch ---------------------------------------------------------------------------------- */

template <typename Plan>
static struct tf32_work work_of(const struct gemm *call)
{
    struct tf32_work work;

    work.row_tiles = (unsigned)((call->m + TILE_M - 1) / TILE_M);
    work.column_tiles = (unsigned)((call->n + Plan::TILE_N - 1) / Plan::TILE_N);
    work.steps = (unsigned)((call->k + STEP_K - 1) / STEP_K);
    return work;
}

/* `type`: FLOAT32, or TFLOAT32, for which the TMA rounds to TF32. */
static inline CUtensorMap map_floats(CUtensorMapDataType type, const float *elements, size_t rows,
                                     size_t columns, size_t leading, unsigned tile_rows)
{
    const struct mapped_matrix matrix = {type,    sizeof(float), elements,  rows,
                                         columns, leading,       tile_rows, STEP_K};
    return map_matrix(&matrix);
}

/* Floats of a row of k terms that starts at a multiple of 16 bytes. */
static inline size_t row_floats(const struct gemm *call)
{
    return (call->k + 3) / 4 * 4;
}

static inline unsigned blocks_of_rows(const struct gemm *call)
{
    return (unsigned)((call->m * ((call->k + 255) / 256) + 7) / 8);
}

static inline unsigned blocks_of_columns(const struct gemm *call)
{
    return (unsigned)((call->n + 63) / 64 * ((call->k + 63) / 64));
}

/* The kernels' coordinates are signed 32-bit integers. */
static inline bool fits_coordinates(const struct gemm *call)
{
    return call->k > 0 && call->m <= INT32_MAX / 2 && call->n <= INT32_MAX / 2 &&
           call->k <= INT32_MAX && call->m * ((call->k + 255) / 256) <= INT32_MAX &&
           call->n / 64 * (call->k / 64 + 1) <= INT32_MAX / 2;
}

/* Memory for operands, kept for the next call. */
struct scratch {
    float *memory;
    size_t bytes;
};

static inline void provide(struct scratch *scratch, size_t bytes, const char *rung)
{
    if (bytes <= scratch->bytes)
        return;
    cudaFree(scratch->memory);
    scratch->bytes = bytes;
    if (cudaMalloc((void **)&scratch->memory, bytes) != cudaSuccess) {
        fprintf(stderr, "%s: out of memory for its copies of A and B\n", rung);
        exit(EXIT_DEVICE_ERROR);
    }
}

#endif
