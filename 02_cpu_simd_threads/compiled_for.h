/* Which SIMD instructions the compiler may use of its own accord: those of the processor that it
 * was told to compile for, with -march or otherwise. Each file that includes this asks for
 * itself. */
#ifndef COMPILED_FOR_H
#define COMPILED_FOR_H

static inline const char *compiled_for(void)
{
#if defined(__AVX512F__)
    return "avx512";
#elif defined(__AVX2__)
    return "avx2";
#elif defined(__AVX__)
    return "avx";
#elif defined(__SSE2__)
    return "sse2";
#elif defined(__ARM_FEATURE_SVE)
    return "sve";
#elif defined(__ARM_NEON)
    return "neon";
#elif defined(__riscv_vector)
    return "rvv";
#else
    return "no known SIMD";
#endif
}

#endif
/* SPDX-License-Identifier: MIT */
