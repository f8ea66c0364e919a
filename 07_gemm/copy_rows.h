/* Step 07: copies of matrices whose rows are aligned, as vector loads and the TMA need them. */
#ifndef RUNGS_07_COPY_ROWS_H
#define RUNGS_07_COPY_ROWS_H

#include <stddef.h>

#include "problem/gemm/gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a copy of a matrix of rows x columns floats, whose rows are *leading floats apart, to
 * rows that start at multiples of 16 bytes; sets *leading to theirs, and returns `to`, which starts
 * at such a multiple. */
const float *copy_to_aligned_rows(const struct gemm *call, const float *from, size_t *leading,
                                  size_t rows, size_t columns, float *to);

#ifdef __cplusplus
}
#endif

#endif
