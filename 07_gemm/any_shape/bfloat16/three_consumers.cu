/* Step 07, bfloat16: a higher tile. */
#include "any_shape/bfloat16/three_consumers.cuh"
#include "rungs.h"

typedef three_consumers_plan<every_nth> high_plan;

/* Better: for a product, a tile of 192 x 256 takes 22% fewer bytes of A and B than one of 128 x
 * 256. Nobody has waited for these bytes; but at the power limit what they cost is time. Still bad:
 * higher tiles are fewer, and the last wave of them may be nearly empty. */
THREE_CONSUMERS_KERNEL(three_consumers, high_plan)

extern "C" void launch_three_consumers(const struct gemm *call)
{
    if (call->m == 0 || call->n == 0)
        return;
    const struct bf16_work work = work_of_three<high_plan>(call);
    LAUNCH_THREE_CONSUMERS(three_consumers, high_plan, call, blocks_for<high_plan>(call, work),
                           work);
}
/* SPDX-License-Identifier: MIT */
