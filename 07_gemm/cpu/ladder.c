/* Step 07: the ladder on the CPU, up to the vendor's library. */
#include "cpu/cpu.h"
#include "ladders.h"
#include "library/openblas.h"

static const struct gemm_rung rungs[] = {
    {
        .rung = {.name = "cpu_naive",
                 .idea = "one CPU thread, loops i, j, p: walks down the columns of B",
                 .flags = RUNG_HOST},
        .run = run_cpu_naive,
        .depth = gemm_depth_serial,
        .most_products = 0x1p27, /* about half a second */
    },
    {
        .rung = {.name = "cpu_rows",
                 .idea = "one CPU thread, loops i, p, j: walks along the rows of B, in vectors",
                 .flags = RUNG_HOST},
        .run = run_cpu_rows,
        .depth = gemm_depth_serial,
        .most_products = 0x1p29,
    },
    {
        .rung = {.name = "cpu_blocked",
                 .idea = "one CPU thread, a block of B stays in the cache for 64 rows",
                 .flags = RUNG_HOST},
        .run = run_cpu_blocked,
        .depth = gemm_depth_serial,
        .most_products = 0x1p32,
    },
    {
        .rung = {.name = "cpu_vectors",
                 .idea = "the same loops by this machine's widest vectors and multiply-adds",
                 .flags = RUNG_HOST},
        .run = run_cpu_vectors,
        .depth = gemm_depth_serial,
        .how = how_cpu_tile,
        .most_products = 0x1p32,
    },
    {
        .rung = {.name = "cpu_register_tile",
                 .idea = "a tile of C stays in vector registers: few loads per product, no stores",
                 .flags = RUNG_HOST},
        .run = run_cpu_register_tile,
        .depth = gemm_depth_serial,
        .how = how_cpu_tile,
        .most_products = 0x1p33,
    },
    {
        .rung = {.name = "cpu_packed",
                 .idea = "blocks of A and B for the caches, copied into the order of their use",
                 .flags = RUNG_HOST},
        .run = run_cpu_packed,
        .depth = depth_cpu_packed,
        .how = how_cpu_tile,
        .prepare = prepare_cpu_packed,
        .most_products = 0x1p34,
    },
    {
        .rung = {.name = "cpu_threads",
                 .idea = "all cores: they pack B together and share the rows of C",
                 .flags = RUNG_HOST},
        .run = run_cpu_threads,
        .depth = depth_cpu_packed,
        .how = how_cpu_threads,
        .prepare = prepare_cpu_threads,
    },
    OPENBLAS_GEMM_RUNG,
};

const struct climb cpu_ladder = {
    .name = "cpu",
    .idea = "one CPU thread, vectors, blocks for the caches, all cores",
    LADDER_RUNGS(rungs),
};
/* SPDX-License-Identifier: MIT */
