/* How winograd_2x2, winograd_4x4 and winograd_3xtf32 divide a problem. */
#ifndef WINOGRAD_PLAN_H
#define WINOGRAD_PLAN_H

#include "gemm/parts/gather_plan.h"

/* With dilation, outputs that are `dilation` apart in both directions share inputs; other outputs
 * do not. So an image has dilation x dilation phases, each with tiles of its own. */
struct winograd_plan {
    unsigned tile;                       /* outputs per tile, in each direction */
    unsigned across, down;               /* tiles per phase, horizontally and vertically */
    unsigned phases_across, phases_down; /* the dilation, or fewer for few outputs */
    unsigned components, channels;       /* numbers per transformed tile; channels, padded */
    size_t tiles;                        /* of all phases and images */
    size_t at_once;                      /* tiles that fit in the workspace, padded */
    /* The products of all components: a 1 x 1 convolution of an image of `at_once` pixels, whose
     * groups are the components. */
    struct conv product;
    struct gather_plan gather;
    float *inputs, *products; /* [component][channel][tile], [component][filter][tile] */
};

/* With `tile` x `tile` outputs per tile. */
struct winograd_plan winograd_plan_of(const struct conv *call, unsigned tile,
                                      const struct gather_tile *tiles, unsigned tile_count);

#endif
/* SPDX-License-Identifier: MIT */
