#include "tensor_cores/parts/plan.h"

#include "base/integers.h"
#include "parts/conv_shape.h"

unsigned tensor_n_tiles(const struct conv *call)
{
    return divided_up(call->filters, 24) * 24 < divided_up(call->filters, 64) * 64 ? 3 : 8;
}

/* Chooses the width with the lowest estimated cost of all blocks. The cost is eight per pixel, to
 * multiply, and one per float of the input tile, to copy. */
static struct tensor_tiling tensor_tiling_of(const struct conv *call, unsigned positions,
                                             unsigned rows, unsigned vector)
{
    struct tensor_tiling best = {0};
    size_t least = (size_t)-1;

    for (unsigned width = vector; width <= positions; width += vector) {
        struct tensor_tiling tiling = {.width = width};
        tiling.bands = (unsigned)smaller(positions / width, divided_up(call->out_height, rows));
        tiling.across = (unsigned)divided_up(call->out_width, width);
        tiling.down = (unsigned)divided_up(call->out_height, tiling.bands * rows);
        tiling.pitch = (unsigned)divided_up(width + SIDE - 1, vector) * vector;
        tiling.plane = (tiling.bands * rows + SIDE - 1) * tiling.pitch;
        /* The four channels that a warp reads together start 8 banks apart: no bank conflicts. */
        tiling.plane += (8 + 32 - tiling.plane % 32) % 32;
        const size_t cost =
            (size_t)tiling.across * tiling.down * (8 * positions * rows + tiling.plane);
        if (tiling.plane <= 2 * positions * rows && cost <= least) {
            least = cost;
            best = tiling;
        }
    }
    return best;
}

struct tensor_plan tensor_plan_of(const struct conv *call)
{
    const unsigned n_tiles = tensor_n_tiles(call), rows = TENSOR_ROWS(n_tiles);
    struct tensor_plan plan;

    plan.tiling =
        tensor_tiling_of(call, WARPS * TENSOR_GROUPS(n_tiles) * M_TILE, rows, input_vector(call));
    plan.tiling.filter_blocks = (unsigned)divided_up(call->filters, n_tiles * N_TILE);
    const size_t stage = CHUNK * (size_t)plan.tiling.plane + TAPS * n_tiles * FRAGMENT;
    plan.bytes = STAGES * stage * sizeof(float);
    plan.blocks =
        call->batch * plan.tiling.down * (size_t)plan.tiling.across * plan.tiling.filter_blocks;
    return plan;
}

/* Errors in units of 2^-24, relative to a product or to the sum of all products' magnitudes:
 *   - 16 for an input's low part, which is less than 2^-10 of the input and is truncated to 11
 *     bits, an error of 2^-10 of itself;
 *   - 8 for a weight's low part, which is less than 2^-11 because high is rounded;
 *   - 8 for low x low, which is left out;
 *   - for each instruction 12 truncations, each of 2^-23 of the largest term: two steps that align
 *     four products and the sum so far, and normalize the result. There is one instruction for each
 *     tap of each chunk, and two for the small products, which are less than 2^-9 of the others;
 *   - an addition for each column of taps.
 * (M. Fasi et al., Numerical behavior of NVIDIA tensor cores, PeerJ Computer Science 7, 2021, found
 * at least one more bit since sm_80. This bound does not rely on it.) The bound does not hold for
 * numbers below 2^-116, whose low parts are subnormal. */
double depth_tensor(const struct conv *call)
{
    const double chunks = (double)divided_up(call->channels, CHUNK);

    return 32 + chunks * (TAPS * 24 * (1 + 2.0 / 512) + SIDE);
}
/* SPDX-License-Identifier: MIT */
