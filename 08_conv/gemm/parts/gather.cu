/* Step 08: what the rungs that gather inputs do before and after their products. */
#include "gemm/parts/gather.cuh"
#include "kernel/overlap.cuh"
#include "rungs.h"

static const unsigned BLOCK = 256;

/* Adds the splits' outputs, in their order. */
static __global__ void add_parts(const struct conv call, const struct gather_plan plan)
{
    const unsigned outputs = plan.pixels * (unsigned)call.filters;
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;

    overlap_launches();
    if (i >= outputs)
        return;
    float sum = 0;
#pragma unroll 4
    for (unsigned s = 0; s < plan.splits; s++)
        sum += plan.parts[(size_t)s * outputs + i];
    call.output[i] = sum;
}

extern "C" void add_gather_parts(const struct conv *call, const struct gather_plan *plan)
{
    const size_t outputs = (size_t)plan->pixels * call->filters;

    launch_dependent(add_parts, (unsigned)divided_up(outputs, BLOCK), BLOCK, 0, *call, *plan);
}

static __global__ void write_taps(const struct conv call, const struct gather_plan plan)
{
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    const unsigned rows = plan.uniform ? GATHER_DEPTH : 1; /* per tap */
    const unsigned kernel_width = (unsigned)call.kernel_width;
    unsigned channel, number;
    struct gather_tap tap;

    if (i >= plan.stages * (GATHER_DEPTH / rows))
        return;
    row_of(call, plan, i * rows, &channel, &number);
    tap.y = (int)(number / kernel_width * (unsigned)call.dilation);
    tap.x = (int)(number % kernel_width * (unsigned)call.dilation);
    tap.offset =
        (int)(channel * (unsigned)(call.height * call.width)) + tap.y * (int)call.width + tap.x;
    if (channel >= call.channels)
        tap.y = NOWHERE;
    tap.unused = 0;
    plan.taps[i] = tap;
}

extern "C" void write_gather_taps(const struct conv *call, const struct gather_plan *plan)
{
    const size_t rows = (size_t)plan->stages * GATHER_DEPTH;

    write_taps<<<(unsigned)divided_up(rows, BLOCK), BLOCK>>>(*call, *plan);
}

/* Stores the weights as [group][row][filter], with zeros in the padding. */
static __global__ void pack_weights(const struct conv call, const struct gather_plan plan)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned filters = plan.filter_tiles * plan.tile_filters;
    const unsigned rows = plan.stages * GATHER_DEPTH;
    const size_t group = i / filters / rows;

    if (group < call.groups)
        plan.weights[i] = weight_of(call, plan, (unsigned)group, (unsigned)(i % filters),
                                    (unsigned)(i / filters % rows));
}

extern "C" void prepare_gather(const struct conv *call, const struct gather_plan *plan)
{
    const size_t weights = call->groups * plan->weights_step;

    pack_weights<<<(unsigned)divided_up(weights, BLOCK), BLOCK>>>(*call, *plan);
    write_gather_taps(call, plan);
}
/* SPDX-License-Identifier: MIT */
