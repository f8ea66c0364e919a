/* Step 08, the implicit product with asynchronous copies. The rungs differ in their plans
 * (gemm/parts/gather_plan.h); the kernel is that of gemm/parts/gathered_gemm.cu. */
#include "gemm/parts/gather.cuh"
#include "rungs.h"

static void prepare_kind(const struct conv *call, unsigned may)
{
    if (is_empty(call))
        return;
    const struct gather_plan plan = gather_plan_of(call, gather_tiles, GATHER_TILES, may);
    prepare_gather(call, &plan);
}

static void launch_kind(const struct conv *call, unsigned may)
{
    if (is_empty(call))
        return;
    const struct gather_plan plan = gather_plan_of(call, gather_tiles, GATHER_TILES, may);
    multiply_gathered(call, &plan);
}

/* Asynchronous copies, two stages ahead; prepared as in the rungs before.
 *
 * Better: copies in flight take no registers, and multiplications hide their latency. Still bad:
 * all tiles are for 64 filters, but a problem may have 24, or 256. */
extern "C" void launch_implicit_gemm_async(const struct conv *call)
{
    if (is_empty(call))
        return;
    const struct gather_plan plan = gather_plan_of_one_tile(call);
    multiply_gathered(call, &plan);
}

extern "C" void prepare_implicit_gemm_fitted(const struct conv *call)
{
    prepare_kind(call, 0);
}

/* Whether the plans launch the same kernel for the same tiles and rows. */
static bool are_alike(const struct gather_plan &a, const struct gather_plan &b)
{
    return a.tile_filters == b.tile_filters && a.tile_pixels == b.tile_pixels &&
           a.uniform == b.uniform && a.vector == b.vector && a.splits == b.splits;
}

/* If a rung's plan equals that of the rung before, without its idea, it would show nothing new. */
static const char *declines_kind(const struct conv *call, unsigned may, unsigned may_before)
{
    if (gather_declines(call) != NULL || is_empty(call))
        return gather_declines(call);
    const struct gather_plan plan = gather_plan_of(call, gather_tiles, GATHER_TILES, may);
    const struct gather_plan before =
        may == 0 ? gather_plan_of_one_tile(call)
                 : gather_plan_of(call, gather_tiles, GATHER_TILES, may_before);
    return are_alike(plan, before) ? "the plan is the same without this idea" : NULL;
}

extern "C" const char *declines_implicit_gemm_fitted(const struct conv *call)
{
    return declines_kind(call, 0, 0);
}

extern "C" const char *declines_implicit_gemm_ordered(const struct conv *call)
{
    return declines_kind(call, GATHER_TAP_ORDER, 0);
}

extern "C" const char *declines_implicit_gemm_split(const struct conv *call)
{
    return declines_kind(call, GATHER_TAP_ORDER | GATHER_SPLIT, GATHER_TAP_ORDER);
}

/* The tile that suits the problem: 128 filters x 128 pixels, 64 x 128 or 32 x 128.
 *
 * Better: many filters take fewer loads per product; few filters take no products of padding. Still
 * bad: for each input that is copied, a thread loads the table's entry for its row, and compares
 * its position with the image's edges. */
extern "C" void launch_implicit_gemm_fitted(const struct conv *call)
{
    launch_kind(call, 0);
}

extern "C" void prepare_implicit_gemm_ordered(const struct conv *call)
{
    prepare_kind(call, GATHER_TAP_ORDER);
}

/* The rows in another order: a stage is one tap of 16 channels, and the next stage the next tap. It
 * declines problems whose number of channels is not a multiple of 16.
 *
 * Better: a stage takes one entry of the table and one comparison. From row to row only the channel
 * changes, by an addition. 1 x 1 filters need no comparison, and neighbouring pixels are copied
 * four at a time. Still bad: with few tiles, SMs are idle. */
extern "C" void launch_implicit_gemm_ordered(const struct conv *call)
{
    launch_kind(call, GATHER_TAP_ORDER);
}

extern "C" void prepare_implicit_gemm_split(const struct conv *call)
{
    prepare_kind(call, GATHER_TAP_ORDER | GATHER_SPLIT);
}

/* If there are few tiles, several blocks share one. Each computes some of the rows, and another
 * kernel adds their partial sums in a fixed order.
 *
 * Better: with few pixels and many channels all SMs work. Still bad: the partial sums go through
 * memory, and the tile and the number of splits are estimates. */
extern "C" void launch_implicit_gemm_split(const struct conv *call)
{
    launch_kind(call, GATHER_TAP_ORDER | GATHER_SPLIT);
}

extern "C" const char *declines_gather(const struct conv *call)
{
    return gather_declines(call);
}
/* SPDX-License-Identifier: MIT */
