/* Drop-in for CUDA's header of the same name: all of it is in cuda_runtime.h. */
#ifndef SIMT_CUDA_DEVICE_RUNTIME_API_H
#define SIMT_CUDA_DEVICE_RUNTIME_API_H

#include "cuda_runtime.h"

#endif
