/* Step 07, bfloat16: all multiprocessors get the same share of the work (stream-K, Osama et al.
 * 2023). */
#include "any_shape/bfloat16/stream_k.cuh"
#include "rungs.h"

typedef plan<256, 4, 2, shared_tiles> stream_plan;

/* Better than whole tiles: no last wave leaves multiprocessors idle. Still bad: tiles of 256 x 256
 * for each pair of blocks are large for a small C. */
PERSISTENT_KERNEL(stream_k_bf16, stream_plan)

extern "C" void launch_stream_k_bf16(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    struct bf16_work work = work_of<stream_plan>(call);
    const unsigned tiles = unit_count<stream_plan>(work);
    const unsigned clusters = clusters_that_share(
        tiles, work.steps, (unsigned)call->multiprocessors / stream_plan::CLUSTER);
    const unsigned rest = tiles % clusters;
    /* The tiles of the last full wave are shared with those of the one that is not full. */
    share_tiles(&work, tiles, rest > 0 ? min(tiles, clusters + rest) : 0);
    const struct maps maps = maps_of<stream_plan>(call, work);
    cudaFuncSetAttribute(stream_k_bf16, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)stream_plan::SHARED_BYTES);
    launch_dependent_clusters(stream_k_bf16, stream_plan::CLUSTER, clusters * stream_plan::CLUSTER,
                              THREADS, stream_plan::SHARED_BYTES, *call, maps, work);
}
/* SPDX-License-Identifier: MIT */
