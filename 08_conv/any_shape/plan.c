#include "any_shape/plan.h"

#include <math.h>

#include "base/integers.h"
#include "parts/conv_shape.h"
#include "tensor_cores/parts/plan.h"
#include "winograd/parts/plan.h"

/* The GPU runs `at_once` blocks at a time, in waves of `us` each. In a partial last wave, fewer
 * blocks share an SM, so it can take as little as half of `us`. */
static double us_of_waves(double blocks, double at_once, double us)
{
    const double full = floor(blocks / at_once), rest = blocks / at_once - full;

    return (full + (rest > 0 ? 0.5 + 0.5 * rest : 0)) * us;
}

static double bytes_of(const struct conv *call)
{
    const double inputs = (double)(call->batch * call->groups * call->channels) *
                          (double)(call->height * call->width);
    const double outputs =
        (double)(call->batch * call->filters) * (double)(call->out_height * call->out_width);

    return sizeof(float) * (inputs + outputs);
}

static double us_of_direct(const struct conv *call)
{
    static const double channel_us[] = {1.01, 1.82, 1.39}, bytes_a_us = 2.29e6;
    const unsigned groups = direct_groups(call);
    const size_t positions = groups == 3 ? 64 : 128;
    const size_t strips = divided_up(call->out_width, 4), across = divided_up(strips, 16);
    const size_t wide = divided_up(strips, across);
    const size_t high = smaller(positions / wide, divided_up(call->out_height, 2));
    const double tiles = (double)(across * divided_up(call->out_height, 2 * high));
    const double blocks =
        (double)call->batch * tiles * (double)divided_up(call->filters, 8 * groups);
    const double busy = (double)divided_up(wide * high, 32) * 32 / (double)positions; /* warps */
    const double block =
        (double)call->channels * channel_us[groups - 1] * (0.459 + (1 - 0.459) * busy);

    return 3.21 +
           fmax(us_of_waves(blocks, 2 * call->multiprocessors, block), bytes_of(call) / bytes_a_us);
}

static double us_of_winograd(const struct conv *call)
{
    const double tiles =
        (double)(call->batch * divided_up(call->out_width, 2) * divided_up(call->out_height, 2));
    const double blocks = ceil(tiles / 32) * (double)divided_up(call->filters, 64);
    const double chunks = (double)divided_up(call->channels, 8);

    return 1.57 + ceil(blocks / call->multiprocessors) * (chunks * 1.82 + 2.99);
}

/* The transforms are limited by the bytes they transfer. Dilation spreads the inputs of
 * neighbouring threads, as if the images were larger. The products take the larger of two times:
 * that of their arithmetic and that of their bytes. */
static double us_of_transforms(const struct conv *call, double bytes)
{
    const double images = bytes_of(call) * (call->dilation > 1 ? 2.76 : 1);

    return 6.15 + (images + bytes) / (bytes > 25e6 ? 4.07e6 : 3.4e6);
}

static double us_of_transformed(const struct conv *call, bool tensor_cores)
{
    const struct gather_tile *const tiles = tensor_cores ? tensor_tiles : gather_tiles;
    const unsigned tile_count = tensor_cores ? TENSOR_TILES : GATHER_TILES;
    const struct winograd_plan plan = winograd_plan_of(call, 4, tiles, tile_count);
    const double parts = ceil((double)plan.tiles / (double)plan.at_once);
    const double cost = parts * gather_cost_of(&plan.product, tiles, tile_count, GATHER_TAP_ORDER);
    const double bytes = parts * (double)(plan.components * (plan.channels + call->filters)) *
                         (double)plan.at_once * sizeof(float);
    const double product = tensor_cores ? 1.59 + fmax(cost * 4.94e-6, bytes / 2.31e6)
                                        : fmax(cost * 4.6e-6, bytes / 2.3e6);

    return us_of_transforms(call, bytes) + product;
}

/* For blocks of 8, 16, 24 or 32 filters; measured on an H100. */
static double us_of_fused(const struct conv *call)
{
    static const double block_us[] = {0.5, 2.1, 1.9, 2.6}, channel_us[] = {0.2, 0.29, 0.31, 0.355};
    static const unsigned at_once[] = {3, 3, 2, 2};
    const unsigned kind = fused_filters(call) / 8 - 1;
    const double tiles =
        (double)(call->batch * divided_up(call->out_width, 4) * divided_up(call->out_height, 4));
    const double blocks = ceil(tiles / 16) * (double)divided_up(call->filters, 8 * (kind + 1));
    const double chunks = (double)divided_up(call->channels, fused_channels(call));
    const double block = block_us[kind] + 1.57 * chunks + channel_us[kind] * (double)call->channels;

    return 1.4 + us_of_waves(blocks, at_once[kind] * call->multiprocessors, block);
}

/* The estimate of gemm/parts/gather_plan.c in µs. It is a little more if each row, not every 16
 * rows, needs an entry of the table. It is less with few rows, and if the rows are split. */
static double us_of_product(const struct conv *call, const struct gather_tile *tiles,
                            unsigned tile_count, double us_a_cost, double few_rows, double parts)
{
    const double whole = gather_cost_of(call, tiles, tile_count, GATHER_TAP_ORDER);
    const double cost = gather_cost_of(call, tiles, tile_count, GATHER_TAP_ORDER | GATHER_SPLIT);
    const double rows = (double)(call->channels * call->kernel_height * call->kernel_width);
    const double looks = call->channels % GATHER_DEPTH == 0 ? 1 : 1.14;

    return cost * us_a_cost * looks * rows / (rows + few_rows) - (cost < whole ? parts : 0);
}

static double us_of_implicit_gemm(const struct conv *call)
{
    return 2.31 + us_of_product(call, gather_tiles, GATHER_TILES, 5.02e-6, 12.4, 7.9);
}

static double us_of_implicit_3xtf32(const struct conv *call)
{
    const double outputs = (double)(call->batch * call->filters) *
                           (double)(call->out_height * call->out_width) * sizeof(float);

    return 3.46 + fmax(us_of_product(call, tensor_tiles, TENSOR_TILES, 5.04e-6, 3.02, 6.92),
                       outputs / 1.85e6);
}

static double us_of_tensor(const struct conv *call)
{
    const double chunk_us = tensor_n_tiles(call) == 3 ? 7.79 : 10.3;
    const double block = (double)divided_up(call->channels, CHUNK) * chunk_us;

    return 2.34 +
           us_of_waves((double)tensor_plan_of(call).blocks, 2 * call->multiprocessors, block);
}

/* A thread of `grouped` has 4 outputs, one of grouped_tile 4 x 4 and loads of 1 to 4 floats. */
static double us_of_grouped(const struct conv *call)
{
    const double threads = (double)(call->batch * call->filters) *
                           (double)(divided_up(call->out_height, 4) * call->out_width);
    const double taps = (double)(call->kernel_height * call->kernel_width);

    return 1 + threads * (1.7e-5 + 1e-6 * taps * (double)call->channels);
}

static double us_of_grouped_tile(const struct conv *call)
{
    static const double load_us[] = {1.8e-6, 1.6e-6, 1.6e-6, 0.82e-6}, product_us = 1.3e-8;
    const size_t side = call->kernel_width;
    const unsigned vector = input_vector_of_middle(call);
    const size_t span = 3 * call->stride_width + side;
    const size_t lead = (vector - side / 2 % vector) % vector;
    const double loads =
        (double)((3 * call->stride_height + side) * divided_up(lead + span, vector));
    const double threads =
        (double)(call->batch * call->filters) *
        (double)(divided_up(call->out_height, 4) * divided_up(call->out_width, 4));
    const double of_channel = loads * load_us[vector - 1] + product_us * 16 * (double)(side * side);

    return 3 + bytes_of(call) / 4.6e6 + threads * (double)call->channels * of_channel;
}

double us_of_way(const struct conv *call, enum way way)
{
    switch (way) {
    case DIRECT:
        return us_of_direct(call);
    case WINOGRAD:
        return us_of_winograd(call);
    case WINOGRAD_4X4:
        return us_of_transformed(call, false);
    case WINOGRAD_FUSED:
        return us_of_fused(call);
    case IMPLICIT_GEMM_SPLIT:
        return us_of_implicit_gemm(call);
    case GROUPED:
        return us_of_grouped(call);
    case GROUPED_TILE:
        return us_of_grouped_tile(call);
    case TENSOR_3XTF32:
        return us_of_tensor(call);
    case IMPLICIT_3XTF32:
        return us_of_implicit_3xtf32(call);
    case WINOGRAD_3XTF32:
        return us_of_transformed(call, true);
    case WAYS:
        break;
    }
    return INFINITY;
}
/* SPDX-License-Identifier: MIT */
