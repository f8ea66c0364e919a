/* Step 07: tiles_of_c with tiles of several shapes, aligned copies of B, and products left over at
 * the edges, on Hopper (sm_90a). */
#include "any_shape/float32/planned_work.cuh"
#include "parts/shared_memory.cuh"
#include "parts/workspace.h"

template <typename T, bool IS_SHORT>
static void launch_tiles_of_c(const struct gemm *call, const struct work &work)
{
    static bool allowed[MOST_GPUS];

    allow_shared_memory(tiles_of_c<T, IS_SHORT>, T::SHARED_BYTES, allowed);
    launch_dependent(tiles_of_c<T, IS_SHORT>, work.blocks, T::CONSUMERS + PRODUCERS,
                     T::SHARED_BYTES, *call, describe_b(call, T::DEPTH, T::N), work);
}

/* Where warps share a stage there are no short ones: a warp's slice of it is but a turn or two. */
template <typename T>
static void launch_tiles(const struct gemm *call, const struct plan *plan)
{
    const struct work work = planned_work<T>(call, plan);

    if (plan->short_stage)
        launch_tiles_of_c<T, T::SLICES == 1>(call, work);
    else
        launch_tiles_of_c<T, false>(call, work);
    launch_add_parts<T>(call, work);
}

/* What is beyond the last whole tiles. */
static void run_below(const struct gemm *call, const struct plan *plan, bool beside_copy)
{
    struct gemm below = *call;

    below.m = call->m - plan->rows;
    below.a += plan->rows * call->lda;
    below.c += plan->rows * call->ldc;
    run_few_rows(&below, few_rows_splits(&below), SIZE_MAX, beside_copy);
}

static void run_beside(const struct gemm *call, const struct plan *plan, bool beside_copy)
{
    struct gemm beside = *call;

    beside.m = plan->rows;
    beside.n = call->n - plan->columns;
    beside.b += plan->columns;
    beside.c += plan->columns;
    run_few_columns(&beside, few_columns_splits(&beside), SIZE_MAX, beside_copy);
}

void run_tiles(const struct gemm *call, const struct plan *plan)
{
    static void (*const launches[TILE_SHAPES])(const struct gemm *, const struct plan *) = {
        LAUNCHES_OF_TILES(launch_tiles),
        launch_tiles<Tile<2, 4, 1, 32, 4, 56>>,
        launch_narrow_tiles,
        launch_narrow_tiles,
        launch_narrow_tiles,
    };
    bool has_below = plan->rows < call->m, has_beside = plan->columns < call->n;
    struct gemm inner = *call;

    inner.m = plan->rows;
    inner.n = plan->columns;
    if (plan->copies_b) { /* and one edge at the same time: two would share the workspace */
        inner = with_aligned_rows(&inner, false, true);
        if (has_below) {
            run_below(call, plan, true);
            has_below = false;
        } else if (has_beside) {
            run_beside(call, plan, true);
            has_beside = false;
        }
    }
    if (plan->cluster > 1)
        launch_clustered_tiles(&inner, plan);
    else if (plan->in_shares)
        launch_tiles_in_shares(&inner, plan);
    else
        launches[plan->shape](&inner, plan);
    if (has_below)
        run_below(call, plan, false);
    if (has_beside)
        run_beside(call, plan, false);
}
/* SPDX-License-Identifier: MIT */
