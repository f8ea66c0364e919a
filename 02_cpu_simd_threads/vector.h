/* The instruction sets of the rungs `one_register` and `vector`. Each has a file of its own,
 * because a function compiled for a set may run only on a CPU that has it. */
#ifndef VECTOR_H
#define VECTOR_H

#include <stdbool.h>

#include "problem/reduction/reduction.h"

/* The instruction set in use: "avx512", "avx2", "neon" or "scalar". */
const char *vector_name(void);

/* The rungs, on the calling thread, with the best instruction set of this machine. */
void run_one_register(const struct reduction *call);
void run_vector(const struct reduction *call);

/* How often a term is rounded, at most, with any instruction set. */
double depth_one_register(const struct reduction *call);
double depth_vector(const struct reduction *call);

/* The rungs for one instruction set, whether or not this machine has it. A function is defined only
 * if it was compiled. */
typedef void vector_function(const struct reduction *call);
vector_function one_register_avx512, one_register_avx2, one_register_neon, one_register_scalar;
vector_function vector_avx512, vector_avx2, vector_neon, vector_scalar;

/* The sets that were compiled, the widest first. The last entry has no name. */
struct instruction_set {
    const char *name;
    bool (*is_here)(void); /* true if this machine has it */
    vector_function *one_register, *vector;
};
extern const struct instruction_set vector_sets[];

#endif
/* SPDX-License-Identifier: MIT */
