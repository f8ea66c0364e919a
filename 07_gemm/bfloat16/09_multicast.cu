/* Step 07, bfloat16: pairs of blocks that share what they bring, and stores that overlap the next
 * tile's products. */
#include "bfloat16/parts/launch.cuh"
#include "rungs.h"

typedef plan<256, 4, 2, false> cluster_plan;
typedef plan<256, 4, 2, true> stores_plan;

/* Better: each block of a pair brings half of the tile of B, for both: a third less comes from L2.
 * Still bad: consumers store two elements at a time, in pieces of 16 bytes a row, and wait. */
PERSISTENT_KERNEL(cluster_multicast, cluster_plan)

/* Better: consumers put their sums into shared memory, from where the TMA stores whole rows of
 * 128 bytes while they multiply on. Still bad: if there are few tiles, or the last wave is
 * nearly empty, multiprocessors are idle. */
PERSISTENT_KERNEL(tma_stores, stores_plan)

extern "C" void launch_cluster_multicast(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        LAUNCH_PREPARED(cluster_multicast, cluster_plan, call, 1, NULL);
}

extern "C" void launch_tma_stores(const struct gemm *call)
{
    if (call->m > 0 && call->n > 0)
        LAUNCH_PREPARED(tma_stores, stores_plan, call, 1, NULL);
}
/* SPDX-License-Identifier: MIT */
