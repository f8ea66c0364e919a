/* The instruction sets that the rungs `one_register` and `vector` are written for; each in a
 * file of its own, since a function compiled for one may only run where the CPU has it. */
#ifndef VECTOR_H
#define VECTOR_H

#include <stdbool.h>

#include "problem/reduction/reduction.h"

/* What this machine runs: "avx512", "avx2", "neon" or "scalar". */
const char *vector_name(void);

/* The rungs, by the best instruction set of this machine, on the calling thread. */
void run_one_register(const struct reduction *call);
void run_vector(const struct reduction *call);

/* Roundings on the way of a term, whatever the instruction set. */
double depth_one_register(const struct reduction *call);
double depth_vector(const struct reduction *call);

/* The same by one instruction set, whether or not this machine has it. Not defined where it was not
 * compiled. */
typedef void vector_function(const struct reduction *call);
vector_function one_register_avx512, one_register_avx2, one_register_neon, one_register_scalar;
vector_function vector_avx512, vector_avx2, vector_neon, vector_scalar;

/* What the program was compiled with, the widest first; the last has no name. */
struct instruction_set {
    const char *name;
    bool (*is_here)(void); /* whether this machine has it */
    vector_function *one_register, *vector;
};
extern const struct instruction_set vector_sets[];

#endif
/* SPDX-License-Identifier: MIT */
