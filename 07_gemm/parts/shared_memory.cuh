/* Step 07: more shared memory than kernels have by themselves, without a call at each launch. */
#ifndef RUNGS_07_SHARED_MEMORY_CUH
#define RUNGS_07_SHARED_MEMORY_CUH

#include <cuda_runtime.h>

#include "device/gpu.h"

/* Lets the kernel have so many bytes of dynamic shared memory. `allowed` is the kernel's own and
 * begins with zeros: an attribute belongs to a GPU, too. */
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
