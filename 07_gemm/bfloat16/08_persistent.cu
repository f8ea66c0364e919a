/* Step 07, bfloat16: blocks that stay. */
#include "bfloat16/parts/launch.cuh"
#include "rungs.h"

typedef plan<256, 4, 1, false> persistent_plan;

/* Better: the producer is a ring ahead, across the end of a tile; and tiles that are computed at
 * the same time share rows and columns in L2. Still bad: two multiprocessors that need the same
 * tile of B both fetch it from L2, and consumers wait until their stores have left. */
PERSISTENT_KERNEL(persistent, persistent_plan)

extern "C" void launch_persistent(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        LAUNCH_PREPARED(persistent, persistent_plan, call, 1, NULL);
}
/* SPDX-License-Identifier: MIT */
