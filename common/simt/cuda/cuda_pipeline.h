/* Drop-in for CUDA's header of the same name. */
#include "cuda_pipeline_primitives.h"
