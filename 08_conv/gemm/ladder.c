/* Step 08: convolution as a matrix product, with and without the matrix. */
#include "ladders.h"
#include "rungs.h"

static const struct conv_rung rungs[] = {
    {
        .rung = {.name = "im2col",
                 .idea = "the im2col matrix in memory, multiplied by 07's async_copies"},
        .run = launch_im2col,
        .depth = conv_depth_serial,
        .declines = declines_im2col,
    },
    {
        .rung = {.name = "implicit_gemm",
                 .idea =
                     "the same product without the matrix: index arithmetic finds its elements"},
        .run = launch_implicit_gemm,
        .depth = conv_depth_serial,
    },
    {
        .rung = {.name = "implicit_gemm_tiled",
                 .idea = "tiles of 64 filters x 128 pixels, 8 x 4 sums per thread, 16-byte loads"},
        .run = launch_implicit_gemm_tiled,
        .depth = conv_depth_serial,
        .declines = declines_implicit_gemm,
    },
    {
        .rung = {.name = "implicit_gemm_double",
                 .idea = "the next tiles load while these are multiplied",
                 .flags = RUNG_SIDE},
        .run = launch_implicit_gemm_double,
        .depth = conv_depth_serial,
        .declines = declines_implicit_gemm,
    },
    {
        .rung = {.name = "implicit_gemm_table",
                 .idea = "a table of taps instead of index arithmetic"},
        .run = launch_implicit_gemm_table,
        .depth = conv_depth_serial,
        .prepare = prepare_one_tile,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "implicit_gemm_packed",
                 .idea = "weights in the order of use, 16 bytes at a time",
                 .flags = RUNG_SIDE},
        .run = launch_implicit_gemm_packed,
        .depth = conv_depth_serial,
        .prepare = prepare_one_tile,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "implicit_gemm_warp_tile",
                 .idea = "32 x 64 sums per warp, 8 x 8 per thread"},
        .run = launch_implicit_gemm_warp_tile,
        .depth = conv_depth_serial,
        .prepare = prepare_one_tile,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "implicit_gemm_async", .idea = "asynchronous copies, two stages ahead"},
        .run = launch_implicit_gemm_async,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .prepare = prepare_one_tile,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "implicit_gemm_fitted",
                 .idea = "tiles for 32, 64 or 128 filters, whichever fit",
                 .same_kernels_as = "implicit_gemm_async",
                 .same_kernels_because = "the kernel is given its plan"},
        .run = launch_implicit_gemm_fitted,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .prepare = prepare_implicit_gemm_fitted,
        .declines = declines_implicit_gemm_fitted,
    },
    {
        .rung = {.name = "implicit_gemm_ordered",
                 .idea = "a stage is one tap of 16 channels: one entry of the table for 16 rows",
                 .same_kernels_as = "implicit_gemm_async",
                 .same_kernels_because = "the kernel is given the order of its rows"},
        .run = launch_implicit_gemm_ordered,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .prepare = prepare_implicit_gemm_ordered,
        .declines = declines_implicit_gemm_ordered,
    },
    {
        .rung = {.name = "implicit_gemm_split",
                 .idea = "the rows divided among blocks if there are few tiles",
                 .same_kernels_as = "implicit_gemm_async",
                 .same_kernels_because = "the kernel is given its part of the rows"},
        .run = launch_implicit_gemm_split,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .prepare = prepare_implicit_gemm_split,
        .declines = declines_implicit_gemm_split,
    },
};

const struct climb gemm_ladder = {
    .name = "gemm",
    .idea = "im2col, then the same product by index arithmetic",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
