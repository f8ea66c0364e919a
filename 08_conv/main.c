/* Step 08: the table of rungs. Everything else (options, inputs, verification, timing, report) is
 * rungs_main's, in common/. */
#include "cpu.h"
#include "library/gpu_libraries.h"
#include "library/openblas.h"
#include "run/step.h"

void launch_conv_naive(const struct conv *call);
void launch_constant_filter(const struct conv *call);
void launch_conv_shared_tile(const struct conv *call);
const char *declines_conv_shared_tile(const struct conv *call);

void launch_im2col(const struct conv *call);
void launch_implicit_gemm(const struct conv *call);
void launch_implicit_gemm_tiled(const struct conv *call);
void launch_implicit_gemm_double(const struct conv *call);
const char *declines_implicit_gemm(const struct conv *call);

void prepare_direct(const struct conv *call);
void launch_direct(const struct conv *call);
const char *declines_direct(const struct conv *call);

void prepare_winograd(const struct conv *call);
void launch_winograd(const struct conv *call);
const char *declines_winograd(const struct conv *call);

void prepare_winograd4(const struct conv *call);
void launch_winograd4(const struct conv *call);
const char *declines_winograd4(const struct conv *call);

CUDA_ONLY void prepare_tensor(const struct conv *call);
CUDA_ONLY void launch_tensor(const struct conv *call);
CUDA_ONLY const char *declines_tensor(const struct conv *call);
CUDA_ONLY double depth_tensor(const struct conv *call);

static const struct rung rungs[] = {
    {
        .name = "cpu_loops",
        .idea = "one CPU thread, the definition with x as the innermost loop",
        .run.conv = run_cpu_loops,
        .depth.conv = conv_depth_serial,
        .declines.conv = cpu_loops_decline,
        .flags = RUNG_HOST,
    },
    {
        .name = "cpu_im2col",
        .idea = "the inputs of every output copied to a matrix, times the filters by OpenBLAS",
        .run.conv = run_cpu_im2col,
        .depth.conv = conv_depth_serial,
        .how.conv = cpu_im2col_how,
        .unavailable = openblas_unavailable,
        .flags = RUNG_HOST,
    },
    {
        .name = "naive",
        .idea = "one thread an output element, x along threadIdx.x: two loads a product",
        .run.conv = launch_conv_naive,
        .depth.conv = conv_depth_serial,
    },
    {
        .name = "constant_filter",
        .idea = "weights from constant memory, one word for a whole warp",
        .run.conv = launch_constant_filter,
        .depth.conv = conv_depth_serial,
    },
    {
        .name = "shared_tile",
        .idea = "the inputs of 32 x 8 outputs in shared memory, with their halo",
        .run.conv = launch_conv_shared_tile,
        .depth.conv = conv_depth_serial,
        .declines.conv = declines_conv_shared_tile,
    },
    {
        .name = "im2col",
        .idea =
            "the inputs of every output in a matrix, times the filters by step 07's async_copies",
        .run.conv = launch_im2col,
        .depth.conv = conv_depth_serial,
    },
    {
        .name = "implicit_gemm",
        .idea = "the same product, the matrix's elements found by index arithmetic",
        .run.conv = launch_implicit_gemm,
        .depth.conv = conv_depth_serial,
    },
    {
        .name = "implicit_gemm_tiled",
        .idea = "tiles of 64 filters x 128 pixels, 8 x 4 sums a thread, loads of 16 bytes",
        .run.conv = launch_implicit_gemm_tiled,
        .depth.conv = conv_depth_serial,
        .declines.conv = declines_implicit_gemm,
    },
    {
        .name = "implicit_gemm_double",
        .idea = "the next tiles load while these are multiplied",
        .run.conv = launch_implicit_gemm_double,
        .depth.conv = conv_depth_serial,
        .declines.conv = declines_implicit_gemm,
    },
    {
        .name = "direct",
        .idea =
            "3x3: tiles with halo, 4 x 2 outputs of 8 filters a thread, copies in the background",
        .run.conv = launch_direct,
        .depth.conv = conv_depth_serial,
        .prepare.conv = prepare_direct,
        .declines.conv = declines_direct,
    },
    {
        .name = "winograd",
        .idea = "3x3: Winograd's F(2x2, 3x3) in one kernel, 16 multiplications for 36",
        .run.conv = launch_winograd,
        .depth.conv = conv_depth_winograd,
        .prepare.conv = prepare_winograd,
        .declines.conv = declines_winograd,
        .flags = RUNG_WINOGRAD,
    },
    {
        .name = "winograd_4x4",
        .idea = "3x3: F(4x4, 3x3), 36 multiplications for 144, transforms and products apart",
        .run.conv = launch_winograd4,
        .depth.conv = conv_depth_winograd4,
        .prepare.conv = prepare_winograd4,
        .declines.conv = declines_winograd4,
        .flags = RUNG_WINOGRAD_4,
    },
    {
        .name = "tensor_3xtf32",
        .idea = "3x3: tensor cores, every number as the sum of two TF32 numbers",
        .run.conv = launch_tensor,
        .depth.conv = depth_tensor,
        .prepare.conv = prepare_tensor,
        .declines.conv = declines_tensor,
        .needs_compute_capability = 80,
    },
    CUDNN_RUNG,
};

const struct step step = {
    .name = "08_conv",
    .idea = "2-D convolution: loops, tiles, matrix products, Winograd, tensor cores",
    .family = &conv_family,
    .back_end = &gpu_back_end,
    .rungs = rungs,
    .rung_count = sizeof rungs / sizeof rungs[0],
};

int main(int argc, char **argv)
{
    return rungs_main(argc, argv, &step);
}
