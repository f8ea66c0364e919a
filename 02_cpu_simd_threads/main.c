/* Step 02: the table of rungs. Everything else is rungs_main's, in common/. */
#include "library/openblas.h"
#include "run/step.h"

void run_lanes(const struct reduction *call);
void run_vector(const struct reduction *call);
void run_race(const struct reduction *call);
void run_lock(const struct reduction *call);
void run_atomic(const struct reduction *call);
void run_adjacent(const struct reduction *call);
void run_padded(const struct reduction *call);
void run_local(const struct reduction *call);
void run_openmp(const struct reduction *call);
void run_pool(const struct reduction *call);
void run_first_touch(const struct reduction *call);
void run_top(const struct reduction *call);

void prepare_first_touch(const struct reduction *call);
const char *openmp_unavailable(void);

double depth_vector(const struct reduction *call);
double depth_partials(const struct reduction *call);
double depth_pool(const struct reduction *call);

void how_lanes(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_vector(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_threads(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_openmp(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_pool(const struct reduction *call, char text[RUNG_HOW_SIZE]);
void how_top(const struct reduction *call, char text[RUNG_HOW_SIZE]);

static const struct rung rungs[] = {
    {
        .name = "lanes",
        .idea = "the compiler's SIMD: omp simd reduction and restrict",
        .run.reduce = run_lanes,
        .depth.reduce = depth_serial,
        .how.reduce = how_lanes,
    },
    {
        .name = "vector",
        .idea = "SIMD by hand, the widest this CPU has, several registers of partial results",
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
        .idea = "one OpenMP line: parallel for simd reduction",
        .run.reduce = run_openmp,
        .depth.reduce = depth_partials,
        .how.reduce = how_openmp,
        .flags = RUNG_NONDETERMINISTIC, /* from three threads on */
        .unavailable = openmp_unavailable,
    },
    {
        .name = "pool",
        .idea = "the vector loop on bound threads that wait for work",
        .run.reduce = run_pool,
        .depth.reduce = depth_pool,
        .how.reduce = how_pool,
    },
    {
        .name = "first_touch",
        .idea = "the same on memory that each thread was the first to write",
        .run.reduce = run_first_touch,
        .depth.reduce = depth_pool,
        .how.reduce = how_pool,
        .prepare.reduce = prepare_first_touch,
    },
    {
        .name = "simd_threads",
        .idea = "the pool, but one thread where that is faster",
        .run.reduce = run_top,
        .depth.reduce = depth_pool,
        .how.reduce = how_top,
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
