/* Step 08, Winograd's F(4x4, 3x3) and F(4x4, 5x5) in three kernels: 36 multiplications for sixteen
 * outputs instead of 144, or 64 instead of 400. The error bound: winograd_bound.h. */
#include "gather.cuh"
#include "winograd_transforms.cuh"

extern "C" {
#include "winograd_plan.h"
}

static const unsigned BLOCK = 256;

/* The place of a tile: its first output, and how far apart its outputs are. */
struct tile_place {
    size_t batch;
    unsigned y, x;
};

static __device__ struct tile_place place_of(const struct winograd4_plan &plan, size_t tile)
{
    const unsigned per_phase = plan.across * plan.down;
    const unsigned per_picture = per_phase * plan.phases * plan.phases;
    const unsigned rest = (unsigned)(tile % per_picture);
    const unsigned phase = rest / per_phase, place = rest % per_phase;
    struct tile_place at;

    at.batch = tile / per_picture;
    at.y = place / plan.across * WINOGRAD_TILE * plan.phases + phase / plan.phases;
    at.x = place % plan.across * WINOGRAD_TILE * plan.phases + phase % plan.phases;
    return at;
}

/* One thread per tile and channel; neighbouring threads have neighbouring tiles. */
template <unsigned SIDE>
static __global__ void __launch_bounds__(BLOCK)
    transform_inputs(const struct conv call, const struct winograd4_plan plan, size_t first)
{
    constexpr unsigned PATCH = winograd<SIDE>::PATCH;
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t column = thread % plan.at_once, channel = thread / plan.at_once;
    const size_t tile = first + column;
    const struct tile_place at = place_of(plan, tile);
    const long top = (long)at.y - (long)call.pad, left = (long)at.x - (long)call.pad;
    const long apart = (long)call.dilation;
    float patch[PATCH * PATCH] = {};

    overlap_launches();
    if (channel >= plan.channels)
        return;
    if (channel < call.channels && tile < plan.tiles) {
        const float *const image =
            call.input + (at.batch * call.channels + channel) * call.height * call.width;
#pragma unroll
        for (unsigned r = 0; r < PATCH; r++) {
            const long y = top + r * apart;
            const float *const row = image + y * (long)call.width;
#pragma unroll
            for (unsigned s = 0; s < PATCH; s++) {
                const long x = left + s * apart;
                if (y >= 0 && y < (long)call.height && x >= 0 && x < (long)call.width)
                    patch[PATCH * r + s] = row[x];
            }
        }
    }
#pragma unroll
    for (unsigned s = 0; s < PATCH; s++)
        winograd<SIDE>::input(patch + s, PATCH);
#pragma unroll
    for (unsigned r = 0; r < PATCH; r++)
        winograd<SIDE>::input(patch + PATCH * r, 1);
    float *const to = plan.inputs + channel * plan.at_once + column;
#pragma unroll
    for (unsigned i = 0; i < PATCH * PATCH; i++)
        to[i * (size_t)plan.channels * plan.at_once] = patch[i];
}

/* One thread per tile and filter; neighbouring threads have neighbouring tiles. */
template <unsigned SIDE>
static __global__ void __launch_bounds__(BLOCK)
    transform_outputs(const struct conv call, const struct winograd4_plan plan, size_t first)
{
    constexpr unsigned PATCH = winograd<SIDE>::PATCH;
    const size_t thread = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    const size_t column = thread % plan.at_once, filter = thread / plan.at_once;
    const size_t tile = first + column;
    const struct tile_place at = place_of(plan, tile);
    const size_t width = call.out_width, apart = call.dilation;
    const bool vectors = apart == 1 && width % 4 == 0 && (size_t)call.output % sizeof(float4) == 0;
    const bool pairs = apart == 1 && width % 2 == 0 && (size_t)call.output % sizeof(float2) == 0;
    float m[PATCH * PATCH], half[PATCH][WINOGRAD_TILE];

    overlap_launches();
    if (filter >= call.filters || tile >= plan.tiles || at.x >= width)
        return;
    const float *const from = plan.products + filter * plan.at_once + column;
#pragma unroll
    for (unsigned i = 0; i < PATCH * PATCH; i++)
        m[i] = from[i * call.filters * plan.at_once];
#pragma unroll
    for (unsigned s = 0; s < PATCH; s++)
        winograd<SIDE>::output(m + s, PATCH, half[s]);
    float *to =
        call.output + ((at.batch * call.filters + filter) * call.out_height + at.y) * width + at.x;
#pragma unroll
    for (unsigned r = 0; r < WINOGRAD_TILE; r++, to += apart * width) {
        float row[PATCH], out[WINOGRAD_TILE];
#pragma unroll
        for (unsigned s = 0; s < PATCH; s++)
            row[s] = half[s][r];
        winograd<SIDE>::output(row, 1, out);
        if (at.y + r * apart >= call.out_height)
            continue;
        if (vectors) {
            store4(to, out);
            continue;
        }
#pragma unroll
        for (unsigned s = 0; s < WINOGRAD_TILE; s += 2)
            if (pairs && at.x + s < width) {
                store2(to + s, out[s], out[s + 1]);
            } else {
                if (at.x + s * apart < width)
                    to[s * apart] = out[s];
                if (at.x + (s + 1) * apart < width)
                    to[(s + 1) * apart] = out[s + 1];
            }
    }
}

/* One thread per filter and channel of the padded array. IN_TWO: as two TF32 numbers. */
template <unsigned SIDE, bool IN_TWO>
static __global__ void transform_filters(const struct conv call, const struct winograd4_plan plan)
{
    constexpr unsigned PATCH = winograd<SIDE>::PATCH;
    const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t filters = (size_t)plan.gather.filter_tiles * plan.gather.tile_filters;
    const size_t filter = thread % filters, channel = thread / filters;
    float g[SIDE * SIDE], half[SIDE][PATCH], three[SIDE], row[PATCH];

    if (channel >= plan.channels)
        return;
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        g[i] = filter < call.filters && channel < call.channels
                   ? call.filter[(filter * call.channels + channel) * SIDE * SIDE + i]
                   : 0;
    for (unsigned s = 0; s < SIDE; s++)
        winograd<SIDE>::filter(g + s, SIDE, half[s]);
    float *to = plan.gather.weights;
    for (unsigned r = 0; r < PATCH; r++) {
        for (unsigned s = 0; s < SIDE; s++)
            three[s] = half[s][r];
        winograd<SIDE>::filter(three, 1, row);
        for (unsigned s = 0; s < PATCH; s++, to += plan.gather.weights_step)
            if (IN_TWO)
                store_in_two(to, plan.gather, (unsigned)channel, (unsigned)filter, row[s]);
            else
                to[channel * filters + filter] = row[s];
    }
}

/* Transforms the filters, which a user would do once for all images. */
template <bool IN_TWO>
static void prepare(const struct conv *call, const struct winograd4_plan &plan)
{
    const size_t threads =
        (size_t)plan.channels * plan.gather.filter_tiles * plan.gather.tile_filters;
    const unsigned blocks = (unsigned)divided_up(threads, BLOCK);

    if (call->kernel_height == 3)
        transform_filters<3, IN_TWO><<<blocks, BLOCK>>>(*call, plan);
    else
        transform_filters<5, IN_TWO><<<blocks, BLOCK>>>(*call, plan);
    write_gather_taps(&plan.product, &plan.gather);
}

/* The kernels pass transformed inputs and products through memory: 36 or 64 numbers for each tile
 * and channel, and for each tile and filter. They process as many tiles at once as the workspace
 * has room for. */
template <unsigned SIDE>
static void launch(const struct conv *call, const struct winograd4_plan &plan,
                   void (*multiply)(const struct conv *, const struct gather_plan *))
{
    for (size_t first = 0; first < plan.tiles; first += plan.at_once) {
        launch_dependent(transform_inputs<SIDE>,
                         (unsigned)divided_up(plan.at_once * plan.channels, BLOCK), BLOCK, 0, *call,
                         plan, first);
        multiply(&plan.product, &plan.gather);
        launch_dependent(transform_outputs<SIDE>,
                         (unsigned)divided_up(plan.at_once * call->filters, BLOCK), BLOCK, 0, *call,
                         plan, first);
    }
}

static bool is_empty(const struct conv *call)
{
    return !has_outputs(call) || !has_products(call);
}

extern "C" void prepare_winograd4(const struct conv *call)
{
    if (!is_empty(call))
        prepare<false>(call, winograd4_plan_of(call, gather_tiles, GATHER_TILES, 1));
}

/* Better: 4 times fewer multiplications than the definition, with 5 x 5 filters 6 times; most of
 * the work is a plain matrix product, and inputs are transformed only once, not for each block of
 * filters as in `winograd`. Still bad: the transformed arrays are 2.25 or 4 times as large as input
 * and output, and are written to memory and read back; with few channels nothing is gained.
 * Rounding errors are several times those of F(2x2, 3x3), since the transforms multiply by numbers
 * up to 8 and by sixths. */
extern "C" void launch_winograd4(const struct conv *call)
{
    if (is_empty(call)) {
        launch_conv_naive(call);
        return;
    }
    const struct winograd4_plan plan = winograd4_plan_of(call, gather_tiles, GATHER_TILES, 1);
    if (call->kernel_height == 3)
        launch<3>(call, plan, multiply_gathered);
    else
        launch<5>(call, plan, multiply_gathered);
}

extern "C" void prepare_winograd_3xtf32(const struct conv *call)
{
    if (!is_empty(call))
        prepare<true>(call, winograd4_plan_of(call, tensor_tiles, TENSOR_TILES, 2));
}

/* The same with the products of implicit_3xtf32. */
extern "C" void launch_winograd_3xtf32(const struct conv *call)
{
    if (is_empty(call)) {
        launch_conv_naive(call);
        return;
    }
    const struct winograd4_plan plan = winograd4_plan_of(call, tensor_tiles, TENSOR_TILES, 2);
    if (call->kernel_height == 3)
        launch<3>(call, plan, multiply_gathered_3xtf32);
    else
        launch<5>(call, plan, multiply_gathered_3xtf32);
}

extern "C" const char *declines_winograd4(const struct conv *call)
{
    const bool three = call->kernel_height == 3 && call->kernel_width == 3;
    const bool five = call->kernel_height == 5 && call->kernel_width == 5;
    const double most = 0x7FFFFFFF;

    if ((!three && !five) || call->stride_height != 1 || call->stride_width != 1)
        return "only 3x3 and 5x5, stride 1";
    if ((double)call->height * (double)call->width > most || call->height > most / 4 ||
        call->width > most / 4 || (double)call->dilation * 8 > most / 4 || call->pad > most / 4 ||
        (double)call->batch * (double)(call->out_height + 4) * (double)(call->out_width + 4) *
                ((double)call->channels + (double)call->filters + 16) >
            16 * most)
        return "images too large";
    return NULL;
}
