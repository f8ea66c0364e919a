/* Step 07, the first rungs: a block of TILE x TILE threads computes a tile of C of that size, in
 * tile column blockIdx.x and tile row blockIdx.y. */
#ifndef RUNGS_07_BANDS_CUH
#define RUNGS_07_BANDS_CUH

#include "parts/matrix.cuh"
#include "rungs.h"

static const unsigned TILE = 32;

/* CUDA's limit for gridDim.y. The limit for gridDim.x is 2^31 - 1, more tiles than any memory can
 * hold. */
static const size_t MAX_GRID_Y = 65535;

/* The product of the rows from first_row on, at most the number that one grid can compute. */
static struct gemm band_of(const struct gemm *call, size_t first_row)
{
    const size_t rows = call->m - first_row;
    struct gemm band = *call;

    band.m = rows < MAX_GRID_Y * TILE ? rows : MAX_GRID_Y * TILE;
    band.a += first_row * call->lda;
    band.c += first_row * call->ldc;
    return band;
}

static dim3 tiles_of(const struct gemm *call)
{
    return dim3((unsigned)((call->n + TILE - 1) / TILE), (unsigned)((call->m + TILE - 1) / TILE));
}

#endif
/* SPDX-License-Identifier: MIT */
