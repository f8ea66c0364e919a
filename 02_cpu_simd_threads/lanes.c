/* Step 02, rung `lanes`: SIMD by the compiler. */
#include <stdio.h>

#include "problem/reduction/reduction.h"
#include "vector.h"

#define REDUCE_LOOPS "lanes_loops.h"
#include "problem/reduction/reduce_each.h"

void run_lanes(const struct reduction *call)
{
    REDUCE_CALL(lanes, call);
}

const char *compiler_simd_name(void)
{
#if defined(__AVX512F__)
    return "avx512";
#elif defined(__AVX2__)
    return "avx2";
#elif defined(__SSE2__)
    return "sse2";
#elif defined(__ARM_NEON)
    return "neon";
#else
    return "compiler's choice";
#endif
}

void how_lanes(const struct reduction *call, char text[RUNG_HOW_SIZE])
{
    (void)call;
    snprintf(text, RUNG_HOW_SIZE, "%s", compiler_simd_name());
}
