/* What the host derives from a problem's sizes, for several of step 08's sources. */
#ifndef CONV_SHAPE_H
#define CONV_SHAPE_H

#include "base/integers.h"
#include "problem/conv/conv.h"

/* How many floats of the input one copy can transfer: 4, 2 or 1. The input's address, its width and
 * `off`, where pieces begin, must be multiples of this number. Then all pieces are aligned. */
static inline unsigned input_vector_at(const struct conv *call, size_t off)
{
    const size_t multiples = (size_t)call->input / sizeof(float) | call->width | off;
    return multiples % 4 == 0 ? 4 : multiples % 2 == 0 ? 2 : 1;
}

/* For tiles that begin with the padding. */
static inline unsigned input_vector(const struct conv *call)
{
    return input_vector_at(call, call->pad);
}

/* For grouped_tile, whose pieces begin under the filter's middle. */
static inline unsigned input_vector_of_middle(const struct conv *call)
{
    return input_vector_at(call, call->pad - call->kernel_width / 2);
}

/* How many groups of 8 filters a block of `direct` has: one for up to 8 filters. Otherwise three,
 * or two if two waste fewer filters. */
static inline unsigned direct_groups(const struct conv *call)
{
    if (call->filters <= 8)
        return 1;
    return divided_up(call->filters, 24) * 24 <= divided_up(call->filters, 16) * 16 ? 3 : 2;
}

/* How many filters a block of `winograd_fused` has: all, or equal shares of at most 32, rounded up
 * to a multiple of 8. fused_channels: how many channels it transforms at a time, in equal shares of
 * at most 12. */
static inline unsigned fused_filters(const struct conv *call)
{
    const size_t blocks = divided_up(call->filters, 32);

    return (unsigned)divided_up(divided_up(call->filters, blocks), 8) * 8;
}

static inline unsigned fused_channels(const struct conv *call)
{
    return (unsigned)divided_up(call->channels, divided_up(call->channels, 12));
}

#endif
/* SPDX-License-Identifier: MIT */
