/* The raw outputs of a cuRAND generator. A generator draws from many pseudorandom sequences in
 * turn. Results depend on the seed, and on which sequence each output comes from. */
#ifndef SIMT_CURAND_DRAWS_H
#define SIMT_CURAND_DRAWS_H

#include <stdbool.h>
#include <stdint.h>

#include "cuda/curand.h"

struct simt_draws {
    curandRngType_t type;
    bool legacy; /* the legacy order; MRG32k3a: fewer sequences */
    unsigned long long seed, offset;
    unsigned long long turn; /* number of the next output */
    void *states;            /* states of the sequences; NULL before the first use */
};

bool simt_draws_know(curandRngType_t type);
bool simt_draws_can_skip(curandRngType_t type);
/* Creates the states. False if there is no memory. */
bool simt_draws_prepare(struct simt_draws *draws);
void simt_draws_start_over(struct simt_draws *draws);

uint32_t simt_draw_bits(struct simt_draws *draws);
/* The result is in (0, 1]. */
float simt_draw_float(struct simt_draws *draws);
double simt_draw_double(struct simt_draws *draws);
/* Two numbers, for one pair of normal numbers. */
void simt_draw_floats(struct simt_draws *draws, float pair[2]);
void simt_draw_doubles(struct simt_draws *draws, double pair[2]);

/* ---- curand_sobol.c ---- */

enum { SIMT_SOBOL_DIMENSIONS = 64 };

/* One dimension of Sobol's sequence, in 64 bits. The upper 32 bits are the 32-bit sequence. */
struct simt_sobol {
    uint64_t directions[64], index, value;
};
void simt_sobol_start(struct simt_sobol *sobol, unsigned int dimension, uint64_t index);
uint64_t simt_sobol_next(struct simt_sobol *sobol);

#endif
/* SPDX-License-Identifier: MIT */
