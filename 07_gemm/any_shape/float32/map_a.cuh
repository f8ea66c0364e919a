/* Step 07: the TMA's description of A as it lies, for tiles of 32 floats by so many rows, with the
 * 128-byte swizzle. */
#ifndef RUNGS_07_TENSOR_A_CUH
#define RUNGS_07_TENSOR_A_CUH

#include "kernel/tma.cuh"
#include "problem/gemm/gemm.h"

static inline CUtensorMap describe_a(const struct gemm *call, unsigned rows)
{
    const struct mapped_matrix a = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                    sizeof(float),
                                    call->a,
                                    call->m,
                                    call->k,
                                    call->lda,
                                    rows,
                                    32};

    return map_matrix(&a);
}

#endif
/* SPDX-License-Identifier: MIT */
