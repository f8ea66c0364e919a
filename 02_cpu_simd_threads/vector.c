/* Step 02, rungs `one_register` and `vector`: SIMD by hand, with the widest instructions that the
 * machine turns out to have when the program starts. */
#include "vector.h"

#include <stdbool.h>
#include <stdio.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "ladder.h"

struct instruction_set {
    const char *name;
    vector_function *one_register, *vector;
};

#if defined(__x86_64__)
/* F16C: every CPU with AVX2 has it, but older compilers' __builtin_cpu_supports knows no name. */
static bool converts_halfs(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

static struct instruction_set find_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return (struct instruction_set){"avx512", one_register_avx512, vector_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && converts_halfs())
        return (struct instruction_set){"avx2", one_register_avx2, vector_avx2};
#elif defined(__aarch64__)
    return (struct instruction_set){"neon", one_register_neon, vector_neon};
#endif
    return (struct instruction_set){"scalar", one_register_scalar, vector_scalar};
}

/* Looked up once, before main: the threads of other rungs find it there. */
static struct instruction_set best;

__attribute__((constructor)) static void choose(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    best = find_best();
}

const char *vector_name(void)
{
    return best.name;
}

void run_one_register(const struct reduction *call)
{
    best.one_register(call);
}

void run_vector(const struct reduction *call)
{
    best.vector(call);
}

void how_vector(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "%s", vector_name());
}

/* A lane's own terms (`scalar` has one lane), the lanes, the tail. */
double depth_one_register(const struct reduction *call)
{
    return (double)call->n + 4 + 16;
}

/* A lane's own terms (the narrowest registers hold one, and there are four or eight), the
 * registers, the lanes, the tail. */
double depth_vector(const struct reduction *call)
{
    return (double)(call->n / 4 + 4) + 3 + 4 + 16;
}
