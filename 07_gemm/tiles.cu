/* Step 07: tiles_of_c with tiles of several shapes, aligned copies of B, and products left over at
 * the edges, on Hopper (sm_90a). */
#include "copy_rows.h"
#include "device/gpu.h"
#include "plan.h"
#include "tiles_of_c.cuh"
#include "workspace.h"

/* The product with B's copy, whose rows are aligned. */
static struct gemm with_aligned_b(const struct gemm *call)
{
    struct gemm aligned = *call;

    aligned.b =
        copy_to_aligned_rows(call, call->b, &aligned.ldb, call->k, call->n,
                             workspace_copy(call->k * aligned_pitch(call->n, sizeof(float))));
    return aligned;
}

template <typename T>
static void launch_tiles(const struct gemm *call, const struct plan *plan)
{
    static bool may_have_memory[MOST_GPUS]; /* an attribute belongs to a GPU, too */
    const unsigned gpu = gpu_place();
    struct work work = work_for<T>(call);
    const unsigned tiles = work.row_tiles * work.column_tiles;

    work.blocks = plan->blocks;
    work.added_later = plan->added_later;
    work.parts = workspace_parts();
    work.sent = workspace_flags();
    if (!may_have_memory[gpu])
        cudaFuncSetAttribute(tiles_of_c<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             T::SHARED_BYTES);
    may_have_memory[gpu] = true;
    launch_dependent(tiles_of_c<T>, work.blocks, T::CONSUMERS + PRODUCERS, T::SHARED_BYTES, *call,
                     describe_b(call, T::DEPTH, T::N), work);
    if (work.added_later) {
        const unsigned parts = (work.blocks + tiles - 1) / tiles;
        const unsigned together = parts <= 6 ? 1 : parts <= 12 ? 2 : parts <= 32 ? 4 : 8;
        launch_dependent(add_parts<T>, dim3(tiles, T::M * T::N * together / 1024), ADD_THREADS, 0,
                         *call, work, together);
    }
}

void run_tiles(const struct gemm *call, const struct plan *plan)
{
    static void (*const launches[TILE_SHAPES])(const struct gemm *, const struct plan *) = {
        launch_tiles<Large>,
        launch_tiles<Tile<4, 2, 1, 32, 4>>,
        launch_tiles<Tile<2, 2, 2, 32, 4>>,
        launch_tiles<Tile<1, 2, 4, 32, 4>>,
        launch_tiles<Tile<2, 1, 4, 32, 4>>,
        launch_tiles<Tile<1, 1, 8, 64, 3>>,
    };
    struct gemm inner = *call;

    inner.m = plan->rows;
    inner.n = plan->columns;
    if (plan->copies_b)
        inner = with_aligned_b(&inner);
    launches[plan->shape](&inner, plan);
    if (plan->rows < call->m) {
        struct gemm below = *call;
        below.m = call->m - plan->rows;
        below.a += plan->rows * call->lda;
        below.c += plan->rows * call->ldc;
        run_few_rows(&below, few_rows_splits(&below));
    }
    if (plan->columns < call->n) {
        struct gemm beside = *call;
        beside.m = plan->rows;
        beside.n = call->n - plan->columns;
        beside.b += plan->columns;
        beside.c += plan->columns;
        run_few_columns(&beside, few_columns_splits(&beside));
    }
}
