/* Step 07: memory that the top rungs need for partial sums, on each GPU that multiplies, allocated
 * once and kept. */
#ifndef RUNGS_07_WORKSPACE_H
#define RUNGS_07_WORKSPACE_H

#include <stddef.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of the current GPU, as is all that follows. Allocates it; for .prepare of a rung. */
void prepare_workspace(const struct gemm *call);

/* Room for partial sums: so many floats, at least those of two tiles of 128 x 256 for each
 * multiprocessor. */
float *workspace_parts(void);
static inline size_t workspace_floats(size_t multiprocessors)
{
    const size_t least = (size_t)1 << 23, tiles = 2 * 128 * 256 * multiprocessors;
    return tiles > least ? tiles : least;
}

/* WORKSPACE_FLAGS numbers, which are 0 between launches. */
enum { WORKSPACE_FLAGS = 4096 };
unsigned *workspace_flags(void);

/* Room for copies of operands; what was there is lost if a larger one is asked for. */
float *workspace_copy(size_t floats);

#ifdef __cplusplus
}
#endif

#endif
/* SPDX-License-Identifier: MIT */
