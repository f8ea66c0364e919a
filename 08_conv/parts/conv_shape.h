/* Questions of the host about a problem, for several of step 08's sources. */
#ifndef CONV_SHAPE_H
#define CONV_SHAPE_H

#include "base/integers.h"
#include "problem/conv/conv.h"

/* Whether there are outputs, and whether there are inputs and weights to compute them from. If
 * there are outputs but no products, launch_conv_naive sets the outputs to 0. */
static inline bool has_outputs(const struct conv *call)
{
    return call->batch * call->filters * call->out_height * call->out_width > 0;
}

static inline bool has_products(const struct conv *call)
{
    return call->channels * call->height * call->width * call->kernel_height * call->kernel_width >
           0;
}

static inline bool is_empty(const struct conv *call)
{
    return !has_outputs(call) || !has_products(call);
}

/* For rungs that require both. */
static inline const char *conv_declines_empty(const struct conv *call)
{
    return has_outputs(call) && !has_products(call) ? "requires inputs and taps" : NULL;
}

/* How many floats of the input one copy can transfer: 4, 2 or 1. The input's address, its width and
 * `off`, where pieces begin, must be multiples of that, so that all pieces of tiles are aligned. */
static inline unsigned input_vector_at(const struct conv *call, size_t off)
{
    const size_t places = (size_t)call->input / sizeof(float) | call->width | off;
    return places % 4 == 0 ? 4 : places % 2 == 0 ? 2 : 1;
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

/* How many groups of 8 filters a block of `direct` has: three, unless two waste fewer filters; one
 * for up to 8. */
static inline unsigned direct_groups(const struct conv *call)
{
    if (call->filters <= 8)
        return 1;
    return divided_up(call->filters, 24) * 24 <= divided_up(call->filters, 16) * 16 ? 3 : 2;
}

/* How many filters a block of `winograd_fused` has: all, or equal shares of at most 32, rounded up
 * to a multiple of 8. fused_channels: how many channels it transforms at a time, equal shares of at
 * most 12. */
static inline unsigned fused_filters(const struct conv *call)
{
    const size_t blocks = divided_up(call->filters, 32);

    return (unsigned)divided_up(divided_up(call->filters, blocks), 8) * 8;
}

static inline unsigned fused_channels(const struct conv *call)
{
    return (unsigned)divided_up(call->channels, divided_up(call->channels, 12));
}

/* For rungs that do only 3 x 3 filters, at stride 1 without dilation, with 32-bit indices. */
static inline const char *conv_declines_3x3(const struct conv *call)
{
    if (call->kernel_height != 3 || call->kernel_width != 3 || call->stride_height != 1 ||
        call->stride_width != 1 || call->dilation != 1)
        return "only 3x3, stride 1, dilation 1";
    if (call->height >= (size_t)1 << 30 || call->width >= (size_t)1 << 30 ||
        call->pad >= (size_t)1 << 20 || call->height * call->width >= (size_t)1 << 31)
        return "images too large";
    return NULL;
}

static inline const char *conv_declines_3x3_or_empty(const struct conv *call)
{
    return conv_declines_empty(call) != NULL ? conv_declines_empty(call) : conv_declines_3x3(call);
}

#endif
/* SPDX-License-Identifier: MIT */
