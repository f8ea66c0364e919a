/* Step 07, bfloat16, the top rung: every shape.
 *
 * The rungs below are made for many large tiles, with rows that the TMA can read. Here the tile is
 * chosen for the shape; where even small tiles leave multiprocessors idle, several blocks share the
 * steps along k of a tile (split-K), and a second kernel adds up their sums. Rows that do not start
 * at multiples of 16 bytes are first copied to where they do. Few rows or columns go to the rungs
 * made for them, and a matrix times a vector is no matter of tensor cores: each element of the
 * matrix is used once, and they lie in the order in which a warp adds them up. */
#include "bf16_persistent.cuh"
#include "device/gpu.h"
#include "workspace.h"

typedef plan<64, 8, 1, true> narrow;
typedef plan<128, 6, 1, true> middle;
typedef plan<192, 4, 1, true> broad;
typedef plan<256, 4, 1, true, every_nth, 16> wide;

#define KERNEL(name, plan)                                                                         \
    static __global__ void __launch_bounds__(THREADS, 1)                                           \
        name(const struct gemm call, const __grid_constant__ CUtensorMap a,                        \
             const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c,         \
             const struct bf16_work work)                                                          \
    {                                                                                              \
        multiply_units<plan>(call, &a, &b, &c, work);                                              \
    }

KERNEL(any_shape_narrow, narrow)
KERNEL(any_shape_middle, middle)
KERNEL(any_shape_broad, broad)
KERNEL(any_shape_wide, wide)

/* ---- what surrounds the product -------------------------------------------------------------- */

/* C from the sums of all splits. With GROUPS = 8 each warp of a block adds up every eighth split of
 * the same 32 elements, with 1 all splits of 32 elements of its own. */
template <unsigned GROUPS>
static __device__ void add_parts(const struct gemm &call, const float *parts, unsigned splits)
{
    __shared__ float sums[8][32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, width = 256 / GROUPS;
    const unsigned pieces = (unsigned)((call.n + width - 1) / width);
    const size_t row = blockIdx.x / pieces;
    const size_t column = blockIdx.x % pieces * width + (GROUPS == 1 ? threadIdx.x : lane);
    const bool inside = column < call.n;
    float sum = 0;

    overlap_launches();
#pragma unroll 8
    for (unsigned s = GROUPS == 1 ? 0 : warp; s < splits; s += GROUPS)
        if (inside)
            sum += parts[(s * call.m + row) * call.n + column];
    if (GROUPS > 1) {
        sums[warp][lane] = sum;
        __syncthreads();
        if (warp > 0)
            return;
        for (unsigned w = 1; w < GROUPS; w++)
            sum += sums[w][lane];
    }
    if (inside)
        call.c_bf16[row * call.ldc + column] = bf16_bits(blend_bf16(call, row, column, sum));
}

static __global__ void __launch_bounds__(256)
    add_few_splits(const struct gemm call, const float *parts, const unsigned splits)
{
    add_parts<1>(call, parts, splits);
}

static __global__ void __launch_bounds__(256)
    add_many_splits(const struct gemm call, const float *parts, const unsigned splits)
{
    add_parts<8>(call, parts, splits);
}

/* Copies a matrix to rows that start at multiples of 16 bytes, a warp 256 elements of a row. */
static __global__ void __launch_bounds__(256)
    align_rows(uint16_t *to, const size_t to_leading, const uint16_t *from, const size_t leading,
               const size_t rows, const size_t columns)
{
    const size_t pieces = (columns + 255) / 256, piece = (size_t)blockIdx.x * 8 + threadIdx.x / 32;
    const size_t row = piece / pieces, first = piece % pieces * 256 + threadIdx.x % 32;

    overlap_launches();
    if (row >= rows)
        return;
#pragma unroll
    for (unsigned i = 0; i < 8; i++)
        if (first + i * 32 < columns)
            to[row * to_leading + first + i * 32] = from[row * leading + first + i * 32];
}

static __device__ float half_word(const uint4 &chunk, unsigned i)
{
    return bf16_value((uint16_t)(word(chunk, i / 2) >> i % 2 * 16));
}

/* n = 1: a warp for each row of A. */
static __global__ void __launch_bounds__(256) times_vector(const struct gemm call)
{
    const size_t row = (size_t)blockIdx.x * 8 + threadIdx.x / 32;
    const bool a_aligned = has_aligned_chunks(call.a_bf16, call.lda);
    const bool b_aligned = call.ldb == 1 && (uintptr_t)call.b_bf16 % 16 == 0;
    const uint16_t *const row_of_a = call.a_bf16 + row * call.lda;
    float sum = 0;

    overlap_launches();
    if (row >= call.m)
        return;
#pragma unroll 4
    for (size_t p = threadIdx.x % 32 * CHUNK; p < call.k; p += 32 * CHUNK) {
        const bool whole = p + CHUNK <= call.k;
        const uint4 a = a_aligned && whole ? load_chunk<true>(row_of_a, p, call.k)
                                           : load_chunk<false>(row_of_a, p, call.k);
        if (b_aligned && whole) {
            const uint4 b = load_chunk<true>(call.b_bf16, p, call.k);
#pragma unroll
            for (unsigned i = 0; i < CHUNK; i++)
                sum += half_word(a, i) * half_word(b, i);
        } else {
#pragma unroll
            for (unsigned i = 0; i < CHUNK; i++)
                if (p + i < call.k)
                    sum += half_word(a, i) * bf16_value(call.b_bf16[(p + i) * call.ldb]);
        }
    }
    for (unsigned distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0U, sum, distance);
    if (threadIdx.x % 32 == 0)
        call.c_bf16[row * call.ldc] = bf16_bits(blend_bf16(call, row, 0, sum));
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* A tile's width, and what a step and a tile of it cost, in cycles as measured on an H200: narrow
 * tiles wait for L2, not for the tensor cores. */
struct choice {
    enum { NARROW, MIDDLE, BROAD, WIDE, SHARED } plan;
    unsigned splits;
};

static const unsigned WIDTHS[] = {64, 128, 192, 256}, STEP_CYCLES[] = {430, 570, 790, 1050},
                      TILE_CYCLES = 1500;

/* All tiles of a row of tiles need the same rows of A: one row's stay near, and what is larger than
 * half of L2 comes from DRAM for each column of tiles. */
static double cycles_of_narrow_step(const struct gemm *call)
{
    const double half_of_l2 = 30e6, bytes = (double)call->m * (double)call->k * sizeof(uint16_t);

    return call->m <= 128 ? 390 : bytes > half_of_l2 ? 620 : STEP_CYCLES[0];
}

static double cycles_of(const struct gemm *call, unsigned p, unsigned splits)
{
    const double second_kernel = 4500, a_split = 100, bytes_a_cycle = 2000;
    const double tiles = ceil((double)call->m / 128) * ceil((double)call->n / (double)WIDTHS[p]);
    const double waves = ceil(tiles * splits / call->multiprocessors);
    const double of_step = p > 0 ? STEP_CYCLES[p] : cycles_of_narrow_step(call);
    const double steps = ceil((double)steps_along_k(call) / splits);
    const double product = waves * (steps * of_step + TILE_CYCLES);

    if (splits == 1)
        return product;
    return product + second_kernel +
           splits * (a_split + (double)call->m * (double)call->n * 8 / bytes_a_cycle);
}

/* With the last wave's tiles shared (bf16_stream_k.cu): no multiprocessor is idle, but some wait
 * for the sums of others. */
static double cycles_if_shared(const struct gemm *call)
{
    const double tiles = ceil((double)call->m / 128) * ceil((double)call->n / 256), waiting = 2e4;
    const double waves = fmax(tiles / call->multiprocessors, 1);

    return waves * (steps_along_k(call) * STEP_CYCLES[3] + TILE_CYCLES) + waiting;
}

/* The most floats of partial sums: as many as fill the machine twice over. */
static size_t most_parts(const struct gemm *call)
{
    return (size_t)call->multiprocessors * 2 * 128 * 256;
}

static struct choice choose(const struct gemm *call)
{
    static const unsigned splits[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
    struct choice best = {choice::NARROW, 1};
    double least = -1;

    for (unsigned p = 0; p < 4; p++)
        for (unsigned s = 0; s < sizeof splits / sizeof splits[0]; s++) {
            const double cycles = cycles_of(call, p, splits[s]);
            if (splits[s] > 1 && (splits[s] > steps_along_k(call) ||
                                  call->m * call->n > most_parts(call) / splits[s]))
                break;
            if (least < 0 || cycles < least) {
                least = cycles;
                best.plan = (decltype(best.plan))p;
                best.splits = splits[s];
            }
        }
    if (cycles_if_shared(call) < 0.95 * least)
        best = {choice::SHARED, 1};
    return best;
}

/* ---- launch ---------------------------------------------------------------------------------- */

/* Memory for partial sums and aligned copies, on each GPU that multiplies, allocated by
 * prepare_any_shape_bf16 and kept for the next call. */
static struct {
    char *memory;
    size_t bytes;
} scratches[MOST_GPUS];

static size_t aligned_leading(size_t columns)
{
    return (columns + CHUNK - 1) / CHUNK * CHUNK;
}

static size_t parts_bytes(const struct gemm *call)
{
    return most_parts(call) * sizeof(float);
}

static size_t copy_bytes(size_t rows, size_t columns)
{
    return (rows * aligned_leading(columns) * sizeof(uint16_t) + 255) / 256 * 256;
}

extern "C" void prepare_any_shape_bf16(const struct gemm *call)
{
    const size_t bytes =
        parts_bytes(call) + copy_bytes(call->m, call->k) + copy_bytes(call->k, call->n);
    auto &scratch = scratches[gpu_place()];

    prepare_workspace(call); /* of stream_k */
    if (bytes <= scratch.bytes)
        return;
    cudaFree(scratch.memory);
    scratch.bytes = bytes;
    if (cudaMalloc((void **)&scratch.memory, bytes) != cudaSuccess) {
        fprintf(stderr, "any_shape: out of memory for the workspace\n");
        exit(EXIT_DEVICE_ERROR);
    }
}

static unsigned blocks_of_rows(size_t rows, size_t columns)
{
    return (unsigned)((rows * ((columns + 255) / 256) + 7) / 8);
}

/* The call with operands whose rows are aligned. */
static struct gemm aligned_call(const struct gemm *call)
{
    uint16_t *const a = (uint16_t *)(scratches[gpu_place()].memory + parts_bytes(call));
    uint16_t *const b = a + copy_bytes(call->m, call->k) / sizeof(uint16_t);
    struct gemm aligned = *call;

    if (!has_aligned_chunks(call->a_bf16, call->lda)) {
        aligned.a_bf16 = a;
        aligned.lda = aligned_leading(call->k);
        launch_dependent(align_rows, blocks_of_rows(call->m, call->k), 256, 0, a, aligned.lda,
                         call->a_bf16, call->lda, call->m, call->k);
    }
    if (!has_aligned_chunks(call->b_bf16, call->ldb)) {
        aligned.b_bf16 = b;
        aligned.ldb = aligned_leading(call->n);
        launch_dependent(align_rows, blocks_of_rows(call->k, call->n), 256, 0, b, aligned.ldb,
                         call->b_bf16, call->ldb, call->k, call->n);
    }
    return aligned;
}

static void launch_add_splits(const struct gemm *call, unsigned splits)
{
    const float *const parts = (const float *)scratches[gpu_place()].memory;

    if (splits < 8)
        launch_dependent(add_few_splits, (unsigned)(call->m * ((call->n + 255) / 256)), 256, 0,
                         *call, parts, splits);
    else
        launch_dependent(add_many_splits, (unsigned)(call->m * ((call->n + 31) / 32)), 256, 0,
                         *call, parts, splits);
}

#define LAUNCH(kernel, plan)                                                                       \
    {                                                                                              \
        struct bf16_work work = work_of<plan>(&aligned);                                           \
        work.splits = choice.splits;                                                               \
        work.parts = (float *)scratches[gpu_place()].memory;                                       \
        const struct maps maps = maps_of<plan>(&aligned, work);                                    \
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,                  \
                             (int)plan::SHARED_BYTES);                                             \
        launch_dependent_clusters(kernel, plan::CLUSTER, blocks_for<plan>(&aligned, work),         \
                                  THREADS, plan::SHARED_BYTES, aligned, maps.a, maps.b, maps.c,    \
                                  work);                                                           \
    }                                                                                              \
    break

extern "C" void launch_swizzled(const struct gemm *call);
extern "C" void launch_stream_k_bf16(const struct gemm *call);
extern "C" void launch_thin_bf16(const struct gemm *call);
extern "C" void launch_few_rows_bf16(const struct gemm *call);

/* Which shapes the rungs for few rows or columns get: those with tiles enough to keep all
 * multiprocessors busy, and between the two rungs what was faster on an H200. */
static bool has_large_b(const struct gemm *call)
{
    return call->n * call->k >= (size_t)1 << 25;
}

static bool has_few_rows(const struct gemm *call)
{
    return call->m == 1 ||
           (call->n >= 1024 && (call->m <= 16 || (call->m <= 32 && !has_large_b(call))));
}

static bool is_thin(const struct gemm *call)
{
    return (call->n <= 128 && call->m >= 2048) ||
           (call->m <= 128 && call->n >= 2048 && (call->m > 64 || has_large_b(call)));
}

extern "C" void launch_any_shape_bf16(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    if (call->k > 0 && call->n == 1) {
        launch_dependent(times_vector, (unsigned)((call->m + 7) / 8), 256, 0, *call);
        return;
    }
    if (has_few_rows(call)) {
        launch_few_rows_bf16(call);
        return;
    }
    if (call->k == 0 || call->m > INT32_MAX || call->n > INT32_MAX || call->k > INT32_MAX) {
        launch_swizzled(call);
        return;
    }
    const struct gemm aligned = aligned_call(call);
    if (is_thin(call)) {
        launch_thin_bf16(&aligned);
        return;
    }
    const struct choice choice = choose(&aligned);
    switch (choice.plan) {
    case choice::NARROW:
        LAUNCH(any_shape_narrow, narrow);
    case choice::MIDDLE:
        LAUNCH(any_shape_middle, middle);
    case choice::BROAD:
        LAUNCH(any_shape_broad, broad);
    case choice::WIDE:
        LAUNCH(any_shape_wide, wide);
    case choice::SHARED:
        launch_stream_k_bf16(&aligned);
    }
    if (choice.splits > 1)
        launch_add_splits(call, choice.splits);
}
