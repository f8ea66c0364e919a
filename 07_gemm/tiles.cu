/* Step 07: tiles_of_c with tiles of several shapes, aligned copies of B, and products left over at
 * the edges, on Hopper (sm_90a). */
#include "copy_rows.h"
#include "planned_work.cuh"
#include "shared_memory.cuh"

/* A product's rows below those of the plan. */
static struct gemm rows_below(const struct gemm *call, const struct plan *plan)
{
    struct gemm below = *call;

    below.m = call->m - plan->rows;
    below.a += plan->rows * call->lda;
    below.c += plan->rows * call->ldc;
    return below;
}

/* Copies B to rows that are aligned, in `inner`. Where there are few rows below, their kernel,
 * which reads all of B, does it. */
static void align_b(const struct gemm *call, const struct plan *plan, struct gemm *inner)
{
    const size_t pitch = aligned_pitch(call->n, sizeof(float));
    float *const to = workspace_copy(call->k * pitch);

    if (plan->rows < call->m) {
        const struct gemm below = rows_below(call, plan);
        run_few_rows_copying(&below, few_rows_splits(&below), to, pitch);
        inner->ldb = pitch;
        inner->b = to;
    } else {
        inner->b = copy_to_aligned_rows(call, call->b, &inner->ldb, call->k, call->n, to);
    }
}

template <typename T>
static void launch_tiles(const struct gemm *call, const struct plan *plan)
{
    static bool allowed[MOST_GPUS];
    const struct work work = planned_work<T>(call, plan);

    allow_shared_memory(tiles_of_c<T>, T::SHARED_BYTES, allowed);
    launch_dependent(tiles_of_c<T>, work.blocks, T::CONSUMERS + PRODUCERS, T::SHARED_BYTES, *call,
                     describe_b(call, T::DEPTH, T::N), work);
    launch_add_parts<T>(call, work);
}

void run_tiles(const struct gemm *call, const struct plan *plan)
{
    static void (*const launches[TILE_SHAPES])(const struct gemm *, const struct plan *) = {
        LAUNCHES_OF_TILES(launch_tiles),
        launch_narrow_tiles,
        launch_narrow_tiles,
    };
    struct gemm inner = *call;

    inner.m = plan->rows;
    inner.n = plan->columns;
    if (plan->copies_b)
        align_b(call, plan, &inner);
    if (plan->cluster > 1)
        launch_clustered_tiles(&inner, plan);
    else if (plan->in_shares)
        launch_tiles_in_shares(&inner, plan);
    else
        launches[plan->shape](&inner, plan);
    if (plan->rows < call->m && !plan->copies_b) {
        const struct gemm below = rows_below(call, plan);
        run_few_rows(&below, few_rows_splits(&below), SIZE_MAX);
    }
    if (plan->columns < call->n) {
        struct gemm beside = *call;
        beside.m = plan->rows;
        beside.n = call->n - plan->columns;
        beside.b += plan->columns;
        beside.c += plan->columns;
        run_few_columns(&beside, few_columns_splits(&beside), SIZE_MAX);
    }
}
