/* Step 02, rung `vector`: SIMD by hand, with the widest instructions that the machine turns out to
 * have when the program starts. */
#include "vector.h"

#include <stdio.h>

#include "problem/reduction/reduction.h"

struct instruction_set {
    const char *name;
    vector_function *reduce;
};

static struct instruction_set find_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return (struct instruction_set){"avx512", vector_avx512};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (struct instruction_set){"avx2", vector_avx2};
#elif defined(__aarch64__)
    return (struct instruction_set){"neon", vector_neon};
#endif
    return (struct instruction_set){"scalar", vector_scalar};
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

void vector_reduce(const struct reduction *call, size_t first, size_t count, void *result)
{
    const size_t a_size = call->type == TYPE_F64 ? sizeof(double) : sizeof(float);
    const size_t b_size = call->type == TYPE_MIXED ? 1 : a_size;
    struct reduction share = *call;

    share.a = (const char *)call->a + first * a_size;
    if (call->b != NULL)
        share.b = (const char *)call->b + first * b_size;
    share.n = count;
    share.result = result;
    best.reduce(&share);
}

/* Better than the compiler's SIMD: registers as wide as this CPU has them, and several of them.
 * Still bad: one processor of several. */
void run_vector(const struct reduction *call)
{
    best.reduce(call);
}

void how_vector(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "%s", vector_name());
}

/* A lane's own terms (the narrowest registers hold one, and there are four or eight), the
 * registers, the lanes, the tail. */
double depth_vector(const struct reduction *call)
{
    return (double)(call->n / 4 + 4) + 3 + 4 + 16;
}
