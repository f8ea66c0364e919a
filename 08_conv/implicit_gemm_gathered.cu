/* Step 08, the implicit product without divisions: where the inputs of a row of the im2col matrix
 * are is in a table, which is prepared together with the weights (gather.cu). The rungs differ in
 * their plans (gather_plan.h); the kernel is that of gathered_gemm.cu. */
#include "gather.cuh"

static bool is_empty(const struct conv *call)
{
    return !has_outputs(call) || !has_products(call);
}

static struct gather_plan packed_plan(const struct conv *call)
{
    static const struct gather_tile tile = {64, 128, 3, 1, 8, 1};
    return gather_plan_of(call, &tile, 1, 0);
}

extern "C" void prepare_implicit_gemm_packed(const struct conv *call)
{
    if (is_empty(call))
        return;
    const struct gather_plan plan = packed_plan(call);
    prepare_gather(call, &plan);
}

/* Tiles of 64 filters x 128 pixels, 8 x 8 sums per thread. The weights are stored in the order in
 * which blocks read them, with zeros where there are none, so that copying them needs no test; and
 * a table says, for each row, how far its inputs are from those of the first tap.
 *
 * Better: half as many loads from shared memory for a product, and for an input an addition and two
 * comparisons instead of the arithmetic of channel and tap. Still bad: load, wait, multiply. */
extern "C" void launch_implicit_gemm_packed(const struct conv *call)
{
    if (is_empty(call)) {
        launch_conv_naive(call);
        return;
    }
    const struct gather_plan plan = packed_plan(call);
    multiply_packed(call, &plan);
}

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

extern "C" void prepare_implicit_gemm_async(const struct conv *call)
{
    prepare_kind(call, 0);
}

/* Asynchronous copies, two stages ahead, and the tile that suits the problem: 128 filters x 128
 * pixels, 64 x 128 or 32 x 128.
 *
 * Better: copies take no registers, and there is time for them. Still bad: for each input that is
 * copied, its row's entry of the table is read, and its place compared with the picture's edges. */
extern "C" void launch_implicit_gemm_async(const struct conv *call)
{
    launch_kind(call, 0);
}

extern "C" void prepare_implicit_gemm_ordered(const struct conv *call)
{
    prepare_kind(call, GATHER_TAP_ORDER);
}

/* The rows in another order: the same tap of 16 channels, which make a stage, then the next tap. If
 * there are not whole groups of 16 channels, as `implicit_gemm_async`.
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
