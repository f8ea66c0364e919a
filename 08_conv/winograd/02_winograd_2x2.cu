/* Step 08, Winograd's algorithm in three kernels, for tiles of 2 x 2 and 4 x 4 outputs. One
 * transforms the inputs, one multiplies, and one transforms the products to outputs. (The products
 * are those of gemm/parts/gathered_gemm.cu or tensor_cores/02_implicit_3xtf32.cu, the error bound
 * is in winograd/parts/bound.h.) */
#include "gemm/parts/gather.cuh"
#include "kernel/overlap.cuh"
#include "winograd/parts/transforms.cuh"

extern "C" {
#include "rungs.h"
#include "winograd/parts/plan.h"
}

static const unsigned BLOCK = 256;

/* The transforms' blocks, for the tiles of one channel or filter. */
static __host__ __device__ unsigned blocks_of(const struct winograd_plan &plan)
{
    return (unsigned)((plan.at_once + BLOCK - 1) / BLOCK);
}

template <bool DILATED>
static __device__ struct tile_coord coord_of(const struct conv &call,
                                             const struct winograd_plan &plan, unsigned tile)
{
    const unsigned apart = plan.tile * (DILATED ? (unsigned)call.dilation : 1);
    const unsigned row = tile / plan.across, phase = row / plan.down;
    struct tile_coord at;

    at.x = tile % plan.across * apart;
    at.y = row % plan.down * apart;
    at.batch = phase;
    if (DILATED) {
        at.x += phase % plan.phases_across;
        at.y += phase / plan.phases_across % plan.phases_down;
        at.batch = phase / plan.phases_across / plan.phases_down;
    }
    return at;
}

/* One thread per tile and channel; neighbouring threads have neighbouring tiles. */
template <unsigned TILE, unsigned SIDE, bool DILATED>
static __global__ void __launch_bounds__(BLOCK)
    transform_inputs(const struct conv call, const struct winograd_plan plan, unsigned first)
{
    constexpr unsigned PATCH = winograd<TILE, SIDE>::PATCH;
    const unsigned blocks = blocks_of(plan); /* per channel */
    const unsigned channel = blockIdx.x / blocks;
    const unsigned column = blockIdx.x % blocks * BLOCK + threadIdx.x, tile = first + column;
    const struct tile_coord at = coord_of<DILATED>(call, plan, tile);
    const int top = (int)at.y - (int)call.pad, left = (int)at.x - (int)call.pad;
    const int apart = DILATED ? (int)call.dilation : 1;
    const unsigned height = (unsigned)call.height, width = (unsigned)call.width;
    float patch[PATCH * PATCH] = {};

    overlap_launches();
    if (column >= plan.at_once)
        return;
    if (channel < call.channels && tile < plan.tiles) {
        const float *const image =
            call.input + ((size_t)at.batch * call.channels + channel) * height * width;
#pragma unroll
        for (unsigned r = 0; r < PATCH; r++) {
            const int y = top + (int)r * apart;
            const float *const row = image + (long)y * (int)width + left;
#pragma unroll
            for (unsigned s = 0; s < PATCH; s++)
                if ((unsigned)y < height && (unsigned)(left + (int)s * apart) < width)
                    patch[PATCH * r + s] = row[(int)s * apart];
        }
    }
    transform_patch<TILE, SIDE>(patch);
    float *const to = plan.inputs + (size_t)channel * plan.at_once + column;
#pragma unroll
    for (unsigned i = 0; i < PATCH * PATCH; i++)
        to[i * (size_t)plan.channels * plan.at_once] = patch[i];
}

/* One thread per tile and filter; neighbouring threads have neighbouring tiles. */
template <unsigned TILE, unsigned SIDE, bool DILATED>
static __global__ void __launch_bounds__(BLOCK)
    transform_outputs(const struct conv call, const struct winograd_plan plan, unsigned first)
{
    constexpr unsigned PATCH = winograd<TILE, SIDE>::PATCH;
    const unsigned blocks = blocks_of(plan); /* per filter */
    const unsigned filter = blockIdx.x / blocks;
    const unsigned column = blockIdx.x % blocks * BLOCK + threadIdx.x, tile = first + column;
    const struct tile_coord at = coord_of<DILATED>(call, plan, tile);
    float m[PATCH * PATCH];

    overlap_launches();
    if (column >= plan.at_once || tile >= plan.tiles || at.x >= (unsigned)call.out_width)
        return;
    const float *const from = plan.products + (size_t)filter * plan.at_once + column;
#pragma unroll
    for (unsigned i = 0; i < PATCH * PATCH; i++)
        m[i] = from[i * call.filters * plan.at_once];
    store_outputs<TILE, SIDE, DILATED>(m, call, (size_t)at.batch * call.filters + filter, at.y,
                                       at.x);
}

/* One thread per filter and channel of the padded array. IN_TWO: as two TF32 numbers. */
template <unsigned TILE, unsigned SIDE, bool IN_TWO>
static __global__ void transform_filters(const struct conv call, const struct winograd_plan plan)
{
    constexpr unsigned PATCH = winograd<TILE, SIDE>::PATCH;
    const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t filters = (size_t)plan.gather.filter_tiles * plan.gather.tile_filters;
    const size_t filter = thread % filters, channel = thread / filters;
    float g[SIDE * SIDE], components[PATCH * PATCH];

    if (channel >= plan.channels)
        return;
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        g[i] = filter < call.filters && channel < call.channels
                   ? call.filter[(filter * call.channels + channel) * SIDE * SIDE + i]
                   : 0;
    transform_filter<TILE, SIDE>(g, components);
    float *to = plan.gather.weights;
    for (unsigned i = 0; i < PATCH * PATCH; i++, to += plan.gather.weights_step)
        if (IN_TWO)
            store_in_two(to, plan.gather, (unsigned)channel, (unsigned)filter, components[i]);
        else
            to[channel * filters + filter] = components[i];
}

/* Transforms the filters. A user would do this once for all images. */
template <unsigned TILE, unsigned SIDE, bool IN_TWO>
static void prepare(const struct conv *call, const struct winograd_plan &plan)
{
    const size_t threads =
        (size_t)plan.channels * plan.gather.filter_tiles * plan.gather.tile_filters;

    transform_filters<TILE, SIDE, IN_TWO>
        <<<(unsigned)divided_up(threads, BLOCK), BLOCK>>>(*call, plan);
    write_gather_taps(&plan.product, &plan.gather);
}

/* Processes as many tiles at once as fit in the workspace. */
template <unsigned TILE, unsigned SIDE, bool DILATED>
static void launch_as(const struct conv *call, const struct winograd_plan &plan,
                      void (*multiply)(const struct conv *, const struct gather_plan *))
{
    const unsigned blocks = blocks_of(plan);

    for (size_t first = 0; first < plan.tiles; first += plan.at_once) {
        launch_dependent(transform_inputs<TILE, SIDE, DILATED>, blocks * plan.channels, BLOCK, 0,
                         *call, plan, (unsigned)first);
        multiply(&plan.product, &plan.gather);
        launch_dependent(transform_outputs<TILE, SIDE, DILATED>, blocks * (unsigned)call->filters,
                         BLOCK, 0, *call, plan, (unsigned)first);
    }
}

template <unsigned TILE, unsigned SIDE>
static void launch(const struct conv *call, const struct winograd_plan &plan,
                   void (*multiply)(const struct conv *, const struct gather_plan *))
{
    if (call->dilation == 1)
        launch_as<TILE, SIDE, false>(call, plan, multiply);
    else
        launch_as<TILE, SIDE, true>(call, plan, multiply);
}

/* ---- the rungs ------------------------------------------------------------------------------- */

static struct winograd_plan plan_of(const struct conv *call, unsigned tile)
{
    return winograd_plan_of(call, tile, gather_tiles, GATHER_TILES);
}

extern "C" void prepare_winograd_2x2(const struct conv *call)
{
    if (!is_empty(call))
        prepare<2, 3, false>(call, plan_of(call, 2));
}

/* F(2x2, 3x3). Per tile of 2 x 2 outputs and per channel, 4 x 4 inputs become 16 numbers. They are
 * multiplied by the 16 numbers of the filter.
 *
 * Better: 16 multiplications for four outputs instead of 36, and most of the work is 16 plain
 * matrix products. Still bad: four numbers are written and read per input, and four more per
 * output. */
extern "C" void launch_winograd_2x2(const struct conv *call)
{
    if (!is_empty(call))
        launch<2, 3>(call, plan_of(call, 2), multiply_gathered);
}

extern "C" void prepare_winograd_4x4(const struct conv *call)
{
    if (is_empty(call))
        return;
    if (call->kernel_height == 3)
        prepare<4, 3, false>(call, plan_of(call, 4));
    else
        prepare<4, 5, false>(call, plan_of(call, 4));
}

/* F(4x4, 3x3) and F(4x4, 5x5): 36 or 64 numbers per tile of 4 x 4 outputs.
 *
 * Better: 4 times fewer multiplications than the definition, 6 times fewer with 5 x 5 filters; and
 * 2.25 numbers per input instead of 4. Still bad: with few channels the transforms cost more than
 * the products save. Rounding errors are several times those of F(2x2, 3x3), because the transforms
 * multiply by numbers up to 8 and by sixths. */
extern "C" void launch_winograd_4x4(const struct conv *call)
{
    if (is_empty(call))
        return;
    if (call->kernel_height == 3)
        launch<4, 3>(call, plan_of(call, 4), multiply_gathered);
    else
        launch<4, 5>(call, plan_of(call, 4), multiply_gathered);
}

static struct winograd_plan tensor_plan_of(const struct conv *call)
{
    return winograd_plan_of(call, 4, tensor_tiles, TENSOR_TILES);
}

extern "C" void prepare_winograd_3xtf32(const struct conv *call)
{
    if (is_empty(call))
        return;
    if (call->kernel_height == 3)
        prepare<4, 3, true>(call, tensor_plan_of(call));
    else
        prepare<4, 5, true>(call, tensor_plan_of(call));
}

/* implicit_3xtf32's kernel computes the products.
 *
 * Better: the products take half the time or less. Still bad: the transformed numbers go through
 * memory. */
extern "C" void launch_winograd_3xtf32(const struct conv *call)
{
    if (is_empty(call))
        return;
    if (call->kernel_height == 3)
        launch<4, 3>(call, tensor_plan_of(call), multiply_gathered_3xtf32);
    else
        launch<4, 5>(call, tensor_plan_of(call), multiply_gathered_3xtf32);
}

/* Why the rung declines, or NULL. Filters may have `most_side` x `most_side` taps. */
static const char *declines_side(const struct conv *call, size_t most_side)
{
    const bool three = call->kernel_height == 3 && call->kernel_width == 3;
    const bool five = call->kernel_height == 5 && call->kernel_width == 5 && most_side == 5;
    const double most = 0x7FFFFFFF;

    if (conv_declines_empty(call) != NULL)
        return conv_declines_empty(call);
    if ((!three && !five) || call->stride_height != 1 || call->stride_width != 1)
        return most_side == 5 ? "only 3x3 and 5x5, stride 1" : "only 3x3, stride 1";
    if ((double)call->height * (double)call->width > most || (double)call->height > most / 4 ||
        (double)call->width > most / 4 || (double)call->dilation * 8 > most / 4 ||
        (double)call->pad > most / 4 ||
        (double)call->batch * (double)(call->out_height + 4) * (double)(call->out_width + 4) *
                ((double)call->channels + (double)call->filters + 16) >
            16 * most)
        return "images too large";
    return NULL;
}

extern "C" const char *declines_winograd_2x2(const struct conv *call)
{
    return declines_side(call, 3);
}

extern "C" const char *declines_winograd_4x4(const struct conv *call)
{
    return declines_side(call, 5);
}
/* SPDX-License-Identifier: MIT */
