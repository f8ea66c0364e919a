/* Step 02: its ladder. Everything else (options, inputs, verification, timing, report) is in common/. */
#include "library/openblas.h"
#include "problem/reduction/reduction.h"
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

static const struct reduction_rung rungs[] = {
    {
        .rung = {"lanes", "the compiler's SIMD: omp simd reduction and restrict"},
        .run = run_lanes,
        .depth = depth_serial,
        .how = how_lanes,
    },
    {
        .rung = {"vector",
                 "SIMD by hand, the widest this CPU has, several registers of partial results"},
        .run = run_vector,
        .depth = depth_vector,
        .how = how_vector,
    },
    {
        .rung = {"race", "threads that all add to the result: updates are lost",
                 .flags = RUNG_LESSON},
        .run = run_race,
        .depth = depth_serial,
        .how = how_threads,
    },
    {
        .rung = {"lock", "a lock around each addition", .flags = RUNG_NONDETERMINISTIC},
        .run = run_lock,
        .depth = depth_serial,
        .how = how_threads,
    },
    {
        .rung = {"atomic", "an atomic addition: compare-and-swap", .flags = RUNG_NONDETERMINISTIC},
        .run = run_atomic,
        .depth = depth_serial,
        .how = how_threads,
    },
    {
        .rung = {"adjacent", "an atomic for each thread, side by side: false sharing"},
        .run = run_adjacent,
        .depth = depth_partials,
        .how = how_threads,
    },
    {
        .rung = {"padded", "an atomic for each thread, in cache lines of their own"},
        .run = run_padded,
        .depth = depth_partials,
        .how = how_threads,
    },
    {
        .rung = {"local", "each thread adds up in a register"},
        .run = run_local,
        .depth = depth_partials,
        .how = how_threads,
    },
    {
        .rung = {"openmp", "one OpenMP line: parallel for simd reduction",
                 .flags = RUNG_NONDETERMINISTIC /* from three threads on */,
                 .unavailable = openmp_unavailable},
        .run = run_openmp,
        .depth = depth_partials,
        .how = how_openmp,
    },
    {
        .rung = {"pool", "the vector loop on bound threads that wait for work"},
        .run = run_pool,
        .depth = depth_pool,
        .how = how_pool,
    },
    {
        .rung = {"first_touch", "the same on memory that each thread was the first to write"},
        .run = run_first_touch,
        .depth = depth_pool,
        .how = how_pool,
        .prepare = prepare_first_touch,
    },
    {
        .rung = {"simd_threads", "the pool, but one thread where that is faster"},
        .run = run_top,
        .depth = depth_pool,
        .how = how_top,
    },
    {
        .rung = {"openblas", "the library, as many threads as it likes up to --threads",
                 .flags = RUNG_LIBRARY, .unavailable = openblas_unavailable},
        .run = openblas_reduce,
        .depth = openblas_depth,
        .how = openblas_how,
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
