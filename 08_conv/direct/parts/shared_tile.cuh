/* Common to shared_tile and shared_filters: the block's outputs, and how many inputs they need. */
#ifndef RUNGS_08_SHARED_TILE_CUH
#define RUNGS_08_SHARED_TILE_CUH

#include "parts/conv_device.cuh"

static const unsigned TILE_WIDTH = 32, TILE_HEIGHT = 8; /* outputs per block */
static const size_t MOST_SHARED = 48 << 10;

/* How many rows or columns of input `outputs` adjacent outputs need. */
static inline size_t inputs_under(const struct conv *call, size_t outputs, size_t stride,
                                  size_t taps)
{
    return (outputs - 1) * stride + (taps - 1) * call->dilation + 1;
}

#endif
/* SPDX-License-Identifier: MIT */
