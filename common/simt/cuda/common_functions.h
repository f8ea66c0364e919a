/* Drop-in for CUDA's header of the same name: all of it is in cuda_runtime.h. */
#ifndef SIMT_COMMON_FUNCTIONS_H
#define SIMT_COMMON_FUNCTIONS_H

#include "cuda_runtime.h"

#endif
