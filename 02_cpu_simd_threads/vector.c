/* Step 02, rungs `one_register` and `vector`: SIMD by hand. At its start the program chooses the
 * widest instructions that the machine has. */
#include "vector.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/error.h"
#include "ladder.h"

#if defined(__x86_64__)
/* Every CPU with AVX2 has F16C, but older compilers' __builtin_cpu_supports lacks the name. */
static bool converts_halfs(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_halfs();
}
#endif

static bool always(void)
{
    return true;
}

const struct instruction_set vector_sets[] = {
#if defined(__x86_64__)
    {"avx512", has_avx512, one_register_avx512, vector_avx512},
    {"avx2", has_avx2, one_register_avx2, vector_avx2},
#elif defined(__aarch64__)
    {"neon", always, one_register_neon, vector_neon},
#endif
    {"scalar", always, one_register_scalar, vector_scalar},
    {NULL, NULL, NULL, NULL},
};

/* The first set that this machine has or, if RUNGS_SIMD names one, that set. */
static const struct instruction_set *find(const char *named)
{
    const struct instruction_set *set;

    for (set = vector_sets; set->name != NULL; set++)
        if ((named == NULL || strcmp(named, set->name) == 0) && set->is_here())
            return set;
    fprintf(stderr, "RUNGS_SIMD '%s': this CPU has no such instructions; choose one of:", named);
    for (set = vector_sets; set->name != NULL; set++)
        if (set->is_here())
            fprintf(stderr, " %s", set->name);
    fputc('\n', stderr);
    exit(EXIT_BAD_USAGE);
}

/* Chosen once, before main, so threads of other rungs only read it. */
static const struct instruction_set *best;

__attribute__((constructor)) static void choose(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    best = find(getenv("RUNGS_SIMD"));
}

const char *vector_name(void)
{
    return best->name;
}

void run_one_register(const struct reduction *call)
{
    best->one_register(call);
}

void run_vector(const struct reduction *call)
{
    best->vector(call);
}

void how_vector(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "%s", vector_name());
}

/* A lane's own terms (`scalar` has one lane), then the lanes, then the tail. */
double depth_one_register(const struct reduction *call)
{
    return (double)call->n + 4 + 16;
}

/* A lane's own terms (`scalar` has one lane per register, and four or eight registers), then the
 * registers, then the lanes, then the tail. */
double depth_vector(const struct reduction *call)
{
    return (double)(call->n / 4 + 4) + 3 + 4 + 16;
}
/* SPDX-License-Identifier: MIT */
