/* Step 08, Winograd's F(2x2, 3x3) in one kernel: 16 multiplications for four outputs instead of 36.
 * (S. Winograd, Arithmetic Complexity of Computations, 1980; A. Lavin, S. Gray, Fast Algorithms for
 * Convolutional Neural Networks, CVPR 2016. The transforms and the error bound:
 * winograd/parts/bound.h.)
 *
 * A tile of 2 x 2 outputs needs 4 x 4 inputs. Transformed, a tile and a filter have 16 components
 * each. For each component, multiplying these and summing over the channels is a matrix product:
 * filters x channels times channels x tiles. */
#include "parts/conv_device.cuh"
#include "parts/conv_limits.cuh"
#include "parts/tile_copies.cuh"
#include "rungs.h"

static const unsigned THREADS = 256, WARPS = THREADS / 32;
static const unsigned COMPONENTS = 16;
static const unsigned CHUNK = WARPS; /* channels per stage: each warp transforms one */
static const unsigned TILES = 32;    /* tiles per block: each lane transforms one */

/* A thread computes FILTERS x 8 elements of one component's product. */
static const unsigned FILTERS = 16, BLOCK_FILTERS = 4 * FILTERS;
static const unsigned TILES_SIZE = CHUNK * COMPONENTS * TILES; /* floats per stage */
static const unsigned FILTERS_SIZE = CHUNK * COMPONENTS * BLOCK_FILTERS;
static const unsigned STAGE = TILES_SIZE + FILTERS_SIZE;

struct winograd_tiling {
    unsigned across, down; /* tiles per image, horizontally and vertically */
    unsigned filter_blocks;
    size_t tiles; /* of all images */
};

/* Multiplies four numbers, `step` apart, by B^T, in place. */
static __device__ void transform_input(float *d, unsigned step)
{
    const float a = d[0] - d[2 * step], b = d[step] + d[2 * step];
    const float c = d[2 * step] - d[step], e = d[step] - d[3 * step];
    d[0] = a;
    d[step] = b;
    d[2 * step] = c;
    d[3 * step] = e;
}

/* Loads a tile's inputs in one channel. `inside` has one bit per input: is it inside the image? */
static __device__ void load_patch(float *patch, const float *from, size_t width, unsigned inside)
{
#pragma unroll
    for (unsigned r = 0; r < 4; r++)
#pragma unroll
        for (unsigned s = 0; s < 4; s++)
            patch[4 * r + s] = inside >> (4 * r + s) & 1 ? from[r * width + s] : 0;
}

/* The index in shared memory of a component of a tile. The halves of odd components are swapped. So
 * the two components that a warp reads together are in different banks. */
static __device__ unsigned offset_of(unsigned component, unsigned tile)
{
    return component * TILES + (tile ^ component % 2 * (TILES / 2));
}

/* Each half of a warp multiplies one component, with 16 x 8 sums per thread. Meanwhile, the inputs
 * of the next 8 channels are loaded into registers and transformed later. The filters' components
 * are copied to shared memory; prepare_winograd transformed them once. In the epilogue, the
 * components of each tile are collected in shared memory and transformed back.
 *
 * Better: 2.25 times fewer multiplications than the definition. Still bad: transforms, loads and
 * loops are a quarter of the instructions or more. Every block of filters transforms the same
 * inputs again. An SM has room for only one block, so nothing overlaps its prologue and epilogue.
 * Rounding errors have another bound, though on most data they are smaller, because there are fewer
 * products. */
static __global__ void __launch_bounds__(THREADS, 1)
    winograd(const struct conv call, const struct winograd_tiling tiling, const float *filters)
{
    extern __shared__ float4 shared[];
    float *const stages = (float *)shared;

    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned filter_block = blockIdx.x % tiling.filter_blocks;
    const size_t tile = (size_t)(blockIdx.x / tiling.filter_blocks) * TILES + lane;
    const size_t y = tile / tiling.across % tiling.down * 2, x = tile % tiling.across * 2;
    const size_t batch = tile / tiling.across / tiling.down;
    const size_t area = call.height * call.width;
    const long top = (long)y - (long)call.pad, left = (long)x - (long)call.pad;
    const float *patch_from =
        call.input + (long)((batch * call.channels + warp) * area) + top * (long)call.width + left;
    unsigned inside = 0;
    for (unsigned i = 0; i < COMPONENTS; i++) {
        const long in_y = top + i / 4, in_x = left + i % 4;
        if (tile < tiling.tiles && in_y >= 0 && in_y < (long)call.height && in_x >= 0 &&
            in_x < (long)call.width)
            inside |= 1U << i;
    }
    const unsigned channels = (unsigned)call.channels;
    const unsigned chunks = (channels + CHUNK - 1) / CHUNK;
    const float *filters_from = filters + (size_t)filter_block * chunks * FILTERS_SIZE;

    /* This thread computes 8 tiles: my_tiles to my_tiles + 3, and those 16 further on. Its filters
     * are 16 i + my_filters to 16 i + my_filters + 3. */
    const unsigned component = 2 * warp + lane / 16;
    const unsigned my_tiles = lane % 4 * 4, my_filters = lane % 16 / 4 * 4;

    float sums[FILTERS][8] = {};
    float patch[COMPONENTS];
    unsigned channel = warp;
    copy_floats<FILTERS_SIZE, THREADS>(filters_from, stages + TILES_SIZE);
    __pipeline_commit();
    load_patch(patch, patch_from, call.width, channel < channels ? inside : 0);

#pragma unroll 1
    for (unsigned chunk = 0; chunk < chunks; chunk++) {
        float *const stage = stages + chunk % 2 * STAGE;
#pragma unroll
        for (unsigned s = 0; s < 4; s++)
            transform_input(patch + s, 4);
#pragma unroll
        for (unsigned r = 0; r < 4; r++)
            transform_input(patch + 4 * r, 1);
#pragma unroll
        for (unsigned i = 0; i < COMPONENTS; i++)
            stage[warp * COMPONENTS * TILES + offset_of(i, lane)] = patch[i];
        __pipeline_wait_prior(0);
        __syncthreads(); /* this stage is complete; no thread reads the other */

        filters_from += FILTERS_SIZE;
        patch_from += CHUNK * area;
        channel += CHUNK;
        if (chunk + 1 < chunks)
            copy_floats<FILTERS_SIZE, THREADS>(filters_from,
                                               stages + (chunk + 1) % 2 * STAGE + TILES_SIZE);
        __pipeline_commit();
        load_patch(patch, patch_from, call.width, channel < channels ? inside : 0);

        const float *v = stage, *u = stage + TILES_SIZE + component * BLOCK_FILTERS + my_filters;
#pragma unroll 1
        for (unsigned part = 0; part < CHUNK && chunk * CHUNK + part < channels; part += 4)
#pragma unroll
            for (unsigned c = 0; c < 4; c++) {
                float weights[FILTERS], tiles[8];
                load4(tiles, v + offset_of(component, my_tiles));
                load4(tiles + 4, v + offset_of(component, TILES / 2 + my_tiles));
#pragma unroll
                for (unsigned f = 0; f < FILTERS; f += 4)
                    load4(weights + f, u + 4 * f);
                add_outer_product(sums, weights, tiles);
                v += COMPONENTS * TILES;
                u += COMPONENTS * BLOCK_FILTERS;
            }
    }

    const bool pairs = call.out_width % 2 == 0 && (size_t)call.output % sizeof(float2) == 0;
#pragma unroll
    for (unsigned first = 0; first < FILTERS; first += 4) { /* 16 of the block's filters */
        __syncthreads();
#pragma unroll
        for (unsigned f = 0; f < 4; f++) {
            const float *const from = sums[first + f];
            float *const to = stages + (my_filters + f) * COMPONENTS * TILES;
            *(float4 *)(to + offset_of(component, my_tiles)) =
                make_float4(from[0], from[1], from[2], from[3]);
            *(float4 *)(to + offset_of(component, TILES / 2 + my_tiles)) =
                make_float4(from[4], from[5], from[6], from[7]);
        }
        __syncthreads();
#pragma unroll
        for (unsigned f = warp; f < 16; f += WARPS) {
            float m[COMPONENTS], half[2][4];
#pragma unroll
            for (unsigned i = 0; i < COMPONENTS; i++)
                m[i] = stages[f * COMPONENTS * TILES + offset_of(i, lane)];
#pragma unroll
            for (unsigned s = 0; s < 4; s++) {
                half[0][s] = m[s] + m[4 + s] + m[8 + s];
                half[1][s] = m[4 + s] - m[8 + s] - m[12 + s];
            }
            const size_t filter = (size_t)filter_block * BLOCK_FILTERS + 4 * first + f;
            if (tile >= tiling.tiles || filter >= call.filters)
                continue;
            float *to = call.output +
                        ((batch * call.filters + filter) * call.out_height + y) * call.out_width +
                        x;
#pragma unroll
            for (unsigned r = 0; r < 2; r++, to += call.out_width) {
                const float left_one = half[r][0] + half[r][1] + half[r][2];
                const float right_one = half[r][1] - half[r][2] - half[r][3];
                if (y + r >= call.out_height)
                    continue;
                if (pairs) {
                    store2(to, left_one, right_one);
                } else {
                    to[0] = left_one;
                    if (x + 1 < call.out_width)
                        to[1] = right_one;
                }
            }
        }
    }
}

/* Stores G g G^T as [filter block][channel][component][filter of the block], padded with zeros to
 * whole blocks and stages. One thread per filter and channel. */
static __global__ void transform_filters(const struct conv call, unsigned channels, float *to)
{
    const size_t thread = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t channel = thread / BLOCK_FILTERS % channels;
    const size_t block = thread / BLOCK_FILTERS / channels;
    const size_t filter = block * BLOCK_FILTERS + thread % BLOCK_FILTERS;
    const bool exists = filter < call.filters && channel < call.channels;
    float g[3][3], half[4][3];

    if (block * BLOCK_FILTERS >= call.filters)
        return;
    for (unsigned i = 0; i < 9; i++)
        g[i / 3][i % 3] = exists ? call.filter[(filter * call.channels + channel) * 9 + i] : 0;
    for (unsigned s = 0; s < 3; s++) {
        half[0][s] = g[0][s];
        half[1][s] = 0.5F * (g[0][s] + g[1][s] + g[2][s]);
        half[2][s] = 0.5F * (g[0][s] - g[1][s] + g[2][s]);
        half[3][s] = g[2][s];
    }
    to += thread / BLOCK_FILTERS * COMPONENTS * BLOCK_FILTERS + thread % BLOCK_FILTERS;
    for (unsigned r = 0; r < 4; r++, to += 4 * BLOCK_FILTERS) {
        to[0] = half[r][0];
        to[BLOCK_FILTERS] = 0.5F * (half[r][0] + half[r][1] + half[r][2]);
        to[2 * BLOCK_FILTERS] = 0.5F * (half[r][0] - half[r][1] + half[r][2]);
        to[3 * BLOCK_FILTERS] = half[r][2];
    }
}

/* Transforms the filters. A user would do this once for all images. */
extern "C" void prepare_winograd(const struct conv *call)
{
    const size_t channels = divided_up(call->channels, CHUNK) * CHUNK;
    const size_t threads = divided_up(call->filters, BLOCK_FILTERS) * BLOCK_FILTERS * channels;

    if (threads > 0)
        transform_filters<<<(unsigned)divided_up(threads, THREADS), THREADS>>>(
            *call, (unsigned)channels, (float *)call->workspace);
}

static const size_t SHARED_BYTES = 2 * STAGE * sizeof(float);

static struct winograd_tiling winograd_tiling_of(const struct conv *call)
{
    struct winograd_tiling tiling;

    tiling.across = (unsigned)divided_up(call->out_width, 2);
    tiling.down = (unsigned)divided_up(call->out_height, 2);
    tiling.filter_blocks = (unsigned)divided_up(call->filters, BLOCK_FILTERS);
    tiling.tiles = call->batch * tiling.across * tiling.down;
    return tiling;
}

static size_t blocks_of(const struct winograd_tiling &tiling)
{
    return divided_up(tiling.tiles, TILES) * tiling.filter_blocks;
}

extern "C" void launch_winograd(const struct conv *call)
{
    if (is_empty(call))
        return;
    const struct winograd_tiling tiling = winograd_tiling_of(call);
    cudaFuncSetAttribute(winograd, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)SHARED_BYTES);
    winograd<<<(unsigned)blocks_of(tiling), THREADS, SHARED_BYTES>>>(
        *call, tiling, (const float *)call->workspace);
}

extern "C" const char *declines_winograd(const struct conv *call)
{
    const char *const why = conv_declines_3x3_or_empty(call);

    return why != NULL || is_empty(call)
               ? why
               : conv_declines_launch(blocks_of(winograd_tiling_of(call)), SHARED_BYTES);
}
/* SPDX-License-Identifier: MIT */
