/* Step 07, bfloat16: a model of how long each way takes, in cycles (1,586 per microsecond).
 * cycles.c in this folder says which measurements its values come from. */
#ifndef RUNGS_07_BF16_CYCLES_H
#define RUNGS_07_BF16_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "any_shape/bfloat16/plan.h"
#include "problem/gemm/gemm.h"

/* Matrices of at most this many bytes stay in L2 from one product to the next. */
#define BF16_IN_L2 40e6

/* Whether the TMA can read or write a matrix whose rows are `leading` elements apart. */
static inline bool bf16_tma_takes(const uint16_t *matrix, size_t leading)
{
    return (uintptr_t)matrix % 16 == 0 && leading % 8 == 0;
}

/* The number of k-steps, of 64 terms each. */
size_t bf16_steps_of(const struct gemm *call);

/* The cycles with tiles of BF16_TILE_64 to BF16_TILE_256, and k in `splits` parts. */
double bf16_cycles_of(const struct gemm *call, unsigned way, unsigned splits);

/* The cycles with BF16_STREAM_K. */
double bf16_cycles_if_stream_k(const struct gemm *call);

#endif
/* SPDX-License-Identifier: MIT */
