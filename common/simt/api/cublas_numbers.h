/* Reads and writes numbers of cuBLAS's data types as doubles. */
#ifndef SIMT_CUBLAS_NUMBERS_H
#define SIMT_CUBLAS_NUMBERS_H

#include <math.h>
#include <string.h>

#include "cuda/library_types.h"
#include "cuda/simt_ptx_runtime.h"

static inline size_t simt_number_size(cudaDataType type)
{
    switch (type) {
    case CUDA_R_8I:
        return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
        return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
        return 4;
    case CUDA_R_64F:
        return 8;
    default:
        return 0; /* not supported */
    }
}

/* The PTX number of a 16-bit type, for conversions. */
static inline unsigned int simt_small_type(cudaDataType type)
{
    return type == CUDA_R_16F ? SIMT_PTX_F16 : SIMT_PTX_BF16;
}

static inline double simt_number_get(const void *from, cudaDataType type, size_t index)
{
    switch (type) {
    case CUDA_R_8I:
        return ((const int8_t *)from)[index];
    case CUDA_R_32I:
        return ((const int32_t *)from)[index];
    case CUDA_R_32F:
        return (double)((const float *)from)[index];
    case CUDA_R_64F:
        return ((const double *)from)[index];
    default: {
        const uint64_t bits = simt_ptx_convert(SIMT_PTX_F32, simt_small_type(type), 0,
                                               ((const uint16_t *)from)[index], 0);
        float value;
        memcpy(&value, &(uint32_t){(uint32_t)bits}, sizeof value);
        return (double)value;
    }
    }
}

static inline void simt_number_put(void *to, cudaDataType type, size_t index, double value)
{
    switch (type) {
    case CUDA_R_8I:
        ((int8_t *)to)[index] = (int8_t)fmax(-128, fmin(127, nearbyint(value)));
        break;
    case CUDA_R_32I:
        ((int32_t *)to)[index] = (int32_t)value;
        break;
    case CUDA_R_32F:
        ((float *)to)[index] = (float)value;
        break;
    case CUDA_R_64F:
        ((double *)to)[index] = value;
        break;
    default: {
        const float rounded = (float)value;
        uint32_t bits;
        memcpy(&bits, &rounded, sizeof bits);
        ((uint16_t *)to)[index] =
            (uint16_t)simt_ptx_convert(simt_small_type(type), SIMT_PTX_F32, m_rn, bits, 0);
    }
    }
}

#endif
/* SPDX-License-Identifier: MIT */
