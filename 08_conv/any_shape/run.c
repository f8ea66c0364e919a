/* Step 08, the rungs to use: for each problem they run the fastest of the others, by the estimates
 * of any_shape/plan.c. The choice takes the host some microseconds, longer than small problems take
 * on the GPU. So consecutive calls of the same sizes share one choice. */
#include "any_shape/any_shape.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "any_shape/plan.h"
#include "parts/conv_shape.h"
#include "winograd/parts/bound.h"

#define RUNG(name)                                                                                 \
    void prepare_##name(const struct conv *call);                                                  \
    void launch_##name(const struct conv *call);
RUNG(direct)
RUNG(winograd)
RUNG(winograd_4x4)
RUNG(winograd_fused)
RUNG(implicit_gemm_split)
RUNG(tensor)
RUNG(implicit_3xtf32)
RUNG(winograd_3xtf32)
#undef RUNG
void launch_conv_naive(const struct conv *call);
void launch_grouped(const struct conv *call);
void launch_grouped_tile(const struct conv *call);

const char *declines_direct(const struct conv *call);
const char *declines_winograd(const struct conv *call);
const char *declines_winograd_4x4(const struct conv *call);
const char *declines_winograd_fused(const struct conv *call);
const char *declines_gather(const struct conv *call);
const char *declines_grouped(const struct conv *call);
const char *declines_tensor(const struct conv *call);
double depth_tensor(const struct conv *call);
double depth_implicit_3xtf32(const struct conv *call);

/* What the ladders say about each of them. `naive` is for problems that all others decline. */
static const struct {
    const char *name;
    void (*launch)(const struct conv *call);
    void (*prepare)(const struct conv *call);
    const char *(*declines)(const struct conv *call);
    double (*depth)(const struct conv *call);
    double (*magnitude)(const struct conv *call, const struct conv_pixel *pixel);
    bool takes_groups;
} rungs[WAYS + 1] = {
    [DIRECT] = {"direct", launch_direct, prepare_direct, declines_direct, conv_depth_serial, NULL,
                false},
    [WINOGRAD] = {"winograd", launch_winograd, prepare_winograd, declines_winograd, winograd_depth,
                  winograd_magnitude, false},
    [WINOGRAD_4X4] = {"winograd_4x4", launch_winograd_4x4, prepare_winograd_4x4,
                      declines_winograd_4x4, winograd4_depth, winograd4_magnitude, false},
    [WINOGRAD_FUSED] = {"winograd_fused", launch_winograd_fused, prepare_winograd_fused,
                        declines_winograd_fused, winograd4_depth, winograd4_magnitude, false},
    [IMPLICIT_GEMM_SPLIT] = {"implicit_gemm_split", launch_implicit_gemm_split,
                             prepare_implicit_gemm_split, declines_gather, conv_depth_serial, NULL,
                             true},
    [GROUPED] = {"grouped", launch_grouped, NULL, declines_grouped, conv_depth_serial, NULL, true},
    [GROUPED_TILE] = {"grouped_tile", launch_grouped_tile, NULL, declines_grouped,
                      conv_depth_serial, NULL, true},
    [TENSOR_3XTF32] = {"tensor_3xtf32", launch_tensor, prepare_tensor, declines_tensor,
                       depth_tensor, NULL, false},
    [IMPLICIT_3XTF32] = {"implicit_3xtf32", launch_implicit_3xtf32, prepare_implicit_3xtf32,
                         declines_gather, depth_implicit_3xtf32, NULL, true},
    [WINOGRAD_3XTF32] = {"winograd_3xtf32", launch_winograd_3xtf32, prepare_winograd_3xtf32,
                         declines_winograd_4x4, winograd_3xtf32_depth, winograd4_magnitude, false},
    [WAYS] = {"naive", launch_conv_naive, NULL, NULL, conv_depth_serial, NULL, true},
};

static bool can(const struct conv *call, unsigned way)
{
    return (call->groups == 1 || rungs[way].takes_groups) && rungs[way].declines(call) == NULL;
}

static unsigned choose(const struct conv *shape, unsigned ways)
{
    unsigned best = WAYS;
    double least = 0;

    if (is_empty(shape))
        return WAYS;
    for (unsigned way = 0; way < ways; way++) {
        if (!can(shape, way))
            continue;
        const double us = us_of_way(shape, (enum way)way);
        if (best == WAYS || us < least) {
            best = way;
            least = us;
        }
    }
    return best;
}

/* Addresses must not change the choice, because the error bound is computed with pointers to the
 * host's memory. */
static unsigned best_of(const struct conv *call, unsigned ways)
{
    static _Thread_local struct {
        struct conv shape;
        unsigned ways, best;
    } last;
    struct conv shape = *call;

    shape.input = shape.filter = NULL;
    shape.output = NULL;
    if (ways != last.ways || memcmp(&shape, &last.shape, sizeof shape) != 0) {
        last.best = choose(&shape, ways);
        last.shape = shape;
        last.ways = ways;
    }
    return last.best;
}

static void prepare(const struct conv *call, unsigned way)
{
    if (rungs[way].prepare != NULL)
        rungs[way].prepare(call);
}

/* The result 0 stands for the sum of the terms' absolute values. */
static double magnitude_of(unsigned way, const struct conv *call, const struct conv_pixel *pixel)
{
    return rungs[way].magnitude != NULL ? rungs[way].magnitude(call, pixel) : 0;
}

static const char *declines(const struct conv *call, unsigned way)
{
    return rungs[way].declines != NULL ? rungs[way].declines(call) : NULL;
}

/* ---- the rungs ------------------------------------------------------------------------------- */

static unsigned best(const struct conv *call)
{
    return best_of(call, TENSOR_3XTF32);
}

void prepare_any_shape(const struct conv *call)
{
    prepare(call, best(call));
}

void launch_any_shape(const struct conv *call)
{
    rungs[best(call)].launch(call);
}

const char *declines_any_shape(const struct conv *call)
{
    return declines(call, best(call));
}

double depth_any_shape(const struct conv *call)
{
    return rungs[best(call)].depth(call);
}

double magnitude_any_shape(const struct conv *call, const struct conv_pixel *pixel)
{
    return magnitude_of(best(call), call, pixel);
}

void how_any_shape(const struct conv *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "by %s", rungs[best(call)].name);
}

static unsigned best_3xtf32(const struct conv *call)
{
    return best_of(call, WAYS);
}

void prepare_any_shape_3xtf32(const struct conv *call)
{
    prepare(call, best_3xtf32(call));
}

void launch_any_shape_3xtf32(const struct conv *call)
{
    rungs[best_3xtf32(call)].launch(call);
}

const char *declines_any_shape_3xtf32(const struct conv *call)
{
    return declines(call, best_3xtf32(call));
}

double depth_any_shape_3xtf32(const struct conv *call)
{
    return rungs[best_3xtf32(call)].depth(call);
}

double magnitude_any_shape_3xtf32(const struct conv *call, const struct conv_pixel *pixel)
{
    return magnitude_of(best_3xtf32(call), call, pixel);
}

void how_any_shape_3xtf32(const struct conv *call, char text[RUNG_HOW_SIZE])
{
    snprintf(text, RUNG_HOW_SIZE, "by %s", rungs[best_3xtf32(call)].name);
}
/* SPDX-License-Identifier: MIT */
