/* Drop-in for CUDA's header of the same name: all of it is in cuda_runtime.h. */
#include "cuda_runtime.h"
