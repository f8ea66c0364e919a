/* The instruction sets that the rung `vector` is written for; each in a file of its own, since a
 * function compiled for one may only run where the CPU has it. */
#ifndef VECTOR_H
#define VECTOR_H

#include <stddef.h>

#include "problem/reduction/reduction.h"

/* What this machine runs: "avx512", "avx2", "neon" or "scalar". */
const char *vector_name(void);

/* The SIMD instructions that the compiler may use by itself in this build. */
const char *compiler_simd_name(void);

/* Reduces elements `first` to `first + count - 1` of call's input on the calling thread, into
 * *result (float, or double for TYPE_F64). */
void vector_reduce(const struct reduction *call, size_t first, size_t count, void *result);

/* The whole of call, with the best instruction set of this machine: the rung `vector`. */
void run_vector(const struct reduction *call);

/* The same by one instruction set, whether or not this machine has it. NULL where it was not
 * compiled. */
typedef void vector_function(const struct reduction *call);
vector_function vector_avx512, vector_avx2, vector_neon, vector_scalar;

#endif
