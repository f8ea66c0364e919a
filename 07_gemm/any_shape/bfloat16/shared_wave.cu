/* Step 07, bfloat16: high tiles, and no last wave that is half empty. */
#include "any_shape/bfloat16/stream_k.cuh"
#include "any_shape/bfloat16/three_consumers.cuh"
#include "rungs.h"

typedef three_consumers_plan<shared_tiles> shared_plan;

/* Better: what is left for the last wave is shared by all blocks, as in the rung stream_k, but at
 * the end: until then they keep step, and what one of them needs has just been read by another.
 * Still bad: sums of 192 x 256 are passed on, 196 KB a block. */
THREE_CONSUMERS_KERNEL(shared_wave, shared_plan)

/* How many tiles are shared. A last wave that is nearly full is left as it is: blocks that are idle
 * leave their power to the others. Of one that is nearly empty too many blocks would have a part of
 * the same tile, and would wait for one another, so that it is shared with the wave before it. */
static unsigned tiles_to_share(unsigned tiles, unsigned blocks)
{
    const unsigned rest = tiles % blocks;

    if (4 * rest >= 3 * blocks && tiles > blocks)
        return 0;
    return 4 * rest >= blocks || rest == 0 ? rest : min(tiles, blocks + rest);
}

extern "C" void launch_shared_wave(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    struct bf16_work work = work_of_three<shared_plan>(call);
    const unsigned tiles = unit_count<shared_plan>(work);
    const unsigned blocks = clusters_that_share(tiles, work.steps, (unsigned)call->multiprocessors);
    share_tiles(&work, tiles, tiles_to_share(tiles, blocks));
    LAUNCH_THREE_CONSUMERS(shared_wave, shared_plan, call, blocks, work);
}
/* SPDX-License-Identifier: MIT */
