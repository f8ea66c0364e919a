/* The SIMD instructions that the compiler may use by itself: those of the processor that it
 * compiles for (-march). The answer may differ between files, so each one includes this header. */
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
