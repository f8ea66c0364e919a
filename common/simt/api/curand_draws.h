/* What a generator of cuRAND's draws. Pseudorandom numbers come from many sequences in turn: which
 * number is of which sequence is, with the seed, what a program's results depend on. */
#ifndef SIMT_CURAND_DRAWS_H
#define SIMT_CURAND_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/curand.h"

struct simt_draws {
    curandRngType_t type;
    bool legacy; /* its order: of fewer sequences */
    unsigned long long seed, offset;
    unsigned long long turn; /* outputs since the beginning */
    void *states;            /* of the sequences; NULL: not yet */
};

bool simt_draws_know(curandRngType_t type);
bool simt_draws_can_skip(curandRngType_t type);
/* False if there is no memory. */
bool simt_draws_prepare(struct simt_draws *draws);
void simt_draws_start_over(struct simt_draws *draws);

uint32_t simt_draw_bits(struct simt_draws *draws);
/* In (0, 1]. */
float simt_draw_float(struct simt_draws *draws);
double simt_draw_double(struct simt_draws *draws);
/* Two that one pair of normal numbers is made of. */
void simt_draw_floats(struct simt_draws *draws, float pair[2]);
void simt_draw_doubles(struct simt_draws *draws, double pair[2]);

/* ---- curand_sobol.c ---- */

enum { SIMT_SOBOL_DIMENSIONS = 64 };

/* One dimension of Sobol's sequence, of 64 bits; its upper 32 are the one of 32 bits. */
struct simt_sobol {
    uint64_t directions[64], index, value;
};
void simt_sobol_start(struct simt_sobol *sobol, unsigned int dimension, uint64_t index);
uint64_t simt_sobol_next(struct simt_sobol *sobol);

#endif
/* SPDX-License-Identifier: MIT */
