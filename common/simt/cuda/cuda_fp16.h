/* Drop-in for CUDA's header of the same name: half precision. */
#ifndef SIMT_CUDA_FP16_H
#define SIMT_CUDA_FP16_H

#include "simt_rounding.h"

#define SIMT_NAME half
#define SIMT_NAME_2 half2half
#define SIMT_REAL __half
#define SIMT_PAIR __half2
#define SIMT_FRACTION 10
#define SIMT_BIAS 15
#include "simt_small_floats.h"

typedef __half half, nv_half, __nv_half;
typedef __half2 half2, nv_half2, __nv_half2;

#endif
