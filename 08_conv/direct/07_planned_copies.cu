/* Step 08, direct convolution for 3 x 3 filters at stride 1, as in direct/05_register_tile.cu. Each
 * thread computes the addresses of its copies before the first copy starts. */
#include "direct/parts/register_tile.cuh"
#include "kernel/overlap.cuh"
#include "parts/conv_limits.cuh"
#include "parts/conv_shape.h"
#include "parts/tile_copies.cuh"
#include "rungs.h"

static const unsigned WIDEST = 16; /* the most strips in a row of a block */

/* How the output is divided into blocks. A block has strips x bands threads for each of its groups
 * of FILTERS filters. */
struct direct_tiling {
    unsigned strips, bands; /* a block's width and height, in threads */
    unsigned pitch;         /* floats from one row of the input tile to the next */
    unsigned across, down;  /* blocks per image, horizontally and vertically */
    unsigned filter_blocks;
};

/* The number of pieces in an input tile, and how many of them each thread copies: enough for the
 * widest blocks. */
static constexpr __host__ __device__ unsigned pieces_of(unsigned strips, unsigned bands,
                                                        unsigned vector)
{
    return (bands * ROWS + SIDE - 1) * ((STRIP * strips + SIDE - 1 + vector - 1) / vector);
}

static constexpr __host__ __device__ unsigned copies_of(unsigned groups, unsigned positions,
                                                        unsigned vector)
{
    return (pieces_of(WIDEST, positions / WIDEST, vector) + groups * positions - 1) /
           (groups * positions);
}

/* Per channel, a thread makes 8 loads of inputs and 18 of weights from shared memory, of up to 16
 * bytes each. They serve 576 products: 94 of 100 instructions multiply. (Implicit GEMM with 8 x 4
 * sums per thread makes three loads for 32 products. It cannot use the fact that neighbouring taps
 * need the same inputs, shifted by one.) The inputs and weights of CHUNK channels form a stage.
 * While one stage is used, two are in flight. planned_copies and direct differ in the tiling. */
template <unsigned GROUPS, unsigned POSITIONS, unsigned VECTOR>
static __global__ void __launch_bounds__(GROUPS *POSITIONS, 2)
    direct(const struct conv call, const struct direct_tiling tiling, const float *packed)
{
    constexpr unsigned THREADS = GROUPS * POSITIONS, BLOCK_FILTERS = GROUPS * FILTERS;
    constexpr unsigned COPIES = copies_of(GROUPS, POSITIONS, VECTOR);
    constexpr unsigned WEIGHTS = CHUNK * TAPS * BLOCK_FILTERS; /* per stage */
    extern __shared__ float4 shared[];
    float *const stages = (float *)shared;

    const unsigned tile_x = blockIdx.x % tiling.across;
    const unsigned tile_y = blockIdx.x / tiling.across % tiling.down;
    const unsigned rest = blockIdx.x / tiling.across / tiling.down;
    const unsigned filter_block = rest % tiling.filter_blocks;
    const size_t batch = rest / tiling.filter_blocks;
    const unsigned group = threadIdx.x / POSITIONS, position = threadIdx.x % POSITIONS;
    const unsigned strip = position % tiling.strips, band = position / tiling.strips;

    const unsigned rows = tiling.bands * ROWS + SIDE - 1;
    const unsigned tile_size = rows * tiling.pitch;
    const unsigned stage_size = CHUNK * tile_size + WEIGHTS;
    const size_t area = call.height * call.width;
    const unsigned channels = (unsigned)call.channels;
    const size_t first_x = (size_t)tile_x * tiling.strips * STRIP;
    const size_t first_y = (size_t)tile_y * tiling.bands * ROWS;

    tile_copies<COPIES, VECTOR> of_thread;
    find_copies(&of_thread, call, rows, tiling.strips * STRIP + SIDE - 1, tiling.pitch,
                (int)first_y - (int)call.pad, (int)first_x - (int)call.pad);
    for (unsigned c = 0; of_thread.inside != of_thread.tile && c < STAGES * CHUNK; c++)
        clear_outside(of_thread, stages + c / CHUNK * stage_size + c % CHUNK * tile_size);

    overlap_launches();
    const float *input = call.input + batch * channels * area;
    const unsigned chunks = (channels + CHUNK - 1) / CHUNK;
    const float *weights_from = packed + (size_t)filter_block * chunks * WEIGHTS;
    float sums[FILTERS][ROWS][STRIP] = {};
    float *const copies = opaque(stages);
    unsigned reading = 0, writing = 0, loaded = 0;
#pragma unroll 1
    for (unsigned iteration = 0; loaded < channels + (STAGES - 1) * CHUNK;
         iteration++, loaded += CHUNK) {
        if (iteration >= STAGES - 1) {
            __pipeline_wait_prior(STAGES - 2);
            __syncthreads(); /* the stage to read is complete; no thread reads the one to write */
        }
        if (loaded < channels) {
            float *const stage = copies + writing * stage_size;
#pragma unroll
            for (unsigned c = 0; c < CHUNK; c++, input += area)
                if (loaded + c < channels)
                    copy_tile(of_thread, input, stage + c * tile_size);
            copy_floats<WEIGHTS, THREADS>(weights_from, stage + CHUNK * tile_size);
            weights_from += WEIGHTS;
        }
        __pipeline_commit();
        writing = writing + 1 == STAGES ? 0 : writing + 1;
        if (iteration < STAGES - 1)
            continue;

        const unsigned first = loaded - (STAGES - 1) * CHUNK;
        const float *const ready = stages + reading * stage_size;
        const float *tile = ready + band * ROWS * tiling.pitch + strip * STRIP;
        const float *weights = ready + CHUNK * tile_size + group * FILTERS;
        if (band < tiling.bands) {
#pragma unroll 1
            for (unsigned c = 0; c < CHUNK && first + c < channels; c++) {
                add_channel<BLOCK_FILTERS>(sums, tile, tiling.pitch, weights);
                tile += tile_size;
                weights += TAPS * BLOCK_FILTERS;
            }
        }
        reading = reading + 1 == STAGES ? 0 : reading + 1;
    }

    const size_t first_filter = (size_t)filter_block * BLOCK_FILTERS + group * FILTERS;
    if (band < tiling.bands)
        store_sums(call, batch, first_filter, first_y + band * ROWS, first_x + strip * STRIP, sums);
}

/* Copies the weights to the layout in which blocks read them: [filter block][channel][tap][filter
 * of the block]. Zeros pad them to whole blocks of filters and whole stages of channels. One thread
 * per weight. */
static __global__ void pack_filters(const struct conv call, unsigned block_filters,
                                    size_t padded_channels, float *packed)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t taps = call.channels * TAPS, padded_taps = padded_channels * TAPS;
    const size_t block = i / block_filters / padded_taps;
    const size_t tap = i / block_filters % padded_taps;
    const size_t filter = block * block_filters + i % block_filters;

    if (block * block_filters < call.filters)
        packed[i] = filter < call.filters && tap < taps ? call.filter[filter * taps + tap] : 0;
}

/* Blocks are as wide as possible, but divide a row equally. The number of threads and the copies
 * per thread limit their height. (A narrow tile has a large halo.) */
static struct direct_tiling direct_tiling_of(const struct conv *call, unsigned groups,
                                             unsigned positions, unsigned vector)
{
    const unsigned block_filters = groups * FILTERS;
    const unsigned pieces = copies_of(groups, positions, vector) * groups * positions;
    const size_t strips = divided_up(call->out_width, STRIP);
    struct direct_tiling tiling;

    tiling.across = (unsigned)divided_up(strips, WIDEST);
    tiling.strips = (unsigned)divided_up(strips, tiling.across);
    tiling.bands = (unsigned)smaller(positions / tiling.strips, divided_up(call->out_height, ROWS));
    while (pieces_of(tiling.strips, tiling.bands, vector) > pieces)
        tiling.bands--;
    tiling.down = (unsigned)divided_up(call->out_height, (size_t)tiling.bands * ROWS);
    tiling.filter_blocks = (unsigned)divided_up(call->filters, block_filters);
    tiling.pitch = STRIP * tiling.strips + STRIP;
    /* This pitch lets each band's banks follow those of the band above. Warps that span several
     * bands then have no bank conflicts. */
    for (unsigned pitch = tiling.pitch; pitch < tiling.pitch + 16; pitch += 4)
        if (ROWS * pitch % 32 == STRIP * tiling.strips % 32) {
            tiling.pitch = pitch;
            break;
        }
    return tiling;
}

/* The launch for a problem. */
struct direct_launch {
    struct direct_tiling tiling;
    size_t blocks, bytes; /* of shared memory */
};

static constexpr unsigned positions_of(unsigned groups)
{
    return groups == 3 ? 64 : 128;
}

static struct direct_launch launch_with(const struct conv *call, unsigned groups,
                                        const struct direct_tiling &tiling)
{
    const size_t rows = (size_t)tiling.bands * ROWS + SIDE - 1;
    const size_t stage = CHUNK * (rows * tiling.pitch + TAPS * groups * FILTERS);
    const size_t tiles = (size_t)tiling.down * tiling.across;

    return {tiling, call->batch * tiling.filter_blocks * tiles, STAGES * stage * sizeof(float)};
}

static struct direct_launch direct_launch_of(const struct conv *call)
{
    const unsigned groups = direct_groups(call);

    return launch_with(call, groups,
                       direct_tiling_of(call, groups, positions_of(groups), input_vector(call)));
}

template <unsigned GROUPS, unsigned VECTOR>
static void launch_as(const struct conv *call, const struct direct_launch &launch)
{
    constexpr unsigned POSITIONS = positions_of(GROUPS);
    const auto kernel = direct<GROUPS, POSITIONS, VECTOR>;

    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)launch.bytes);
    launch_dependent(kernel, (unsigned)launch.blocks, GROUPS * POSITIONS, launch.bytes, *call,
                     launch.tiling, (const float *)call->workspace);
}

template <unsigned GROUPS>
static void launch_groups(const struct conv *call, const struct direct_launch &launch)
{
    const unsigned vector = input_vector(call);

    if (vector == 4)
        launch_as<GROUPS, 4>(call, launch);
    else if (vector == 2)
        launch_as<GROUPS, 2>(call, launch);
    else
        launch_as<GROUPS, 1>(call, launch);
}

/* Packs the filters. A user would do this once for all images. */
static void pack(const struct conv *call, unsigned block_filters)
{
    const size_t channels = divided_up(call->channels, CHUNK) * CHUNK;
    const size_t weights =
        divided_up(call->filters, block_filters) * block_filters * channels * TAPS;

    if (weights > 0)
        pack_filters<<<(unsigned)divided_up(weights, 256), 256>>>(*call, block_filters, channels,
                                                                  (float *)call->workspace);
}

/* ---- the rungs ------------------------------------------------------------------------------- */

/* Also for async_tile. */
extern "C" void prepare_planned_copies(const struct conv *call)
{
    pack(call, FILTERS);
}

/* The tiles of async_tile: 8 x 16 threads, for 8 filters. */
static struct direct_launch planned_launch_of(const struct conv *call)
{
    struct direct_tiling tiling;

    tiling.strips = 8;
    tiling.bands = positions_of(1) / tiling.strips;
    tiling.pitch = STRIP * tiling.strips + STRIP;
    tiling.across = (unsigned)divided_up(call->out_width, (size_t)tiling.strips * STRIP);
    tiling.down = (unsigned)divided_up(call->out_height, (size_t)tiling.bands * ROWS);
    tiling.filter_blocks = (unsigned)divided_up(call->filters, FILTERS);
    return launch_with(call, 1, tiling);
}

/* Better than async_tile: a thread copies the same positions of a tile for every channel, so it
 * computes their addresses once. It copies 16 bytes at a time if all addresses are multiples of 16.
 * Still bad: all tiles are squares of 32, and an image of width 33 uses little of its second tile.
 * Each tile is copied again for every 8 filters. */
extern "C" void launch_planned_copies(const struct conv *call)
{
    if (!is_empty(call))
        launch_groups<1>(call, planned_launch_of(call));
}

extern "C" const char *declines_planned_copies(const struct conv *call)
{
    const char *const why = conv_declines_3x3_or_empty(call);

    if (why != NULL || !has_outputs(call))
        return why;
    const struct direct_launch launch = planned_launch_of(call);
    return conv_declines_launch(launch.blocks, launch.bytes);
}

extern "C" void prepare_direct(const struct conv *call)
{
    pack(call, direct_groups(call) * FILTERS);
}

/* The same kernel. Better: up to three groups of threads share a tile, each for 8 filters, and
 * tiles are as wide as the image allows. Still bad: the inner loop reaches only two thirds of the
 * float32 units' peak. Every fourth multiply-add reads three registers, which takes an extra cycle,
 * and only ptxas decides which. Nothing overlaps the prologue and the epilogue. */
extern "C" void launch_direct(const struct conv *call)
{
    if (is_empty(call))
        return;
    if (direct_groups(call) == 3)
        launch_groups<3>(call, direct_launch_of(call));
    else if (direct_groups(call) == 1)
        launch_groups<1>(call, direct_launch_of(call));
    else
        launch_groups<2>(call, direct_launch_of(call));
}

extern "C" const char *declines_direct(const struct conv *call)
{
    const char *const why = conv_declines_3x3_or_empty(call);

    if (why != NULL || !has_outputs(call))
        return why;
    const struct direct_launch launch = direct_launch_of(call), before = planned_launch_of(call);
    if (direct_groups(call) == 1 &&
        memcmp(&launch.tiling, &before.tiling, sizeof launch.tiling) == 0)
        return "its tiles would be those of planned_copies";
    return conv_declines_launch(launch.blocks, launch.bytes);
}
/* SPDX-License-Identifier: MIT */
