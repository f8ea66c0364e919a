/* Drop-in for CUDA's header of the same name: all of it is in cuda_runtime.h. */
#ifndef SIMT_SURFACE_TYPES_H
#define SIMT_SURFACE_TYPES_H

#include "cuda_runtime.h"

#endif
