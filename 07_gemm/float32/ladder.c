/* Step 07: the ladder in float32, without tensor cores. */
#include "ladders.h"
#include "parts/workspace.h"
#include "rungs.h"

static const struct gemm_rung rungs[] = {
    {
        .rung = {.name = "naive_rows",
                 .idea = "one thread per element, threadIdx.x is the row: loads are not coalesced"},
        .run = launch_naive_rows,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "naive",
                 .idea = "threadIdx.x is the column: coalesced, two loads per product"},
        .run = launch_naive,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "shared_tile",
                 .idea = "32 x 32 tiles of A and B in shared memory: a 32nd of the global loads"},
        .run = launch_shared_tile,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "register_column",
                 .idea = "8 elements of a column per thread: an element of B in a register serves "
                         "8 products"},
        .run = launch_register_column,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "register_tile",
                 .idea = "8 x 8 elements per thread: 16 loads from shared memory for 64 products"},
        .run = launch_register_tile,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "transposed",
                 .idea = "tiles of A are stored transposed: a thread's elements are neighbours"},
        .run = launch_transposed,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "vectorized",
                 .idea = "16-byte loads and stores: a quarter of the instructions"},
        .run = launch_vectorized,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "warp_tile",
                 .idea = "32 x 64 elements per warp, lanes in 4 rows of 8: no bank conflicts"},
        .run = launch_warp_tile,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "double_buffered",
                 .idea =
                     "the next tiles are loaded while these are multiplied: one barrier per step"},
        .run = launch_double_buffered,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "async_copies",
                 .idea = "cp.async directly to shared memory, three steps ahead"},
        .run = launch_async_copies,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "wide_tile",
                 .idea = "8 x 16 elements per thread: 24 loads from shared memory for 128 products",
                 .needs_compute_capability = 80},
        .run = launch_wide_tile,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "producer_warps",
                 .idea =
                     "warp specialization: 4 warps copy tiles to a ring of mbarriers, 8 multiply",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_producer_warps,
        .declines = declines_producer_warps,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "tensor_copies",
                 .idea = "the TMA copies the tiles of B",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_tensor_copies,
        .declines = declines_tensor_copies,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "specialized",
                 .idea = "setmaxnreg: the producers release registers, which the consumers take",
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_specialized,
        .declines = declines_tensor_copies,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "to_and_fro",
                 .idea = "serpentine order: a multiply-add shares an operand with the one before",
                 .flags = RUNG_SIDE,
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_to_and_fro,
        .declines = declines_tensor_copies,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "overlapped",
                 .idea =
                     "programmatic dependent launch: the next launch starts while this one ends",
                 .flags = RUNG_SIDE,
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_overlapped,
        .declines = declines_tensor_copies,
        .depth = gemm_depth_serial,
    },
    {
        .rung = {.name = "stream_k",
                 .idea =
                     "stream-K: all multiprocessors share the steps along k of all tiles equally",
                 .flags = RUNG_SIDE,
                 .needs_compute_capability = 90,
                 .unavailable = hopper_unavailable},
        .run = launch_stream_k,
        .declines = declines_tensor_copies,
        .depth = gemm_depth_serial,
        .prepare = prepare_workspace,
    },
};

const struct climb float32_ladder = {
    .name = "float32",
    .idea = "tiles in shared memory, in registers, copies in flight, warps with roles",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
