/* Step 07, the top rungs: stream_k with one idea more each, until any shape has a plan of its own
 * (any_shape/float32/plan.c). */
#include <stdio.h>

#include "any_shape/float32/plan.h"
#include "device/gpu.h"
#include "kernel/launch_limits.cuh"
#include "parts/matrix.cuh"
#include "parts/workspace.h"
#include "rungs.h"

extern "C" size_t l2_bytes(void)
{
    static int found[MOST_GPUS];
    int *const bytes = &found[gpu_place()];

    if (*bytes == 0)
        *bytes = device_attribute(cudaDevAttrL2CacheSize);
    return (size_t)*bytes;
}

/* A GPU's last plan is kept: choosing one takes longer than a small product. */
static struct plan plan_for(const struct gemm *call, unsigned ideas)
{
    static struct {
        struct gemm call;
        unsigned ideas;
        struct plan plan;
    } plans[MOST_GPUS];
    auto &last = plans[gpu_place()];
    const bool is_same = last.ideas == ideas && last.call.m == call->m && last.call.n == call->n &&
                         last.call.k == call->k && last.call.lda == call->lda &&
                         last.call.ldb == call->ldb && last.call.a == call->a &&
                         last.call.b == call->b;

    if (!is_same) {
        last.call = *call;
        last.ideas = ideas;
        last.plan = {};
        if (call->m > 0 && call->n > 0 && call->k > 0)
            last.plan = choose_plan(call, ideas);
    }
    return last.plan;
}

/* A rung's idea, and those of the rungs before it. */
static unsigned ideas_up_to(unsigned idea)
{
    return 2 * idea - 1;
}

static void run_plan(const struct gemm *call, unsigned ideas)
{
    const struct plan plan = plan_for(call, ideas);

    if (plan.kind == BY_TILES)
        run_tiles(call, &plan);
    else if (plan.kind == BY_FEW_ROWS)
        run_few_rows(call, plan.splits, plan.kept, false);
    else if (plan.kind == BY_FEW_COLUMNS)
        run_few_columns(call, plan.splits, plan.kept, false);
    else if (plan.kind == BY_STREAM)
        run_streamed(call, plan.splits, plan.kept);
    else if (plan.kind == BY_SMALL_TILES)
        run_small_tiles(call, &plan);
}

/* The rung whose idea is the last of these. */
static const char *declines_plan(const struct gemm *call, unsigned idea)
{
    const struct plan plan = plan_for(call, ideas_up_to(idea));

    if (call->m == 0 || call->n == 0)
        return NULL;
    if (call->k == 0)
        return "requires k > 0";
    if (plan.kind == BY_NOTHING)
        return has_aligned_rows(call->b, call->ldb) ? "requires n, k and rows of A below 2 million"
                                                    : "requires rows of B aligned to 16 bytes";
    const struct plan before = plan_for(call, ideas_up_to(idea) & ~idea);
    return plans_are_alike(call, &plan, &before) ? "the plan is the same without this idea" : NULL;
}

/* Better: tiles of seven more shapes, so that a small C, or a narrow one, has as many as there are
 * multiprocessors. If a tile has fewer than 8 warps' elements, several warps compute the same ones,
 * each for its slice of the values of p. Still bad: if many blocks share a tile, one of them adds
 * up the sums of all. */
extern "C" void launch_sliced_tiles(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_SHAPES));
}

extern "C" const char *declines_sliced_tiles(const struct gemm *call)
{
    return declines_plan(call, PLAN_SHAPES);
}

/* Better: a kernel of its own adds up the partial sums of many blocks, with all threads of the GPU.
 * Still bad: the sums go to global memory and back, and a second launch begins where the first
 * ends. */
extern "C" void launch_added_later(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_LATER));
}

extern "C" const char *declines_added_later(const struct gemm *call)
{
    return declines_plan(call, PLAN_LATER);
}

/* Better: where the blocks of a tile fit in a cluster, they add up their sums themselves, from one
 * another's shared memory, each its share. Still bad: more blocks than a cluster may have need the
 * second kernel. */
extern "C" void launch_clustered(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_CLUSTERS));
}

extern "C" const char *declines_clustered(const struct gemm *call)
{
    return declines_plan(call, PLAN_CLUSTERS);
}

/* Better: such blocks leave their sums in global memory, wait for one another there, and each adds
 * up its share, in the same launch. Still bad: a B whose rows are not aligned. */
extern "C" void launch_added_in_shares(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_SHARES));
}

extern "C" const char *declines_added_in_shares(const struct gemm *call)
{
    return declines_plan(call, PLAN_SHARES);
}

/* Better: such a B is copied first, which takes k n reads and writes, for m k n products. Still
 * bad: a C with few rows or columns, for which most of a tile is outside. */
extern "C" void launch_aligned_copies(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_COPIES));
}

extern "C" const char *declines_aligned_copies(const struct gemm *call)
{
    return declines_plan(call, PLAN_COPIES);
}

/* Better: kernels for up to 16 rows or columns, which do nothing but read the large matrix once.
 * Still bad: a C with a few rows or columns more than its tiles. */
extern "C" void launch_thin(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_THIN));
}

extern "C" const char *declines_thin(const struct gemm *call)
{
    return declines_plan(call, PLAN_THIN);
}

/* Better: the same kernels compute what is beyond the last whole tile. Still bad: a tile's last
 * stage, which is multiplied beyond k as well. */
extern "C" void launch_edges(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_EDGES));
}

extern "C" const char *declines_edges(const struct gemm *call)
{
    return declines_plan(call, PLAN_EDGES);
}

/* Better: it is multiplied as far as k goes, in turns of 8. Still bad: up to 32 columns, for which
 * half of a tile is outside, and more for fewer. */
extern "C" void launch_short_stage(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_SHORT));
}

extern "C" const char *declines_short_stage(const struct gemm *call)
{
    return declines_plan(call, PLAN_SHORT);
}

/* Better: tiles of 32 and 16 columns. A float of A is needed for so few products that transposing
 * it by threads would take longer than these: A comes by the TMA. Still bad: 9 to 32 rows, for
 * which a thread of few_rows has few registers left for loads, or a tile is half empty. */
extern "C" void launch_narrow(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_NARROW));
}

extern "C" const char *declines_narrow(const struct gemm *call)
{
    return declines_plan(call, PLAN_NARROW);
}

/* Better: up to 32 rows of C, to which B comes by the TMA: a block's loads are all in flight at
 * once, and take no registers, so that two warps have room for the sums of 32 rows. Still bad: if B
 * is larger than L2, nothing of it is left there when the next product begins to read it. */
extern "C" void launch_streamed(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_STREAMED));
}

extern "C" const char *declines_streamed(const struct gemm *call)
{
    return declines_plan(call, PLAN_STREAMED);
}

/* Better: L2 is told to keep the first part of such a matrix, and to evict the rest first, so that
 * the next product with the same matrix finds that part. Still bad: a small C, for which the first
 * loads and the ring take longer than the products. */
extern "C" void launch_kept_in_l2(const struct gemm *call)
{
    run_plan(call, ideas_up_to(PLAN_KEPT));
}

extern "C" const char *declines_kept_in_l2(const struct gemm *call)
{
    return declines_plan(call, PLAN_KEPT);
}

/* Better: small tiles, of blocks that load at once all they need. Where rows are not aligned, that
 * is done 4 bytes at a time, or after copying A, B or both. */
extern "C" void launch_any_shape(const struct gemm *call)
{
    if (plan_for(call, ideas_up_to(PLAN_SMALL)).kind == BY_NOTHING)
        launch_async_copies(call); /* as with k = 0 */
    else
        run_plan(call, ideas_up_to(PLAN_SMALL));
}

/* Memory for the copy is allocated here, not when the product is timed. */
extern "C" void prepare_any_shape(const struct gemm *call)
{
    const struct plan plan = plan_for(call, ideas_up_to(PLAN_SMALL));

    prepare_workspace(call);
    reserve_aligned_rows(call, plan.copies_a, !has_aligned_rows(call->b, call->ldb));
}

extern "C" void how_any_shape(const struct gemm *call, char text[RUNG_HOW_SIZE])
{
    static const char *const tiles[TILE_SHAPES] = {"128x256", "128x192", "256x128", "128x128",
                                                   "64x128",  "128x64",  "64x64",   "128x224",
                                                   "128x32",  "128x16",  "512x32"};
    static const char *const small[SMALL_SHAPES] = {"16x32", "16x32", "32x32", "32x32", "32x64"};
    const struct plan plan = plan_for(call, ideas_up_to(PLAN_SMALL));

    if (plan.kind == BY_TILES)
        snprintf(text, RUNG_HOW_SIZE, "%u blocks, tiles of %s%s%s%s", plan.blocks,
                 tiles[plan.shape],
                 plan.cluster > 1   ? ", in clusters"
                 : plan.in_shares   ? ", added in shares"
                 : plan.added_later ? ", added later"
                                    : "",
                 plan.copies_b ? ", B copied" : "",
                 plan.rows < call->m || plan.columns < call->n ? ", edges" : "");
    else if (plan.kind == BY_SMALL_TILES)
        snprintf(text, RUNG_HOW_SIZE, "small tiles of %s, k in %u%s", small[plan.shape],
                 plan.splits,
                 plan.copies_a && plan.copies_b ? ", A and B copied"
                 : plan.copies_a                ? ", A copied"
                 : plan.copies_b                ? ", B copied"
                                                : "");
    else if (plan.kind == BY_NOTHING)
        snprintf(text, RUNG_HOW_SIZE, "%s", call->m > 0 && call->n > 0 ? "async_copies" : "");
    else
        snprintf(text, RUNG_HOW_SIZE, "few %s, k in %u",
                 plan.kind == BY_FEW_COLUMNS ? "columns"
                 : plan.kind == BY_FEW_ROWS  ? "rows"
                                             : "rows, streamed",
                 plan.splits);
}
/* SPDX-License-Identifier: MIT */
