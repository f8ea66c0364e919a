/* Step 07: allows a kernel more shared memory than the default, without a call per launch. */
#ifndef RUNGS_07_SHARED_MEMORY_CUH
#define RUNGS_07_SHARED_MEMORY_CUH

#include <cuda_runtime.h>

#include "device/gpu.h"

/* Lets the kernel use `bytes` bytes of dynamic shared memory. Each kernel has its own `allowed`,
 * all false at first. It has one element per GPU, because the attribute is set per GPU. */
template <typename Kernel>
static inline void allow_shared_memory(Kernel *kernel, unsigned bytes, bool allowed[MOST_GPUS])
{
    bool *const here = &allowed[gpu_index()];

    if (!*here)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    *here = true;
}

#endif
/* SPDX-License-Identifier: MIT */
