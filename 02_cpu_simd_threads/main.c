/* Step 02: the table of rungs. Everything else is rungs_main's, in common/. */
#include "ladder.h"
#include "library/openblas.h"
#include "shares.h"
#include "vector.h"

static const struct rung rungs[] = {
    {
        .name = "lanes",
        .idea = "the compiler's SIMD: omp simd reduction and restrict",
        .run.reduce = run_lanes,
        .depth.reduce = depth_serial,
        .how.reduce = how_lanes,
    },
    {
        .name = "one_register",
        .idea = "SIMD by hand: the widest registers that this CPU has, one of them",
        .run.reduce = run_one_register,
        .depth.reduce = depth_one_register,
        .how.reduce = how_vector,
    },
    {
        .name = "vector",
        .idea = "several registers: additions that do not wait for each other",
        .run.reduce = run_vector,
        .depth.reduce = depth_vector,
        .how.reduce = how_vector,
    },
    {
        .name = "race",
        .idea = "threads that all add to the result: updates are lost",
        .run.reduce = run_race,
        .depth.reduce = depth_serial,
        .how.reduce = how_threads,
        .flags = RUNG_LESSON,
    },
    {
        .name = "lock",
        .idea = "a lock around each addition",
        .run.reduce = run_lock,
        .depth.reduce = depth_serial,
        .how.reduce = how_threads,
        .flags = RUNG_NONDETERMINISTIC,
    },
    {
        .name = "atomic",
        .idea = "an atomic addition: compare-and-swap",
        .run.reduce = run_atomic,
        .depth.reduce = depth_serial,
        .how.reduce = how_threads,
        .flags = RUNG_NONDETERMINISTIC,
    },
    {
        .name = "adjacent",
        .idea = "an atomic for each thread, side by side: false sharing",
        .run.reduce = run_adjacent,
        .depth.reduce = depth_partials,
        .how.reduce = how_threads,
    },
    {
        .name = "padded",
        .idea = "an atomic for each thread, in cache lines of their own",
        .run.reduce = run_padded,
        .depth.reduce = depth_partials,
        .how.reduce = how_threads,
    },
    {
        .name = "local",
        .idea = "each thread adds up in a register",
        .run.reduce = run_local,
        .depth.reduce = depth_partials,
        .how.reduce = how_threads,
    },
    {
        .name = "openmp",
        .idea = "one OpenMP line, parallel for reduction: threads that are kept",
        .run.reduce = run_openmp,
        .depth.reduce = depth_partials,
        .how.reduce = how_threads,
        .flags = RUNG_NONDETERMINISTIC, /* from three threads on */
        .unavailable = openmp_unavailable,
    },
    {
        .name = "openmp_simd",
        .idea = "one word more: parallel for simd reduction",
        .run.reduce = run_openmp_simd,
        .depth.reduce = depth_partials,
        .how.reduce = how_openmp_simd,
        .flags = RUNG_NONDETERMINISTIC,
        .unavailable = openmp_unavailable,
    },
    {
        .name = "openmp_vector",
        .idea = "the vector loop on OpenMP's threads",
        .run.reduce = run_openmp_vector,
        .depth.reduce = depth_vector_partials,
        .how.reduce = how_pool,
        .unavailable = openmp_unavailable,
    },
    {
        .name = "pool",
        .idea = "the same on threads of our own, each bound to a processor",
        .run.reduce = run_pool,
        .depth.reduce = depth_vector_partials,
        .how.reduce = how_pool,
    },
    {
        .name = "simd_threads",
        .idea = "the pool, but one thread where that is faster",
        .run.reduce = run_simd_threads,
        .depth.reduce = depth_vector_partials,
        .how.reduce = how_simd_threads,
    },
    {
        .name = "first_touch",
        .idea = "the same on memory that each thread was the first to write",
        .run.reduce = run_first_touch,
        .depth.reduce = depth_vector_partials,
        .how.reduce = how_simd_threads,
        .prepare.reduce = prepare_first_touch,
    },
    {
        .name = "openblas",
        .idea = "the library, as many threads as it likes up to --threads",
        .run.reduce = openblas_reduce,
        .depth.reduce = openblas_depth,
        .how.reduce = openblas_how,
        .flags = RUNG_LIBRARY,
        .unavailable = openblas_unavailable,
    },
};

const struct step step = {
    .name = "02_cpu_simd_threads",
    .idea = "Reduction with SIMD lanes and threads on the CPU",
    .family = &reduction_family,
    .back_end = &cpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
