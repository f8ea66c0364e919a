/* Step 08: the table of rungs. Everything else (options, inputs, verification, timing, report) is
 * rungs_main's, in common/. */
#include "step.h"

void launch_naive(const struct conv *call);
void launch_constant_filter(const struct conv *call);

static const struct rung rungs[] = {
    {
        .name = "naive",
        .idea = "one thread an output element, x along threadIdx.x: two loads a product",
        .run.conv = launch_naive,
        .depth.conv = conv_depth_serial,
    },
    {
        .name = "constant_filter",
        .idea = "weights from constant memory, one word for a whole warp",
        .run.conv = launch_constant_filter,
        .depth.conv = conv_depth_serial,
    },
};

const struct step step = {
    .name = "08_conv",
    .idea = "2-D convolution: one thread an output element, then the filters in constant memory",
    .family = &conv_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
