/* Step 07, bfloat16: any_shape.
 *
 * The rungs of the ladder bfloat16 are for many large tiles, with rows that the TMA can load. Here
 * a plan chooses the tile for the shape. If even small tiles leave SMs idle, several blocks share
 * the k-steps of a tile (split-K), and a second kernel adds their partial sums. Rows that the TMA
 * cannot load, or loads slowly, are copied first. Few rows or columns, and a matrix times a vector,
 * have their own kernels. */
#include "any_shape/bfloat16/launch.cuh"
#include "any_shape/bfloat16/plan.h"
#include "bfloat16/parts/even_plan.h"
#include "parts/workspace.h"
#include "rungs.h"

typedef config<64, 8> tile_64;
typedef config<192, 4> tile_192;
typedef config<256, 4, every_nth, 16> tile_256;

PERSISTENT_KERNEL(any_shape_64, tile_64)
PERSISTENT_KERNEL(any_shape_192, tile_192)
PERSISTENT_KERNEL(any_shape_256, tile_256)

/* ---- what surrounds the product -------------------------------------------------------------- */

static const unsigned GROUPS = 16;

/* Computes C from the partial sums of all splits. Each warp adds some splits of 32 elements. */
static __global__ void __launch_bounds__(GROUPS * 32)
    add_splits(const struct gemm call, const float *parts, const unsigned splits)
{
    __shared__ float sums[GROUPS][32];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned pieces = (unsigned)((call.n + 31) / 32);
    const size_t row = blockIdx.x / pieces, column = blockIdx.x % pieces * 32 + lane;
    float sum = 0;

    overlap_launches();
#pragma unroll 8
    for (unsigned s = warp; s < splits && column < call.n; s += GROUPS)
        sum += parts[(s * call.m + row) * call.n + column];
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || column >= call.n)
        return;
#pragma unroll
    for (unsigned w = 1; w < GROUPS; w++)
        sum += sums[w][lane];
    call.c_bf16[row * call.ldc + column] = bf16_bits(blend_bf16(call, row, column, sum));
}

/* ---- launch ---------------------------------------------------------------------------------- */

static struct bf16_plan plan_for(const struct gemm *call)
{
    static struct {
        struct gemm call;
        struct bf16_plan plan;
    } of_gpus[MOST_GPUS];
    auto &last = of_gpus[gpu_index()];

    if (memcmp(&last.call, call, sizeof *call) != 0) {
        last.call = *call;
        last.plan = bf16_plan_of(call, hopper_unavailable() == NULL ? bf16_clusters() : NULL);
    }
    return last.plan;
}

/* Runs a plan with tiles, on operands with aligned rows. */
static void run_tiles(const struct gemm *call, const struct bf16_plan *plan)
{
    const struct gemm aligned = with_aligned_rows(call, plan->copies_a, plan->copies_b);
    const struct even_plan even = {plan->rows, plan->high_columns, 0, 0};

    switch (plan->way) {
    case BF16_THIN:
        launch_thin_tiles(&aligned, plan);
        return;
    case BF16_FITTED:
        launch_fitted_tiles(&aligned, plan);
        return;
    case BF16_STREAM_K:
        launch_stream_k_bf16(&aligned);
        return;
    case BF16_EVEN:
        (plan->pairs ? launch_pairs_of : launch_waves_of)(&aligned, &even);
        return;
    case BF16_TILE_64:
        launch_prepared<tile_64>(any_shape_64, &aligned, plan);
        break;
    case BF16_TILE_192:
        launch_prepared<tile_192>(any_shape_192, &aligned, plan);
        break;
    default:
        launch_prepared<tile_256>(any_shape_256, &aligned, plan);
    }
    if (plan->splits > 1)
        launch_dependent(add_splits, (unsigned)(call->m * ((call->n + 31) / 32)), GROUPS * 32, 0,
                         *call, (const float *)workspace_parts(), plan->splits);
}

extern "C" void run_bf16_plan(const struct gemm *call, const struct bf16_plan *plan)
{
    if (plan->way == BF16_VECTOR)
        launch_times_vector_bf16(call);
    else if (plan->way == BF16_FEW_ROWS)
        launch_few_rows_bf16(call);
    else if (plan->way == BF16_FEW_COLUMNS)
        launch_few_columns_bf16(call);
    else if (plan->way == BF16_OTHER)
        (prefers_tma_copies(call) ? launch_tma_copies : launch_split_k_bf16)(call);
    else
        run_tiles(call, plan);
}

extern "C" void launch_any_shape_bf16(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    const struct bf16_plan plan = plan_for(call);
    run_bf16_plan(call, &plan);
}

/* Memory for partial sums and copies is allocated here, not when the product is timed. */
extern "C" void prepare_any_shape_bf16(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    prepare_workspace(call);
    reserve_aligned_rows(call, plan_for(call).copies_a, plan_for(call).copies_b);
}

static void say_tiles(const struct bf16_plan *plan, char text[RUNG_HOW_SIZE])
{
    static const unsigned columns_of[] = {64, 192, 256};
    const char *const copied = plan->copies_a && plan->copies_b ? ", A and B copied"
                               : plan->copies_a                 ? ", A copied"
                               : plan->copies_b                 ? ", B copied"
                                                                : "";

    if (plan->way == BF16_THIN)
        snprintf(text, RUNG_HOW_SIZE, "thin, tiles of %ux%u, k in %u%s", plan->rows, plan->columns,
                 plan->splits, copied);
    else if (plan->way == BF16_FITTED)
        snprintf(text, RUNG_HOW_SIZE, "fitted, tiles of %ux%u, clusters of %ux%u%s", plan->rows,
                 plan->columns, plan->down, plan->across, copied);
    else if (plan->way == BF16_STREAM_K)
        snprintf(text, RUNG_HOW_SIZE, "stream_k%s", copied);
    else if (plan->way == BF16_EVEN)
        snprintf(text, RUNG_HOW_SIZE, "%s, tiles of %u and %u rows%s",
                 plan->pairs ? "even_pairs" : "even_waves", EVEN_HIGH_ROWS, plan->rows, copied);
    else
        snprintf(text, RUNG_HOW_SIZE, "tiles of 128x%u, k in %u%s", columns_of[plan->way],
                 plan->splits, copied);
}

extern "C" void how_any_shape_bf16(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    if (call->m == 0 || call->n == 0)
        return;
    const struct bf16_plan plan = plan_for(call);
    const char *const kernel = plan.way == BF16_VECTOR        ? "a matrix times a vector"
                               : plan.way == BF16_FEW_ROWS    ? "few_rows"
                               : plan.way == BF16_FEW_COLUMNS ? "few_columns"
                               : plan.way != BF16_OTHER       ? NULL
                               : prefers_tma_copies(call)     ? "tma_copies, by mma.sync"
                                                              : "split_k, by mma.sync";

    if (kernel != NULL)
        snprintf(text, RUNG_HOW_SIZE, "%s", kernel);
    else
        say_tiles(&plan, text);
}
/* SPDX-License-Identifier: MIT */
