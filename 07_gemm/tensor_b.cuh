/* Step 07: the TMA's description of B. */
#ifndef RUNGS_07_TENSOR_B_CUH
#define RUNGS_07_TENSOR_B_CUH

#include <cuda.h> /* only types: nothing of the driver library is linked */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "tile.cuh"

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
    typedef CUresult (*encoder)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                                const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                                const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    static void *encode;
    const cuuint64_t size[] = {call->n, call->k}, stride[] = {call->ldb * sizeof(float)};
    const cuuint32_t box[] = {columns, depth}, element_stride[] = {1, 1};
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
    CUtensorMap map = {};

    if (encode == NULL &&
        (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                          cudaEnableDefault, &found) != cudaSuccess ||
         found != cudaDriverEntryPointSuccess)) {
        fprintf(stderr, "TMA: the driver has no cuTensorMapEncodeTiled\n");
        exit(EXIT_DEVICE_ERROR);
    }
    if (((encoder)encode)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)call->b, size, stride,
                          box, element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE,
                          CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
        fprintf(stderr, "TMA: cuTensorMapEncodeTiled refused the matrix B\n");
        exit(EXIT_DEVICE_ERROR);
    }
    return map;
}

#endif
