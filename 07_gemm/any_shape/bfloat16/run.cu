/* Step 07, bfloat16, the top rung: every shape.
 *
 * The rungs below are made for many large tiles, with rows that the TMA can read. Here the tile is
 * chosen for the shape; where even small tiles leave multiprocessors idle, several blocks share the
 * steps along k of a tile (split-K), and a second kernel adds up their sums. Rows that the TMA
 * cannot read, or only slowly, are first copied. Few rows or columns go to the rungs made for them,
 * and a matrix times a vector to any_shape/bfloat16/vector.cu. */
#include "any_shape/bfloat16/chunks.cuh"
#include "any_shape/bfloat16/launch.cuh"
#include "any_shape/bfloat16/plan.h"
#include "bfloat16/parts/even_plan.h"
#include "parts/workspace.h"
#include "rungs.h"

typedef plan<64, 8, 1> narrow;
typedef plan<128, 6, 1> middle;
typedef plan<192, 4, 1> broad;
typedef plan<256, 4, 1, every_nth, 16> wide;

PERSISTENT_KERNEL(any_shape_narrow, narrow)
PERSISTENT_KERNEL(any_shape_middle, middle)
PERSISTENT_KERNEL(any_shape_broad, broad)
PERSISTENT_KERNEL(any_shape_wide, wide)

/* ---- what surrounds the product -------------------------------------------------------------- */

/* C from the sums of all splits. With GROUPS = 1 each of a block's 8 warps adds up all splits of 32
 * elements of its own; with more, each of so many warps a share of the splits of the same 32. */
template <unsigned GROUPS>
static __device__ void add_parts(const struct gemm &call, const float *parts, unsigned splits)
{
    __shared__ float sums[GROUPS][32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, width = GROUPS == 1 ? 256 : 32;
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
#pragma unroll
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

static const unsigned MANY_GROUPS = 16;

static __global__ void __launch_bounds__(MANY_GROUPS * 32)
    add_many_splits(const struct gemm call, const float *parts, const unsigned splits)
{
    add_parts<MANY_GROUPS>(call, parts, splits);
}

/* Copies a matrix to rows that are aligned, a thread 8 elements. What is read beside them is of the
 * rows before and after. */
static __global__ void __launch_bounds__(256)
    align_rows(uint16_t *to, const size_t to_leading, const uint16_t *from, const size_t leading,
               const size_t rows, const size_t columns)
{
    const size_t chunks = (columns + CHUNK - 1) / CHUNK, i = (size_t)blockIdx.x * 256 + threadIdx.x;
    const size_t row = i / chunks, first = i % chunks * CHUNK;
    const bool inside = row > 0 && row + 1 < rows && first + CHUNK <= columns;

    overlap_launches();
    if (row >= rows)
        return;
    *(uint4 *)(to + row * to_leading + first) =
        inside ? load_chunk<SHIFTED>(from + row * leading, first, columns)
               : load_chunk<SINGLE>(from + row * leading, first, columns);
}

/* ---- launch ---------------------------------------------------------------------------------- */

/* Memory for partial sums and aligned copies, on each GPU that multiplies, allocated by
 * prepare_any_shape_bf16 and kept for the next call. */
static struct {
    char *memory;
    size_t bytes;
} scratches[MOST_GPUS];

static size_t parts_bytes(const struct gemm *call)
{
    return bf16_plan_floats(call) * sizeof(float);
}

static size_t copy_bytes(size_t rows, size_t columns)
{
    const size_t pitch = aligned_pitch(columns, sizeof(uint16_t));

    return (rows * pitch * sizeof(uint16_t) + 255) / 256 * 256;
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
    return (unsigned)((rows * ((columns + CHUNK - 1) / CHUNK) + 255) / 256);
}

/* The call with operands whose rows are aligned; copied, if they must be, or if that pays. */
static struct gemm aligned_call(const struct gemm *call, const struct bf16_plan &plan)
{
    uint16_t *const a = (uint16_t *)(scratches[gpu_place()].memory + parts_bytes(call));
    uint16_t *const b = a + copy_bytes(call->m, call->k) / sizeof(uint16_t);
    struct gemm aligned = *call;

    if (plan.copies_a || !has_aligned_chunks(call->a_bf16, call->lda)) {
        aligned.a_bf16 = a;
        aligned.lda = aligned_pitch(call->k, sizeof(uint16_t));
        launch_dependent(align_rows, blocks_of_rows(call->m, call->k), 256, 0, a, aligned.lda,
                         call->a_bf16, call->lda, call->m, call->k);
    }
    if (plan.copies_b || !has_aligned_chunks(call->b_bf16, call->ldb)) {
        aligned.b_bf16 = b;
        aligned.ldb = aligned_pitch(call->n, sizeof(uint16_t));
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
        launch_dependent(add_many_splits, (unsigned)(call->m * ((call->n + 31) / 32)),
                         MANY_GROUPS * 32, 0, *call, parts, splits);
}

#define LAUNCH(kernel, plan)                                                                       \
    LAUNCH_PREPARED(kernel, plan, &aligned, splits, (float *)scratches[gpu_place()].memory);       \
    break

static struct bf16_plan plan_for(const struct gemm *call)
{
    static struct {
        struct gemm call;
        struct bf16_plan plan;
    } of_gpus[MOST_GPUS];
    auto &last = of_gpus[gpu_place()];

    if (memcmp(&last.call, call, sizeof *call) != 0) {
        last.call = *call;
        last.plan = bf16_plan_of(call, bf16_clusters());
    }
    return last.plan;
}

extern "C" void launch_even_tiles(const struct gemm *call, const struct bf16_plan *plan)
{
    const struct even_plan even = {plan->rows, plan->high_columns, 0, 0};

    (plan->pairs ? launch_pairs_of : launch_waves_of)(call, &even);
}

extern "C" void launch_any_shape_bf16(const struct gemm *call)
{
    const struct bf16_plan chosen = plan_for(call);
    const unsigned splits = chosen.splits;

    if (call->m == 0 || call->n == 0)
        return;
    if (chosen.way == BF16_VECTOR) {
        launch_times_vector_bf16(call);
        return;
    }
    if (chosen.way == BF16_FEW_ROWS) {
        launch_few_rows_bf16(call);
        return;
    }
    if (chosen.way == BF16_FEW_COLUMNS) {
        launch_few_columns_bf16(call);
        return;
    }
    if (chosen.way == BF16_OTHER) {
        launch_swizzled(call);
        return;
    }
    const struct gemm aligned = aligned_call(call, chosen);
    switch (chosen.way) {
    case BF16_THIN:
        launch_thin_tiles(&aligned, &chosen);
        return;
    case BF16_FITTED:
        launch_fitted_tiles(&aligned, &chosen);
        break;
    case BF16_SHARED:
        launch_stream_k_bf16(&aligned);
        break;
    case BF16_NARROW:
        LAUNCH(any_shape_narrow, narrow);
    case BF16_MIDDLE:
        LAUNCH(any_shape_middle, middle);
    case BF16_BROAD:
        LAUNCH(any_shape_broad, broad);
    case BF16_EVEN:
        launch_even_tiles(&aligned, &chosen);
        break;
    default:
        LAUNCH(any_shape_wide, wide);
    }
    if (splits > 1)
        launch_add_splits(call, splits);
}

extern "C" void how_any_shape_bf16(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    const struct bf16_plan plan = plan_for(call);
    const unsigned columns_of[] = {64, 128, 192, 256};
    const bool copies_a = plan.copies_a || !has_aligned_chunks(call->a_bf16, call->lda);
    const bool copies_b = plan.copies_b || !has_aligned_chunks(call->b_bf16, call->ldb);
    const char *const copied = copies_a && copies_b ? ", A and B copied"
                               : copies_a           ? ", A copied"
                               : copies_b           ? ", B copied"
                                                    : "";

    if (call->m == 0 || call->n == 0)
        return;
    switch (plan.way) {
    case BF16_VECTOR:
        snprintf(text, RUNG_HOW_SIZE, "a matrix times a vector");
        break;
    case BF16_FEW_ROWS:
        snprintf(text, RUNG_HOW_SIZE, "few_rows");
        break;
    case BF16_FEW_COLUMNS:
        snprintf(text, RUNG_HOW_SIZE, "few_columns");
        break;
    case BF16_OTHER:
        snprintf(text, RUNG_HOW_SIZE, "swizzled");
        break;
    case BF16_THIN:
        snprintf(text, RUNG_HOW_SIZE, "thin, tiles of %ux%u, k in %u%s", plan.rows, plan.columns,
                 plan.splits, copied);
        break;
    case BF16_FITTED:
        snprintf(text, RUNG_HOW_SIZE, "fitted, tiles of %ux%u%s%s", plan.rows, plan.columns,
                 plan.pairs ? ", in pairs" : "", copied);
        break;
    case BF16_SHARED:
        snprintf(text, RUNG_HOW_SIZE, "stream_k%s", copied);
        break;
    case BF16_EVEN:
        snprintf(text, RUNG_HOW_SIZE, "%s, tiles of %u and %u rows%s",
                 plan.pairs ? "even_pairs" : "even_waves", EVEN_HIGH_ROWS, plan.rows, copied);
        break;
    default:
        snprintf(text, RUNG_HOW_SIZE, "tiles of 128x%u, k in %u%s", columns_of[plan.way],
                 plan.splits, copied);
    }
}
/* SPDX-License-Identifier: MIT */
