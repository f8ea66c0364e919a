/* The limits of a launch, for step 08's rungs. */
#ifndef CONV_LIMITS_CUH
#define CONV_LIMITS_CUH

#include "kernel/launch_limits.cuh"

/* Declines launches that exceed the limits of this GPU, or of all GPUs. */
static inline const char *conv_declines_launch(size_t blocks, size_t shared_bytes)
{
    if (!grid_may_have(blocks))
        return "more blocks than a launch may have";
    return block_may_have(shared_bytes) ? NULL : "a block's tiles do not fit in shared memory";
}

#endif
/* SPDX-License-Identifier: MIT */
