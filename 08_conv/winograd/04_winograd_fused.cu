/* Step 08, Winograd's F(4x4, 3x3) in one kernel. The transformed numbers stay in shared memory,
 * while winograd_4x4 passes them from kernel to kernel through memory. The error bound:
 * winograd/parts/bound.h. */
#include <cuda_pipeline.h>

#include "kernel/overlap.cuh"
#include "parts/conv_device.cuh"
#include "parts/conv_limits.cuh"
#include "parts/conv_shape.h"
#include "rungs.h"
#include "winograd/parts/transforms.cuh"

static const unsigned TILE = 4, SIDE = 3, PATCH = TILE + SIDE - 1, COMPONENTS = PATCH * PATCH;
static const unsigned TILES = 16;               /* per block */
static const unsigned THREADS = 8 * COMPONENTS; /* eight per component */

/* Distances, in floats, between the transformed tiles of two channels, and between the products of
 * two filters. They spread lanes that store or load together over different banks. */
static const unsigned CHANNEL_PITCH = COMPONENTS * TILES + 16;
static const unsigned PRODUCT_PITCH = COMPONENTS * TILES + 20;

/* Blocks per SM, as registers allow. */
static constexpr unsigned blocks_at_once(unsigned filters)
{
    return filters <= 16 ? 3 : 2;
}

struct fused_tiling {
    unsigned across, down, tiles; /* per row, per column, in all images */
    unsigned filter_blocks;
    unsigned chunk; /* channels at a time */
};

static __device__ struct tile_coord coord_of(const struct fused_tiling &tiling, unsigned tile)
{
    return {tile / tiling.across / tiling.down, tile / tiling.across % tiling.down * TILE,
            tile % tiling.across * TILE};
}

/* Loads a tile's inputs in one channel, VECTOR neighbours at once; outside the image they are 0. */
template <unsigned VECTOR>
static __device__ void load_patch(float *patch, const float *image, int top, int left,
                                  unsigned height, unsigned width)
{
    const float *row = image + (long)top * (int)width + left;

#pragma unroll
    for (unsigned r = 0; r < PATCH; r++, row += width)
#pragma unroll
        for (unsigned s = 0; s < PATCH; s += VECTOR) {
            const bool inside =
                (unsigned)(top + (int)r) < height && (unsigned)(left + (int)s) < width;
            float *const to = patch + PATCH * r + s;
            if (VECTOR == 2) {
                const float2 two = inside ? *(const float2 *)(row + s) : make_float2(0, 0);
                to[0] = two.x;
                to[1] = two.y;
            } else {
                to[0] = inside ? row[s] : 0;
            }
        }
}

/* With 32 filters, each odd component is read with its groups of 8 exchanged in pairs. Otherwise
 * two neighbouring components would be in the same banks. Returns 8 if exchanged, else 0. */
template <unsigned FILTERS>
static __device__ unsigned swap_of(unsigned component)
{
    return FILTERS % 32 == 0 ? component % 2 * 8 : 0;
}

/* Adds the products of some channels. A thread has the sums of one component, for 4 tiles and half
 * of the filters, in pieces of 4. */
template <unsigned FILTERS>
static __device__ void add_products(float (&sums)[FILTERS / 2][4], const float *tiles,
                                    const float *filters, unsigned swap, unsigned channels)
{
    const float *even = filters + swap, *odd = filters + 8 - swap;

#pragma unroll 1
    for (unsigned c = 0; c < channels; c++) {
        float four[4], weights[FILTERS / 2];
        load4(four, tiles);
#pragma unroll
        for (unsigned f = 0; f < FILTERS / 2; f += 4)
            load4(weights + f, (f % 8 == 0 ? even : odd) + f / 8 * 16);
        add_outer_product(sums, weights, four);
        tiles += CHANNEL_PITCH;
        even += COMPONENTS * FILTERS;
        odd += COMPONENTS * FILTERS;
    }
}

/* A block has 16 tiles and FILTERS filters. When a thread loads and transforms, it has one tile of
 * one channel of a chunk. When it multiplies, it has 4 tiles, half of the filters and one
 * component; at the end one tile and one filter at a time. `filters` are transformed: [block of
 * filters][channel][component][filter of the block]. */
template <unsigned FILTERS, unsigned VECTOR>
static __global__ void __launch_bounds__(THREADS, blocks_at_once(FILTERS))
    winograd_fused(const struct conv call, const struct fused_tiling tiling, const float *filters)
{
    constexpr unsigned CHANNEL_FILTERS = COMPONENTS * FILTERS;
    extern __shared__ float4 shared[];
    float *const tiles = (float *)shared, *const weights = tiles + tiling.chunk * CHANNEL_PITCH;

    const unsigned filter_block = blockIdx.x % tiling.filter_blocks;
    const unsigned my_tile = threadIdx.x % TILES, my_channel = threadIdx.x / TILES;
    const unsigned tile = blockIdx.x / tiling.filter_blocks * TILES + my_tile;
    const struct tile_coord at = coord_of(tiling, tile);
    const bool exists = tile < tiling.tiles;
    const unsigned channels = (unsigned)call.channels;
    const unsigned width = (unsigned)call.width, height = (unsigned)call.height;
    const size_t area = (size_t)height * width;
    const unsigned component = threadIdx.x / 8;
    const unsigned my_filters = threadIdx.x % 8 / 4 * 4, my_tiles = threadIdx.x % 4 * 4;

    const float *image = call.input + ((size_t)at.batch * channels + my_channel) * area;
    filters += (size_t)filter_block * channels * CHANNEL_FILTERS;
    const unsigned swap = swap_of<FILTERS>(component);
    float sums[FILTERS / 2][4] = {};

    overlap_launches();
#pragma unroll 1
    for (unsigned first = 0; first < channels; first += tiling.chunk) {
        const unsigned here = min(tiling.chunk, channels - first);
        if (first > 0)
            __syncthreads(); /* no thread still reads the previous chunk */
        for (unsigned i = 4 * threadIdx.x; i < here * CHANNEL_FILTERS; i += 4 * THREADS)
            __pipeline_memcpy_async(weights + i, filters + i, 4 * sizeof(float));
        __pipeline_commit();
        if (my_channel < here) {
            float patch[COMPONENTS];
            load_patch<VECTOR>(patch, image, (int)at.y - (int)call.pad, (int)at.x - (int)call.pad,
                               exists ? height : 0, width);
            transform_patch<TILE, SIDE>(patch);
#pragma unroll
            for (unsigned i = 0; i < COMPONENTS; i++)
                tiles[my_channel * CHANNEL_PITCH + i * TILES + my_tile] = patch[i];
        }
        image += here * area;
        filters += here * CHANNEL_FILTERS;
        __pipeline_wait_prior(0);
        __syncthreads();
        add_products<FILTERS>(sums, tiles + component * TILES + my_tiles,
                              weights + component * FILTERS + my_filters, swap, here);
    }

    __syncthreads();
    float *const products = (float *)shared;
#pragma unroll
    for (unsigned f = 0; f < FILTERS / 2; f++)
        *(float4 *)(products + ((f / 4 * 8 ^ swap) + my_filters + f % 4) * PRODUCT_PITCH +
                    component * TILES + my_tiles) =
            make_float4(sums[f][0], sums[f][1], sums[f][2], sums[f][3]);
    __syncthreads();
    for (unsigned i = threadIdx.x / TILES; i < FILTERS; i += THREADS / TILES) {
        /* The two filters of a warp are 4 apart, to avoid bank conflicts. */
        const unsigned in_block = i / 8 * 8 + i % 2 * 4 + i / 2 % 4;
        const size_t filter = (size_t)filter_block * FILTERS + in_block;
        float m[COMPONENTS];
        if (!exists || filter >= call.filters)
            continue;
#pragma unroll
        for (unsigned c = 0; c < COMPONENTS; c++)
            m[c] = products[in_block * PRODUCT_PITCH + c * TILES + my_tile];
        store_outputs<TILE, SIDE, false>(m, call, at.batch * call.filters + filter, at.y, at.x);
    }
}

/* Transforms the filters. One thread per channel and filter of the padded blocks. */
static __global__ void transform_filters(const struct conv call, unsigned block_filters,
                                         size_t blocks, float *to)
{
    const size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t channel = thread / block_filters % call.channels;
    const size_t block = thread / block_filters / call.channels;
    const unsigned in_block = (unsigned)(thread % block_filters);
    const size_t filter = block * block_filters + in_block;
    float g[SIDE * SIDE] = {}, components[COMPONENTS];

    if (block >= blocks)
        return;
    if (filter < call.filters)
        for (unsigned i = 0; i < SIDE * SIDE; i++)
            g[i] = call.filter[(filter * call.channels + channel) * SIDE * SIDE + i];
    transform_filter<TILE, SIDE>(g, components);
    to += thread / block_filters * COMPONENTS * block_filters + in_block;
    for (unsigned i = 0; i < COMPONENTS; i++)
        to[i * block_filters] = components[i];
}

/* ---- the host's plan ------------------------------------------------------------------------- */

static struct fused_tiling fused_tiling_of(const struct conv *call)
{
    struct fused_tiling tiling;

    tiling.across = (unsigned)divided_up(call->out_width, TILE);
    tiling.down = (unsigned)divided_up(call->out_height, TILE);
    tiling.tiles = (unsigned)(call->batch * tiling.across * tiling.down);
    tiling.filter_blocks = (unsigned)divided_up(call->filters, fused_filters(call));
    tiling.chunk = fused_channels(call);
    return tiling;
}

static size_t blocks_of(const struct fused_tiling &tiling)
{
    return divided_up(tiling.tiles, TILES) * tiling.filter_blocks;
}

/* For the inputs and filters of a chunk, and later for the products in the same memory. */
static size_t bytes_of(const struct fused_tiling &tiling, unsigned filters)
{
    const size_t chunk = tiling.chunk * (CHANNEL_PITCH + COMPONENTS * (size_t)filters);
    const size_t products = (size_t)filters * PRODUCT_PITCH;

    return (chunk > products ? chunk : products) * sizeof(float);
}

template <unsigned FILTERS, unsigned VECTOR>
static void launch_as(const struct conv *call)
{
    const auto kernel = winograd_fused<FILTERS, VECTOR>;
    const struct fused_tiling tiling = fused_tiling_of(call);
    const size_t bytes = bytes_of(tiling, FILTERS);

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    launch_dependent(kernel, (unsigned)blocks_of(tiling), THREADS, bytes, *call, tiling,
                     (const float *)call->workspace);
}

template <unsigned FILTERS>
static void launch(const struct conv *call)
{
    if (input_vector(call) >= 2)
        launch_as<FILTERS, 2>(call);
    else
        launch_as<FILTERS, 1>(call);
}

/* ---- the rung -------------------------------------------------------------------------------- */

extern "C" void prepare_winograd_fused(const struct conv *call)
{
    if (is_empty(call))
        return;
    const unsigned filters = fused_filters(call);
    const size_t blocks = divided_up(call->filters, filters);
    const size_t threads = blocks * call->channels * filters;

    transform_filters<<<(unsigned)divided_up(threads, 256), 256>>>(*call, filters, blocks,
                                                                   (float *)call->workspace);
}

/* Better than winograd_4x4: neither the transformed inputs nor the products go through memory, and
 * there is one launch instead of three. Still bad: a block has room for 32 filters, so with more of
 * them inputs are transformed several times. Loading, transforming and multiplying overlap only if
 * an SM has several blocks. */
extern "C" void launch_winograd_fused(const struct conv *call)
{
    if (is_empty(call))
        return;
    if (fused_filters(call) == 8)
        launch<8>(call);
    else if (fused_filters(call) == 16)
        launch<16>(call);
    else if (fused_filters(call) == 24)
        launch<24>(call);
    else
        launch<32>(call);
}

extern "C" const char *declines_winograd_fused(const struct conv *call)
{
    const char *const why = conv_declines_3x3_or_empty(call);

    if (why != NULL || is_empty(call))
        return why;
    if ((double)call->batch * (double)(call->out_height + TILE) * (double)(call->out_width + TILE) >
        16.0 * 0x7FFFFFFF)
        return "images too large";
    const unsigned filters = fused_filters(call);
    const struct fused_tiling tiling = fused_tiling_of(call);
    if ((double)tiling.filter_blocks * (double)call->channels * COMPONENTS * filters *
            sizeof(float) >
        (double)call->workspace_bytes)
        return "the transformed filters do not fit in the workspace";
    return conv_declines_launch(blocks_of(tiling), bytes_of(tiling, filters));
}
/* SPDX-License-Identifier: MIT */
