#include "winograd/parts/plan.h"

#include "base/integers.h"

/* `at_once` is a multiple of this, so that no block of the products spans two components. */
static size_t padding_of(const struct gather_tile *tiles, unsigned tile_count)
{
    size_t most = 1;

    for (unsigned t = 0; t < tile_count; t++)
        most = tiles[t].pixels > most ? tiles[t].pixels : most;
    return most;
}

struct winograd_plan winograd_plan_of(const struct conv *call, unsigned tile,
                                      const struct gather_tile *tiles, unsigned tile_count)
{
    const size_t side = tile + call->kernel_height - 1, padding = padding_of(tiles, tile_count);
    struct winograd_plan plan = {.tile = tile};

    plan.phases_across = (unsigned)smaller(call->dilation, call->out_width);
    plan.phases_down = (unsigned)smaller(call->dilation, call->out_height);
    plan.across = (unsigned)divided_up(divided_up(call->out_width, call->dilation), tile);
    plan.down = (unsigned)divided_up(divided_up(call->out_height, call->dilation), tile);
    plan.components = (unsigned)(side * side);
    plan.channels = (unsigned)(divided_up(call->channels, GATHER_DEPTH) * GATHER_DEPTH);
    plan.tiles = call->batch * plan.phases_across * plan.phases_down * plan.across * plan.down;
    plan.at_once = divided_up(plan.tiles, padding) * padding;

    struct conv *const product = &plan.product;
    product->batch = 1;
    product->groups = plan.components;
    product->channels = plan.channels;
    product->filters = plan.components * call->filters;
    product->height = product->kernel_height = product->kernel_width = 1;
    product->stride_height = product->stride_width = product->dilation = product->out_height = 1;
    product->width = product->out_width = plan.at_once;
    product->workspace = call->workspace;
    product->workspace_bytes = call->workspace_bytes;
    product->multiprocessors = call->multiprocessors;
    plan.gather = gather_plan_of(product, tiles, tile_count, GATHER_TAP_ORDER);

    plan.inputs = plan.gather.parts;
    const size_t used = (size_t)((char *)plan.inputs - (char *)call->workspace);
    const size_t room = call->workspace_bytes > used ? call->workspace_bytes - used : 0;
    const size_t floats = plan.components * (plan.channels + call->filters); /* per tile */
    const size_t most = room / sizeof(float) / floats / padding * padding;
    plan.at_once = smaller(plan.at_once, most > padding ? most : padding);
    plan.products = plan.inputs + plan.components * plan.channels * plan.at_once;
    product->width = product->out_width = plan.at_once;
    product->input = plan.inputs;
    product->output = plan.products;
    plan.gather.vector = 4;
    plan.gather.pixels = (unsigned)plan.at_once;
    plan.gather.pixel_tiles = plan.gather.pixels / plan.gather.tile_pixels;
    return plan;
}
/* SPDX-License-Identifier: MIT */
