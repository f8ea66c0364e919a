/* Step 07: the TMA's description of B. */
#ifndef RUNGS_07_TENSOR_B_CUH
#define RUNGS_07_TENSOR_B_CUH

#include "kernel/tensor_map.cuh"
#include "parts/matrix.cuh"

/* Whether the TMA can copy B: its rows must begin at multiples of 16 bytes, and its coordinates are
 * signed 32-bit integers. */
static inline bool tensor_takes_b(const struct gemm *call)
{
    return has_aligned_rows(call->b, call->ldb) && call->n <= INT32_MAX && call->k <= INT32_MAX;
}

/* The description of B for tiles of depth x columns elements. Outside B they are filled with
 * zeros. */
static inline CUtensorMap describe_b(const struct gemm *call, unsigned depth, unsigned columns)
{
    const struct mapped_matrix b = {CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                    sizeof(float),
                                    call->b,
                                    call->k,
                                    call->n,
                                    call->ldb,
                                    depth,
                                    columns};

    return map_matrix_as(&b, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
}

#endif
/* SPDX-License-Identifier: MIT */
