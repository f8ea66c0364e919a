/* Device code of the rungs that gather inputs by asynchronous copies. */
#ifndef GATHER_CUH
#define GATHER_CUH

#include <cuda_pipeline.h>

#include "base/integers.h"
#include "problem/conv/conv.h"

extern "C" {
#include "gemm/parts/gather_plan.h"
}

/* A position that is outside of every image, also after a tap or a pixel is added to it. */
static const int NOWHERE = -0x40000000;

/* A block's work: a tile of a group's product, over the stages of a split. */
struct k_range {
    unsigned filter_tile, pixel_tile, group;
    unsigned split, first_stage, end_stage;
};

static inline unsigned blocks_for(const struct conv &call, const struct gather_plan &plan)
{
    return plan.filter_tiles * plan.pixel_tiles * (unsigned)call.groups * plan.splits;
}

static __device__ inline struct k_range range_of_block(const struct conv &call,
                                                       const struct gather_plan &plan)
{
    const unsigned pixel_tiles = blockIdx.x / plan.filter_tiles;
    const unsigned products = pixel_tiles / plan.pixel_tiles;
    struct k_range range = {};

    range.filter_tile = blockIdx.x % plan.filter_tiles;
    range.pixel_tile = pixel_tiles % plan.pixel_tiles;
    range.end_stage = plan.stages;
    if (call.groups > 1) /* the divisions matter if a block has little work */
        range.group = products % (unsigned)call.groups;
    if (plan.splits > 1) {
        range.split = products / (unsigned)call.groups;
        range.first_stage = (unsigned)((size_t)plan.stages * range.split / plan.splits);
        range.end_stage = (unsigned)((size_t)plan.stages * (range.split + 1) / plan.splits);
    }
    return range;
}

/* The part of a stage that a thread copies: VECTOR pixels at a time, in ROWS rows of the im2col
 * matrix and COLUMNS columns. */
template <unsigned PIXELS, unsigned THREADS, unsigned VECTOR>
struct gatherer {
    static const unsigned LANES = PIXELS / VECTOR; /* threads per row */
    static const unsigned COLUMNS = LANES > THREADS ? LANES / THREADS : 1;
    static const unsigned ROWS = GATHER_DEPTH * LANES / THREADS / COLUMNS;
    const float *from[COLUMNS]; /* the input under the first tap, which may be outside the image */
    int y[COLUMNS], x[COLUMNS];
    unsigned row, column; /* the first of them */
};

template <unsigned PIXELS, unsigned THREADS, unsigned VECTOR>
static __device__ inline void begin_gather(gatherer<PIXELS, THREADS, VECTOR> *gather,
                                           const struct conv &call, const struct gather_plan &plan,
                                           unsigned thread, unsigned group, unsigned first_pixel)
{
    typedef gatherer<PIXELS, THREADS, VECTOR> type;
    const unsigned out_width = (unsigned)call.out_width;
    const unsigned out_area = (unsigned)call.out_height * out_width;
    const unsigned channels_area = (unsigned)(call.channels * call.height * call.width);

    gather->column = thread % type::LANES * VECTOR;
    gather->row = type::COLUMNS > 1 ? 0 : thread / type::LANES * type::ROWS;
#pragma unroll
    for (unsigned i = 0; i < type::COLUMNS; i++) {
        const unsigned pixel = first_pixel + gather->column + i * THREADS * VECTOR;
        const unsigned batch = pixel / out_area, position = pixel % out_area;
        const bool exists = pixel < plan.pixels;
        const int y = (int)(position / out_width * (unsigned)call.stride_height) - (int)call.pad;
        const int x = (int)(position % out_width * (unsigned)call.stride_width) - (int)call.pad;
        const size_t image = (size_t)(batch * (unsigned)call.groups + group) * channels_area;
        gather->y[i] = exists ? y : NOWHERE;
        gather->x[i] = x;
        gather->from[i] = exists ? call.input + image + (long)y * (long)call.width + x : call.input;
    }
}

/* Copies VECTOR floats, or zeros if the pixels are not inside the image. */
template <unsigned VECTOR>
static __device__ inline void copy_inside(float *to, const float *from, bool inside)
{
    __pipeline_memcpy_async(to, from, VECTOR * sizeof(float), inside ? 0 : VECTOR * sizeof(float));
}

/* A uniform stage's tap. For copies of four floats it needs no table: there is only one. */
template <unsigned VECTOR>
static __device__ inline int4 tap_of_stage(const struct conv &call, const struct gather_plan &plan,
                                           unsigned stage)
{
    if (VECTOR == 4)
        return make_int4((int)(stage * GATHER_DEPTH * (unsigned)(call.height * call.width)), 0, 0,
                         0);
    return *(const int4 *)&plan.taps[stage < plan.stages ? stage : 0];
}

/* Starts the copies of a stage to `to`, with `pitch` floats from row to row. stage_tap: the tap of
 * a uniform stage. */
template <bool UNIFORM, unsigned PIXELS, unsigned THREADS, unsigned VECTOR>
static __device__ inline void gather_stage(const gatherer<PIXELS, THREADS, VECTOR> &gather,
                                           const struct conv &call, const struct gather_plan &plan,
                                           int4 stage_tap, unsigned stage, float *to,
                                           unsigned pitch)
{
    typedef gatherer<PIXELS, THREADS, VECTOR> type;
    const unsigned height = (unsigned)call.height, width = (unsigned)call.width;
    const unsigned area = height * width;

    to += gather.row * pitch + gather.column;
    if (UNIFORM) {
        const int4 tap = stage_tap;
#pragma unroll
        for (unsigned i = 0; i < type::COLUMNS; i++) {
            const bool inside =
                (unsigned)(gather.y[i] + tap.y) < height && (unsigned)(gather.x[i] + tap.z) < width;
            const float *from = inside ? gather.from[i] + tap.x + gather.row * area : call.input;
#pragma unroll
            for (unsigned r = 0; r < type::ROWS; r++, from += area)
                copy_inside<VECTOR>(to + r * pitch + i * THREADS * VECTOR, from, inside);
        }
        return;
    }
    const struct gather_tap *const taps = plan.taps + stage * GATHER_DEPTH + gather.row;
#pragma unroll
    for (unsigned r = 0; r < type::ROWS; r++) {
        const int4 tap = *(const int4 *)&taps[r];
#pragma unroll
        for (unsigned i = 0; i < type::COLUMNS; i++) {
            const bool inside =
                (unsigned)(gather.y[i] + tap.y) < height && (unsigned)(gather.x[i] + tap.z) < width;
            copy_inside<VECTOR>(to + r * pitch + i * THREADS * VECTOR,
                                inside ? gather.from[i] + tap.x : call.input, inside);
        }
    }
}

/* Loads the thread's part of a stage in which each row has its own entry in the table. */
template <unsigned PIXELS, unsigned THREADS>
static __device__ inline void load_stage(const gatherer<PIXELS, THREADS, 1> &gather,
                                         const struct conv &call, const struct gather_plan &plan,
                                         unsigned stage, float *inputs)
{
    const unsigned height = (unsigned)call.height, width = (unsigned)call.width;
    const struct gather_tap *const taps = plan.taps + stage * GATHER_DEPTH + gather.row;

#pragma unroll
    for (unsigned r = 0; r < gatherer<PIXELS, THREADS, 1>::ROWS; r++) {
        const int4 tap = *(const int4 *)&taps[r];
        const bool inside =
            (unsigned)(gather.y[0] + tap.y) < height && (unsigned)(gather.x[0] + tap.z) < width;
        inputs[r] = inside ? gather.from[0][tap.x] : 0;
    }
}

/* The channel and tap of a row of the im2col matrix, in the plan's order: 16 channels of a tap,
 * then the next tap of these channels; or all taps of a channel, then the next channel. */
static __device__ inline void row_of(const struct conv &call, const struct gather_plan &plan,
                                     unsigned row, unsigned *channel, unsigned *tap)
{
    const unsigned plane = (unsigned)(call.kernel_height * call.kernel_width);

    if (plan.uniform) {
        const unsigned stage = row / GATHER_DEPTH;
        *channel = stage / plane * GATHER_DEPTH + row % GATHER_DEPTH;
        *tap = stage % plane;
    } else {
        *channel = row / plane;
        *tap = row % plane;
    }
}

/* The weight of a filter of a group at a row of the im2col matrix, 0 in the padding. */
static __device__ inline float weight_of(const struct conv &call, const struct gather_plan &plan,
                                         unsigned group, unsigned filter, unsigned row)
{
    const unsigned plane = (unsigned)(call.kernel_height * call.kernel_width);
    unsigned channel, tap;

    row_of(call, plan, row, &channel, &tap);
    if (filter >= plan.filters || channel >= call.channels)
        return 0;
    const size_t first = ((size_t)group * plan.filters + filter) * call.channels;
    return call.filter[(first + channel) * plane + tap];
}

/* Stores a weight as two TF32 numbers, high + low, as implicit_3xtf32 reads them: [filter
 * tile][stage][step of 8 rows][high, low][4 rows][filter][row]. */
static __device__ inline void store_in_two(float *weights, const struct gather_plan &plan,
                                           unsigned row, unsigned filter, float value)
{
    const unsigned n = plan.tile_filters, k = row % GATHER_DEPTH;
    const float rounded = __uint_as_float((__float_as_uint(value) + 0x1000) & 0xFFFFE000);
    const float cut = __uint_as_float(__float_as_uint(value) & 0xFFFFE000);
    const float high = isinf(rounded) ? cut : rounded; /* must not overflow */
    float *const to =
        weights + ((size_t)(filter / n) * plan.stages + row / GATHER_DEPTH) * GATHER_DEPTH * n * 2 +
        k / 8 * 8 * n * 2 + k % 8 / 4 * n * 4 + filter % n * 4 + k % 4;

    to[0] = high;
    to[8 * n] = value - high;
}

#endif
/* SPDX-License-Identifier: MIT */
