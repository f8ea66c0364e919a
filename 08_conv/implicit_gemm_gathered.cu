/* Step 08, the implicit product with asynchronous copies. The rungs differ in their plans
 * (gather_plan.h); the kernel is that of gathered_gemm.cu. */
#include "gather.cuh"

static void prepare_kind(const struct conv *call, unsigned may)
{
    if (is_empty(call))
        return;
    const struct gather_plan plan = gather_plan_of(call, gather_tiles, GATHER_TILES, may);
    prepare_gather(call, &plan);
}

static void launch_kind(const struct conv *call, unsigned may)
{
    if (is_empty(call)) {
        launch_conv_naive(call);
        return;
    }
    const struct gather_plan plan = gather_plan_of(call, gather_tiles, GATHER_TILES, may);
    multiply_gathered(call, &plan);
}

/* Asynchronous copies, two stages ahead; prepared as before.
 *
 * Better: copies take no registers, and there is time for them. Still bad: all tiles are for 64
 * filters, of which a problem may have 24, or 256. */
extern "C" void launch_implicit_gemm_async(const struct conv *call)
{
    if (is_empty(call)) {
        launch_conv_naive(call);
        return;
    }
    const struct gather_plan plan = gather_plan_of_one_tile(call);
    multiply_gathered(call, &plan);
}

extern "C" void prepare_implicit_gemm_fitted(const struct conv *call)
{
    prepare_kind(call, 0);
}

/* The tile that suits the problem: 128 filters x 128 pixels, 64 x 128 or 32 x 128.
 *
 * Better: with many filters, fewer loads for a product; with few, no products of padding. Still
 * bad: for each input that is copied, its row's entry of the table is read, and its place compared
 * with the picture's edges. */
extern "C" void launch_implicit_gemm_fitted(const struct conv *call)
{
    launch_kind(call, 0);
}

extern "C" void prepare_implicit_gemm_ordered(const struct conv *call)
{
    prepare_kind(call, GATHER_TAP_ORDER);
}

/* The rows in another order: the same tap of 16 channels, which make a stage, then the next tap. If
 * there are not whole groups of 16 channels, as `implicit_gemm_fitted`.
 *
 * Better: one entry of the table and one comparison for a stage; from row to row only the channel
 * changes, by an addition. For 1 x 1 filters nothing is left to compare, and neighbouring pixels
 * are copied four at a time. Still bad: with few tiles, multiprocessors are idle. */
extern "C" void launch_implicit_gemm_ordered(const struct conv *call)
{
    launch_kind(call, GATHER_TAP_ORDER);
}

extern "C" void prepare_implicit_gemm_split(const struct conv *call)
{
    prepare_kind(call, GATHER_TAP_ORDER | GATHER_SPLIT);
}

/* Where there are few tiles, several blocks share one: each does some of the rows, and another
 * kernel adds their sums, in a fixed order.
 *
 * Better: with few pixels and many channels all multiprocessors work. Still bad: the sums go
 * through memory; and the tile and the number of parts are estimates. */
extern "C" void launch_implicit_gemm_split(const struct conv *call)
{
    launch_kind(call, GATHER_TAP_ORDER | GATHER_SPLIT);
}

extern "C" const char *declines_gather(const struct conv *call)
{
    return gather_declines(call);
}
