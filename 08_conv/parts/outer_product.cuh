/* Functions for kernels that multiply tiles. */
#ifndef RUNGS_OUTER_PRODUCT_CUH
#define RUNGS_OUTER_PRODUCT_CUH

#include <cuda_runtime.h>

/* Loads four floats at once, from an address that is a multiple of 16. */
static __device__ inline void load4(float *to, const float *from)
{
    const float4 four = *(const float4 *)from;
    to[0] = four.x;
    to[1] = four.y;
    to[2] = four.z;
    to[3] = four.w;
}

/* sums += column * row: ROWS x COLUMNS products from ROWS + COLUMNS numbers in registers. */
template <unsigned ROWS, unsigned COLUMNS>
static __device__ inline void add_outer_product(float (&sums)[ROWS][COLUMNS],
                                                const float (&column)[ROWS],
                                                const float (&row)[COLUMNS])
{
#pragma unroll
    for (unsigned i = 0; i < ROWS; i++)
#pragma unroll
        for (unsigned j = 0; j < COLUMNS; j++)
            sums[i][j] += column[i] * row[j];
}

#endif
/* SPDX-License-Identifier: MIT */
