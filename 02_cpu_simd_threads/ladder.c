/* Step 02: the table of its rungs. Everything else (options, inputs, verification, timing, report)
 * is in common/. */
#include "ladder.h"

#include "library/openblas.h"
#include "run/step.h"
#include "shares.h"
#include "vector.h"

static const struct reduction_rung rungs[] = {
    {
        .rung = {.name = "lanes", .idea = "the compiler's SIMD: omp simd reduction and restrict"},
        .run = run_lanes,
        .depth = depth_serial,
        .how = how_lanes,
    },
    {
        .rung = {.name = "one_register",
                 .idea = "SIMD by hand: the widest registers that this CPU has, one of them"},
        .run = run_one_register,
        .depth = depth_one_register,
        .how = how_vector,
    },
    {
        .rung = {.name = "vector",
                 .idea = "several registers: additions that do not wait for each other"},
        .run = run_vector,
        .depth = depth_vector,
        .how = how_vector,
    },
    {
        .rung = {.name = "race",
                 .idea = "threads that all add to the result: updates are lost",
                 .flags = RUNG_LESSON},
        .run = run_race,
        .depth = depth_serial,
        .how = how_threads,
    },
    {
        .rung = {.name = "lock",
                 .idea = "a lock around each addition",
                 .flags = RUNG_NONDETERMINISTIC},
        .run = run_lock,
        .depth = depth_serial,
        .how = how_threads,
    },
    {
        .rung = {.name = "atomic",
                 .idea = "an atomic addition: compare-and-swap",
                 .flags = RUNG_NONDETERMINISTIC},
        .run = run_atomic,
        .depth = depth_serial,
        .how = how_threads,
    },
    {
        .rung = {.name = "adjacent",
                 .idea = "an atomic for each thread, side by side: false sharing"},
        .run = run_adjacent,
        .depth = depth_partials,
        .how = how_threads,
    },
    {
        .rung = {.name = "adjacent_plain",
                 .idea = "a plain sum for each thread, side by side: stores wait in a buffer"},
        .run = run_adjacent_plain,
        .depth = depth_partials,
        .how = how_threads,
    },
    {
        .rung = {.name = "padded",
                 .idea = "an atomic for each thread, in cache lines of their own"},
        .run = run_padded,
        .depth = depth_partials,
        .how = how_threads,
    },
    {
        .rung = {.name = "local", .idea = "each thread adds up in a register"},
        .run = run_local,
        .depth = depth_partials,
        .how = how_threads,
    },
    {
        .rung = {.name = "openmp",
                 .idea = "one OpenMP line, parallel for reduction: threads that are kept",
                 .flags = RUNG_NONDETERMINISTIC /* with three threads or more */,
                 .unavailable = openmp_unavailable},
        .run = run_openmp,
        .depth = depth_partials,
        .how = how_threads,
    },
    {
        .rung = {.name = "openmp_simd",
                 .idea = "one word more: parallel for simd reduction",
                 .flags = RUNG_NONDETERMINISTIC,
                 .unavailable = openmp_unavailable},
        .run = run_openmp_simd,
        .depth = depth_partials,
        .how = how_openmp_simd,
    },
    {
        .rung = {.name = "openmp_vector",
                 .idea = "the vector loop on OpenMP's threads",
                 .unavailable = openmp_unavailable},
        .run = run_openmp_vector,
        .depth = depth_vector_partials,
        .how = how_pool,
    },
    {
        .rung = {.name = "pool",
                 .idea = "the same on threads of our own, each bound to a processor"},
        .run = run_pool,
        .depth = depth_vector_partials,
        .how = how_pool,
    },
    {
        .rung = {.name = "simd_threads", .idea = "the pool, but one thread where that is faster"},
        .run = run_simd_threads,
        .depth = depth_vector_partials,
        .how = how_simd_threads,
    },
    {
        .rung = {.name = "first_touch",
                 .idea = "the same on memory that each thread was the first to write"},
        .run = run_first_touch,
        .depth = depth_vector_partials,
        .how = how_simd_threads,
        .prepare = prepare_first_touch,
    },
    {
        .rung = {.name = "openblas",
                 .idea = "the library, on the number of threads that suits it best",
                 .flags = RUNG_LIBRARY,
                 .unavailable = openblas_unavailable},
        .run = openblas_reduce,
        .depth = openblas_depth,
        .how = openblas_how,
        .prepare = openblas_prepare,
        .declines = openblas_declines,
    },
};

static const struct ladder ladder = {
    .idea = "Reduction with SIMD lanes and threads on the CPU",
    .kind = &reduction_kind,
    .back_end = &cpu_back_end,
    LADDER_RUNGS(rungs),
};

static const struct ladder *const ladders[] = {&ladder};

const struct step step = {
    .name = "02_cpu_simd_threads",
    .ladders = ladders,
    .ladder_count = sizeof ladders / sizeof ladders[0],
};
/* SPDX-License-Identifier: MIT */
