/* Drop-in for CUDA's header of the same name: bfloat16, which is the upper half of the bits of a
 * float. */
#ifndef SIMT_CUDA_BF16_H
#define SIMT_CUDA_BF16_H

#include "simt_rounding.h"

#define SIMT_NAME bfloat16
#define SIMT_NAME_2 bfloat162bfloat16
#define SIMT_REAL __nv_bfloat16
#define SIMT_PAIR __nv_bfloat162
#define SIMT_FRACTION 7
#define SIMT_BIAS 127
#include "simt_small_floats.h"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#endif
