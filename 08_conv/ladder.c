/* Step 08: its ladder. Everything else (options, inputs, verification, timing, report) is in
 * common/. */
#include "any_shape.h"
#include "cpu.h"
#include "library/cudnn.h"
#include "library/openblas.h"
#include "problem/conv/conv.h"
#include "run/step.h"
#include "rungs.h"
#include "winograd_bound.h"

static const struct conv_rung rungs[] = {
    {
        .rung = {.name = "cpu_loops",
                 .idea = "one CPU thread: the definition, with x as the innermost loop",
                 .flags = RUNG_HOST},
        .run = run_cpu_loops,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .declines = cpu_loops_decline,
    },
    {
        .rung =
            {.name = "cpu_im2col",
             .idea =
                 "every output's inputs copied to a matrix, multiplied by the filters by OpenBLAS",
             .flags = RUNG_HOST,
             .unavailable = openblas_unavailable},
        .run = run_cpu_im2col,
        .depth = conv_depth_serial,
        .how = cpu_im2col_how,
    },
    {
        .rung = {.name = "naive",
                 .idea = "one thread per output, x along threadIdx.x: two loads per product"},
        .run = launch_conv_naive,
        .depth = conv_depth_serial,
        .takes_groups = true,
    },
    {
        .rung = {.name = "constant_filter",
                 .idea = "weights from constant memory, one load for a whole warp"},
        .run = launch_constant_filter,
        .depth = conv_depth_serial,
    },
    {
        .rung = {.name = "shared_tile",
                 .idea = "the inputs of 32 x 8 outputs in shared memory, with their halo"},
        .run = launch_conv_shared_tile,
        .depth = conv_depth_serial,
        .declines = declines_conv_shared_tile,
    },
    {
        .rung = {.name = "shared_filters",
                 .idea = "8 filters per thread, their weights in shared memory, too"},
        .run = launch_shared_filters,
        .depth = conv_depth_serial,
        .declines = declines_shared_filters,
    },
    {
        .rung = {.name = "register_tile",
                 .idea = "3x3: 4 x 2 outputs per thread, their inputs in registers for nine taps"},
        .run = launch_conv_register_tile,
        .depth = conv_depth_serial,
        .declines = declines_register_tile,
    },
    {
        .rung = {.name = "async_tile",
                 .idea = "3x3: the next channels are copied while these are multiplied"},
        .run = launch_async_tile,
        .depth = conv_depth_serial,
        .prepare = prepare_planned_copies,
        .declines = declines_register_tile,
    },
    {
        .rung = {.name = "planned_copies",
                 .idea = "3x3: a copy's address is computed once, for 16 bytes at a time"},
        .run = launch_planned_copies,
        .depth = conv_depth_serial,
        .prepare = prepare_planned_copies,
        .declines = declines_planned_copies,
    },
    {
        .rung = {.name = "direct",
                 .idea = "3x3: tiles as wide as the image allows, each for 8, 16 or 24 filters"},
        .run = launch_direct,
        .depth = conv_depth_serial,
        .prepare = prepare_direct,
        .declines = declines_direct,
    },
    {
        .rung =
            {.name = "winograd",
             .idea =
                 "3x3: Winograd's F(2x2, 3x3), 16 multiplications instead of 36, in one kernel"},
        .run = launch_winograd,
        .depth = winograd_depth,
        .prepare = prepare_winograd,
        .declines = declines_winograd,
        .magnitude = winograd_magnitude,
    },
    {
        .rung = {.name = "im2col",
                 .idea = "every output's inputs in a matrix, multiplied by the filters by 07's "
                         "async_copies"},
        .run = launch_im2col,
        .depth = conv_depth_serial,
    },
    {
        .rung =
            {.name = "implicit_gemm",
             .idea =
                 "the same product without the matrix: its elements are found by index arithmetic"},
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
                 .idea = "the next tiles are loaded while these are multiplied"},
        .run = launch_implicit_gemm_double,
        .depth = conv_depth_serial,
        .declines = declines_implicit_gemm,
    },
    {
        .rung = {.name = "implicit_gemm_table",
                 .idea = "a table of taps says where a row is, instead of index arithmetic"},
        .run = launch_implicit_gemm_table,
        .depth = conv_depth_serial,
        .prepare = prepare_one_tile,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "implicit_gemm_packed",
                 .idea = "weights in the order of use, 16 bytes at a time"},
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
                 .idea = "tiles for 32, 64 or 128 filters, as there are"},
        .run = launch_implicit_gemm_fitted,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .prepare = prepare_implicit_gemm_fitted,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "implicit_gemm_ordered",
                 .idea = "one tap and 16 channels at a time: one look at the table for 16 rows"},
        .run = launch_implicit_gemm_ordered,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .prepare = prepare_implicit_gemm_ordered,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "implicit_gemm_split",
                 .idea = "the sum divided among blocks where there are few tiles"},
        .run = launch_implicit_gemm_split,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .prepare = prepare_implicit_gemm_split,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "winograd_2x2",
                 .idea = "3x3: winograd in three kernels, its products as matrix products"},
        .run = launch_winograd_2x2,
        .depth = winograd_depth,
        .prepare = prepare_winograd_2x2,
        .declines = declines_winograd_2x2,
        .magnitude = winograd_magnitude,
    },
    {
        .rung = {.name = "winograd_4x4",
                 .idea = "3x3 and 5x5: tiles of 4 x 4, a quarter or a sixth of the products, in "
                         "separate kernels"},
        .run = launch_winograd_4x4,
        .depth = winograd4_depth,
        .prepare = prepare_winograd_4x4,
        .declines = declines_winograd_4x4,
        .magnitude = winograd4_magnitude,
        .rounds_whole_numbers = true,
    },
    {
        .rung = {.name = "winograd_fused",
                 .idea = "3x3: winograd_4x4 in one kernel, nothing between through memory"},
        .run = launch_winograd_fused,
        .depth = winograd4_depth,
        .prepare = prepare_winograd_fused,
        .declines = declines_winograd_fused,
        .magnitude = winograd4_magnitude,
        .rounds_whole_numbers = true,
    },
    {
        .rung = {.name = "tensor_3xtf32",
                 .idea = "3x3: tensor cores, each number as the sum of two TF32 numbers",
                 .needs_compute_capability = 80},
        .run = launch_tensor,
        .depth = depth_tensor,
        .prepare = prepare_tensor,
        .declines = declines_tensor,
    },
    {
        .rung = {.name = "implicit_3xtf32",
                 .idea = "any filter: the same, as a matrix product of warpgroups",
                 .needs_compute_capability = 90},
        .run = launch_implicit_3xtf32,
        .depth = depth_implicit_3xtf32,
        .takes_groups = true,
        .prepare = prepare_implicit_3xtf32,
        .declines = declines_gather,
    },
    {
        .rung = {.name = "winograd_3xtf32",
                 .idea = "3x3 and 5x5: winograd_4x4 with the products of implicit_3xtf32",
                 .needs_compute_capability = 90},
        .run = launch_winograd_3xtf32,
        .depth = winograd_3xtf32_depth,
        .prepare = prepare_winograd_3xtf32,
        .declines = declines_winograd_4x4,
        .magnitude = winograd4_magnitude,
        .rounds_whole_numbers = true,
    },
    {
        .rung = {.name = "grouped",
                 .idea = "groups, or one channel: 4 outputs per thread, one below the other"},
        .run = launch_grouped,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .declines = declines_grouped,
    },
    {
        .rung = {.name = "grouped_tile",
                 .idea = "groups, or one channel: 4 x 4 outputs per thread, 16 bytes at a time"},
        .run = launch_grouped_tile,
        .depth = conv_depth_serial,
        .takes_groups = true,
        .declines = declines_grouped,
    },
    {
        .rung = {.name = "any_shape",
                 .idea =
                     "for each problem the fastest of these without tensor cores, by estimates"},
        .run = launch_any_shape,
        .depth = depth_any_shape,
        .takes_groups = true,
        .prepare = prepare_any_shape,
        .declines = declines_any_shape,
        .magnitude = magnitude_any_shape,
        .rounds_whole_numbers = true,
        .how = how_any_shape,
    },
    {
        .rung = {.name = "any_shape_3xtf32",
                 .idea = "for each problem the fastest of all of these",
                 .needs_compute_capability = 90},
        .run = launch_any_shape_3xtf32,
        .depth = depth_any_shape_3xtf32,
        .takes_groups = true,
        .prepare = prepare_any_shape_3xtf32,
        .declines = declines_any_shape_3xtf32,
        .magnitude = magnitude_any_shape_3xtf32,
        .rounds_whole_numbers = true,
        .how = how_any_shape_3xtf32,
    },
    CUDNN_RUNG,
};

static const struct ladder ladder = {
    .idea = "2-D convolution: loops, tiles, matrix products, Winograd, tensor cores",
    .kind = &conv_kind,
    .back_end = &gpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&ladder};

const struct step step = {
    .name = "08_conv",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
