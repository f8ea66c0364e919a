/* Step 07, float32: any_shape, which runs the plan of a shape (any_shape/float32/plan.c). */
#include <stdio.h>
#include <string.h>

#include "any_shape/float32/plan.h"
#include "any_shape/float32/times.h"
#include "device/gpu.h"
#include "parts/matrix.cuh"
#include "parts/workspace.h"
#include "rungs.h"

/* Keeps a GPU's last plan, because choosing one takes longer than a small product. */
static struct plan plan_for(const struct gemm *call)
{
    static struct {
        struct gemm call;
        struct plan plan;
    } plans[MOST_GPUS];
    auto &last = plans[gpu_index()];

    if (memcmp(&last.call, call, sizeof *call) != 0) {
        last.call = *call;
        last.plan = {};
        if (call->m > 0 && call->n > 0 && call->k > 0)
            last.plan = choose_plan(call);
    }
    return last.plan;
}

extern "C" void run_plan(const struct gemm *call, const struct plan *plan)
{
    if (plan->kind == BY_TILES)
        run_tiles(call, plan);
    else if (plan->kind == BY_FEW_ROWS)
        run_few_rows(call, plan->splits, plan->kept, false);
    else if (plan->kind == BY_FEW_COLUMNS)
        run_few_columns(call, plan->splits, plan->kept, false);
    else if (plan->kind == BY_SMALL_TILES)
        run_small_tiles(call, plan);
}

/* GPUs before Hopper have no TMA. There wide_tile, the highest rung that they have, computes every
 * shape. It also computes k = 0 on all GPUs. */
extern "C" void launch_any_shape(const struct gemm *call)
{
    if (hopper_unavailable() != NULL || call->k == 0) {
        launch_wide_tile(call);
        return;
    }
    const struct plan plan = plan_for(call);
    run_plan(call, &plan);
}

/* Memory for the copy is allocated here, not when the product is timed. */
extern "C" void prepare_any_shape(const struct gemm *call)
{
    if (hopper_unavailable() != NULL)
        return;
    prepare_workspace(call);
    reserve_aligned_rows(call, false, plan_for(call).copies_b);
}

extern "C" void how_any_shape(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    static const char *const tiles[TILE_SHAPES] = {"128x256", "128x192", "128x160",
                                                   "128x128", "128x96",  "64x128"};

    if (call->m == 0 || call->n == 0)
        return;
    if (hopper_unavailable() != NULL || call->k == 0) {
        snprintf(text, RUNG_HOW_SIZE, "wide_tile");
        return;
    }
    const struct plan plan = plan_for(call);
    if (plan.kind == BY_TILES)
        snprintf(text, RUNG_HOW_SIZE, "%u blocks, tiles of %s%s%s%s", plan.blocks,
                 tiles[plan.shape], plan.added_later ? ", added later" : "",
                 plan.copies_b ? ", B copied" : "",
                 plan.rows < call->m || plan.columns < call->n ? ", edges" : "");
    else if (plan.kind == BY_SMALL_TILES)
        snprintf(text, RUNG_HOW_SIZE, "small tiles of %ux%u, k in %u",
                 plan_small_tiles[plan.shape].m, plan_small_tiles[plan.shape].n, plan.splits);
    else
        snprintf(text, RUNG_HOW_SIZE, "few %s, k in %u",
                 plan.kind == BY_FEW_COLUMNS ? "columns" : "rows", plan.splits);
}
/* SPDX-License-Identifier: MIT */
