#include "gemm/parts/gather_plan.h"

#include "parts/conv_shape.h"

#include "base/integers.h"

enum { FILTERS_MOST = 128 };

const struct gather_tile gather_tiles[GATHER_TILES] = {
    {64, 128, 3, 1, 8, 1}, {64, 128, 4, 1, 11, 1}, {128, 128, 2, 1, 22, 1}, {32, 128, 6, 1, 8, 1}};
const struct gather_tile tensor_tiles[TENSOR_TILES] = {{128, 128, 1, 2, 55, 2.7},
                                                       {64, 256, 1, 2, 60, 2.7},
                                                       {64, 128, 2, 2, 56, 2.7},
                                                       {32, 256, 2, 2, 59, 2.7},
                                                       {32, 128, 2, 2, 66, 2.7}};

static bool is_uniform(const struct conv *call)
{
    return call->channels % GATHER_DEPTH == 0;
}

static bool is_matrix_product(const struct conv *call)
{
    return call->kernel_height == 1 && call->kernel_width == 1 && call->stride_height == 1 &&
           call->stride_width == 1 && call->pad == 0;
}

static unsigned vector_of(const struct conv *call)
{
    const size_t area = call->height * call->width;
    return is_matrix_product(call) && area % 4 == 0 && (size_t)call->input % 16 == 0 ? 4 : 1;
}

/* Estimated cost, in products of an SM: the waves of blocks. In a partial last wave, SMs have fewer
 * blocks and hide less latency. A split costs a copy of outputs through memory, and a launch. */
static double cost_of(const struct conv *call, const struct gather_plan *plan,
                      const struct gather_tile *tile)
{
    const double blocks =
        (double)plan->filter_tiles * plan->pixel_tiles * (double)call->groups * plan->splits;
    const double processors = call->multiprocessors > 0 ? call->multiprocessors : 1;
    const double full = (double)(size_t)(blocks / (processors * tile->resident));
    const double rest = blocks - full * processors * tile->resident;
    const double filled = (double)(size_t)((rest + processors - 1) / processors) / tile->resident;
    const double waves = full + (rest > 0 ? 0.45 + 0.55 * filled : 0);
    const double stages = (double)((plan->stages + plan->splits - 1) / plan->splits) + 3;
    const double gather = tile->gather_cost / (plan->vector * (double)tile->filters);
    const double work = waves * tile->resident * tile->filters * tile->pixels * GATHER_DEPTH *
                        stages * (1 + gather) / tile->speed;
    const double outputs = (double)plan->pixels * (double)call->filters / processors;

    return work + (plan->splits > 1 ? 60 * outputs * (plan->splits + 1) + 1e6 : 0);
}

static struct gather_plan cheapest(const struct conv *call, const struct gather_tile *tiles,
                                   unsigned tile_count, unsigned may, double *least)
{
    const size_t plane = call->kernel_height * call->kernel_width;
    const size_t rows = call->channels * plane;
    struct gather_plan plan = {0}, best = {0};

    plan.uniform = may & GATHER_TAP_ORDER && is_uniform(call);
    plan.vector = plan.uniform ? vector_of(call) : 1;
    plan.stages = (unsigned)divided_up(rows, GATHER_DEPTH);
    plan.filters = (unsigned)(call->filters / call->groups);
    plan.pixels = (unsigned)(call->batch * call->out_height * call->out_width);
    plan.taps = call->workspace;
    const size_t taps = plan.uniform ? plan.stages : (size_t)plan.stages * GATHER_DEPTH;
    plan.weights = (float *)(plan.taps + taps);
    const size_t outputs = plan.pixels * call->filters;

    *least = 0;
    for (unsigned t = 0; t < tile_count; t++) {
        plan.tile_filters = tiles[t].filters;
        plan.tile_pixels = tiles[t].pixels;
        plan.resident = tiles[t].resident;
        plan.filter_tiles = (unsigned)divided_up(plan.filters, plan.tile_filters);
        plan.pixel_tiles = (unsigned)divided_up(plan.pixels, plan.tile_pixels);
        plan.weights_step = (size_t)plan.stages * GATHER_DEPTH * plan.filter_tiles *
                            plan.tile_filters * tiles[t].weight_floats;
        plan.parts = plan.weights + call->groups * plan.weights_step;
        const size_t used = (size_t)((char *)plan.parts - (char *)call->workspace);
        const size_t room = call->workspace_bytes > used ? call->workspace_bytes - used : 0;
        for (plan.splits = 1; plan.splits <= 32; plan.splits++) {
            if (plan.splits > 1 &&
                (!(may & GATHER_SPLIT) || plan.splits * outputs * sizeof(float) > room ||
                 plan.stages < 4 * plan.splits))
                break;
            const double cost = cost_of(call, &plan, &tiles[t]);
            if (*least == 0 || cost < *least) {
                *least = cost;
                best = plan;
            }
        }
    }
    return best;
}

struct gather_plan gather_plan_of(const struct conv *call, const struct gather_tile *tiles,
                                  unsigned tile_count, unsigned may)
{
    double least;

    return cheapest(call, tiles, tile_count, may, &least);
}

double gather_cost_of(const struct conv *call, const struct gather_tile *tiles, unsigned tile_count,
                      unsigned may)
{
    double least;

    cheapest(call, tiles, tile_count, may, &least);
    return least;
}

struct gather_plan gather_plan_of_one_tile(const struct conv *call)
{
    return gather_plan_of(call, gather_tiles, 1, 0);
}

/* Checks the tile and the weights that take most memory. */
const char *gather_declines(const struct conv *call)
{
    const double most = 0x7FFFFFFF;
    const double pixels = (double)call->batch * (double)call->out_height * (double)call->out_width;
    const double rows =
        (double)call->channels * (double)call->kernel_height * (double)call->kernel_width;
    const double filters =
        (double)(divided_up(call->filters / call->groups, FILTERS_MOST) * FILTERS_MOST);

    if (conv_declines_empty(call) != NULL)
        return conv_declines_empty(call);
    if ((double)call->channels * (double)call->height * (double)call->width > most || rows > most ||
        pixels * 4 > most || pixels * (double)call->filters > most)
        return "too large for indices of 32 bits";
    if (call->pad > most / 4 || (double)call->dilation * (double)call->kernel_height > most / 4 ||
        (double)call->dilation * (double)call->kernel_width > most / 4)
        return "too much padding or dilation for indices of 32 bits";
    if ((rows + GATHER_DEPTH) *
            (sizeof(struct gather_tap) + 2 * sizeof(float) * filters * (double)call->groups) >
        (double)call->workspace_bytes)
        return "the groups' weights, padded to tiles, do not fit in the workspace";
    return NULL;
}
/* SPDX-License-Identifier: MIT */
