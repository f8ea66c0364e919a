/* Step 07: tiles_of_c with tiles of several shapes, aligned copies of B, and separate kernels for
 * the edges, on Hopper (sm_90a). */
#include "any_shape/float32/plan.h"
#include "float32/parts/stream_k_kernel.cuh"
#include "kernel/overlap.cuh"
#include "parts/shared_memory.cuh"
#include "parts/workspace.h"

template <typename T>
static struct work planned_work(const struct gemm *call, const struct plan *plan)
{
    struct work work = work_for<T>(call);

    work.blocks = plan->blocks;
    work.added_later = plan->added_later;
    work.last = (unsigned)(call->k - (size_t)(work.k_steps - 1) * T::DEPTH + T::UNROLL - 1) /
                T::UNROLL * T::UNROLL;
    work.parts = workspace_parts();
    work.sent = workspace_flags();
    return work;
}

/* Adds the partial sums, if the plan leaves that to a second kernel. */
template <typename T>
static void launch_add_parts(const struct gemm *call, const struct work &work)
{
    const unsigned tiles = work.row_tiles * work.column_tiles;
    const unsigned parts = (work.blocks + tiles - 1) / tiles;
    const unsigned together = parts <= 6 ? 1 : parts <= 12 ? 2 : parts <= 32 ? 4 : 8;

    if (work.added_later)
        launch_dependent(add_parts<T>, dim3(tiles, T::M * T::N * together / 1024), ADD_THREADS, 0,
                         *call, work, together);
}

template <typename T, bool IS_SHORT>
static void launch_tiles_of_c(const struct gemm *call, const struct work &work)
{
    static bool allowed[MOST_GPUS];

    allow_shared_memory(tiles_of_c<T, IS_SHORT>, T::SHARED_BYTES, allowed);
    launch_dependent(tiles_of_c<T, IS_SHORT>, work.blocks, T::CONSUMERS + PRODUCERS,
                     T::SHARED_BYTES, *call, describe_b(call, T::DEPTH, T::N), work);
}

/* If warps share a stage, there are no short ones: a warp's slice is only one or two turns. */
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

/* The rows below the last whole tiles; then the columns to the right of them. */
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
        launch_tiles<Large>,
        launch_tiles<Tile<2, 4, 1, 32, 4, 48>>,
        launch_tiles<Tile<2, 4, 1, 32, 4, 40>>,
        launch_tiles<Tile<2, 4, 1, 32, 4, 32>>,
        launch_tiles<Tile<2, 2, 2, 32, 4, 48>>,
        launch_tiles<Tile<1, 4, 2, 32, 4, 32>>,
    };
    const bool has_below = plan->rows < call->m, has_beside = plan->columns < call->n;
    struct gemm inner = *call;

    inner.m = plan->rows;
    inner.n = plan->columns;
    if (plan->copies_b) { /* one edge overlaps the copy; two would share the workspace */
        inner = with_aligned_rows(&inner, false, true);
        if (has_below)
            run_below(call, plan, true);
        else if (has_beside)
            run_beside(call, plan, true);
    }
    launches[plan->shape](&inner, plan);
    if (has_below && !plan->copies_b)
        run_below(call, plan, false);
    if (has_beside && (has_below || !plan->copies_b))
        run_beside(call, plan, false);
}
/* SPDX-License-Identifier: MIT */
